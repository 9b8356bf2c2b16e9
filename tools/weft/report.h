#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "expect.h"
#include "model.h"
#include "resources.h"
#include "weft/plan.h"

namespace weft::cli {

// What `weft run` tells about a run, as it happens (text) or at its end (one JSON document).
struct ReportOptions {
  bool json = false;
  bool explain_plan = false;
  bool print_commands = false;
  bool timed = false;  // -i was given
  int verbosity = 0;   // DxDispatch's: 0 median; 1 also initialization and cold runs; 2 every run
};

// Times of one dispatch command. The first run is cold where there are others.
struct DispatchTimes {
  double initialization_ms = 0;
  std::vector<double> runs_ms;
};

class Report {
 public:
  virtual ~Report() = default;
  virtual void command(const Command& command, const Model& model) = 0;
  virtual void dispatched(const Dispatchable& dispatchable, const Plan& plan,
                          const DispatchTimes& times) = 0;
  virtual void tensor(const Resource& resource, const LoadedValues& values, bool all) = 0;
  virtual void file_written(const Resource& resource, const std::filesystem::path& path) = 0;
  virtual void compared(const Resource& resource, const LoadedValues& values,
                        const Comparison& comparison, const Tolerance& tolerance) = 0;
  virtual void finish(bool passed) = 0;
};

std::unique_ptr<Report> make_report(const ReportOptions& options);

}  // namespace weft::cli
