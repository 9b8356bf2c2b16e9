#include "output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

#include "problem.h"

namespace weft::cli {

OutputFile::OutputFile(std::string path) : path_(std::move(path)), target_(path_) {
  struct stat status = {};
  const bool exists = stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) throw BadInput(path_, "is a directory, must be a file");
  int descriptor = -1;
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    std::error_code ignored;
    const auto real = exists ? std::filesystem::canonical(path_, ignored) : path_;
    if (!real.empty()) target_ = real;
    temporary_ = fmt::format("{}.{}.part", target_, getpid());
    descriptor = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  if (descriptor < 0) {
    temporary_.clear();
    fail();
  }
  if (exists && !temporary_.empty()) fchmod(descriptor, status.st_mode & 07777);
  stream_ = fdopen(descriptor, "wb");
  if (stream_ == nullptr) {
    close(descriptor);
    if (!temporary_.empty()) unlink(temporary_.c_str());
    throw std::bad_alloc();
  }
}

OutputFile::~OutputFile() {
  if (stream_ != nullptr) std::fclose(stream_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::fail() const {
  throw BadInput(path_, fmt::format("writing failed: {}", std::strerror(errno)));
}

void OutputFile::commit() {
  if (std::fflush(stream_) != 0) fail();
  if (std::fclose(std::exchange(stream_, nullptr)) != 0) fail();
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail();
  temporary_.clear();
}

}  // namespace weft::cli
