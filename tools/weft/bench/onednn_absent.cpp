// Stands in where oneDNN's header was not there at build time.

#include "bench/onednn.h"

namespace weft::cli::bench {

std::unique_ptr<Peer> open_onednn() {
  throw Unavailable("not built in (libdnnl-dev was not installed)");
}

}  // namespace weft::cli::bench
