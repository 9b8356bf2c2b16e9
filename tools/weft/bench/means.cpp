#include <algorithm>
#include <cmath>

#include "bench/report.h"

namespace weft::cli::bench {

namespace {

// Adds a shape's ratio to the mean that it belongs to; `ratio` is a sum of logarithms until the
// end.
void add(std::vector<Mean>& means, const Row& row, const std::string& rival, double rival_us) {
  const double ratio = rival_us / row.weft.median_us;
  const std::string family = row.shape->family();
  auto mean = std::find_if(means.begin(), means.end(), [&](const Mean& each) {
    return each.family == family && each.threads == row.threads && each.rival == rival;
  });
  if (mean == means.end()) {
    means.push_back({.family = family, .threads = row.threads, .rival = rival});
    mean = means.end() - 1;
  }
  if (mean->shapes++ == 0 || ratio < mean->least) {
    mean->least = ratio;
    mean->least_shape = row.shape->id;
  }
  mean->ratio += std::log(ratio);
}

}  // namespace

std::vector<Mean> geometric_means(const std::vector<Row>& rows) {
  std::vector<Mean> means;
  for (const Row& row : rows) {
    for (const PeerResult& peer : row.peers) {
      const WayResult* const best = peer.best();
      if (best != nullptr) add(means, row, peer.name, best->timing.median_us);
      const WayResult *const plain = peer.way("plain"), *const direct = peer.way("direct");
      if (plain != nullptr && direct != nullptr) {
        add(means, row, peer.name + " plain, direct",
            std::min(plain->timing.median_us, direct->timing.median_us));
      }
      for (const WayResult& way : peer.ways) {
        if (!way.counts) add(means, row, peer.name + " " + way.name, way.timing.median_us);
      }
    }
  }
  for (Mean& mean : means) mean.ratio = std::exp(mean.ratio / static_cast<double>(mean.shapes));
  return means;
}

}  // namespace weft::cli::bench
