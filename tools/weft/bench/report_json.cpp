#include "bench/report.h"
#include "json_output.h"
#include "weft/info.h"

namespace weft::cli::bench {

namespace {

void write_machine(JsonOutput& json, const Report& report) {
  json.key("machine").start_object();
  json.key("processor").text(report.machine.processor);
  json.key("cores").number(std::uint64_t{report.machine.cores});
  json.key("l2_bytes").number(report.machine.l2_bytes);
  json.key("l3_bytes").number(report.machine.l3_bytes);
  json.key("isa").text(name(report.isa));
  json.key("weft").text(version());
  json.key("layout").text(name(report.layout));
  json.key("other_load").number(report.other_load);
  json.key("winograd")
      .text(report.winograd == Winograd::allowed ? "allowed"
            : report.winograd == Winograd::never ? "never"
                                                 : "accurate");
  json.end_object();
}

void write_limits(JsonOutput& json, const Limits& limits) {
  json.start_object();
  json.key("threads").number(std::uint64_t{limits.threads});
  json.key("fma_gflops").number(limits.fma_gflops);
  if (const auto amx = limits.amx_float32_gflops) json.key("amx_float32_gflops").number(*amx);
  if (const auto amx = limits.amx_float16_gflops()) json.key("amx_float16_gflops").number(*amx);
  json.key("copy_gbytes").number(limits.copy_gbytes);
  json.end_object();
}

void write_timing(JsonOutput& json, const Timing& timing) {
  json.key("median_us").number(timing.median_us);
  json.key("min_us").number(timing.min_us);
}

void write_peer(JsonOutput& json, const PeerResult& peer, const WayResult& best) {
  json.key(peer.name).start_object();
  write_timing(json, best.timing);
  json.key("variant").text(best.name);
  json.key("rms_error").number(best.rms_error);
  json.key("variants").start_object();
  for (const WayResult& way : peer.ways) {
    json.key(way.name).start_object();
    write_timing(json, way.timing);
    json.key("rms_error").number(way.rms_error);
    json.key("counts").boolean(way.counts);
    json.end_object();
  }
  json.end_object();
  json.end_object();
}

void write_row(JsonOutput& json, const Row& row) {
  json.start_object();
  json.key("id").text(row.shape->id);
  json.key("family").text(row.shape->family());
  json.key("threads").number(std::uint64_t{row.threads});
  json.key("flops").number(row.shape->flops());
  json.key("bytes").number(row.shape->bytes());
  json.key("limit").start_object();
  json.key("us").number(row.limit_us());
  json.key("memory_us").number(row.memory_us);
  json.key("fma_us").number(row.fma_us);
  if (row.amx_us) json.key("amx_us").number(*row.amx_us);
  json.end_object();
  json.key("weft").start_object();
  write_timing(json, row.weft);
  json.key("algorithm").text(row.algorithm);
  json.key("isa").text(row.isa);
  json.key("rms_error").number(row.rms_error);
  if (!row.input_strides.empty()) json.key("input_strides").dims(row.input_strides);
  if (!row.output_strides.empty()) json.key("output_strides").dims(row.output_strides);
  json.end_object();
  json.key("peers").start_object();
  for (const PeerResult& peer : row.peers) {
    if (const WayResult* const best = peer.best()) write_peer(json, peer, *best);
  }
  json.end_object();
  json.key("disagreements").start_array();
  for (const std::string& text : row.disagreements) json.text(text);
  json.end_array();
  json.end_object();
}

void write_mean(JsonOutput& json, const Mean& mean) {
  json.start_object();
  json.key("family").text(mean.family);
  json.key("threads").number(std::uint64_t{mean.threads});
  json.key("rival").text(mean.rival);
  json.key("shapes").number(std::uint64_t{mean.shapes});
  json.key("ratio").number(mean.ratio);
  json.key("least").number(mean.least);
  json.key("least_shape").text(mean.least_shape);
  json.end_object();
}

}  // namespace

void print_json(const Report& report) {
  JsonOutput json;
  write_machine(json, report);
  json.key("limits").start_array();
  for (const Limits& limits : report.limits) write_limits(json, limits);
  json.end_array();
  json.key("peers").start_object();
  for (const PeerSlot& slot : report.peers) json.key(slot.name).text(slot.status);
  json.end_object();
  json.key("rows").start_array();
  for (const Row& row : report.rows) write_row(json, row);
  json.end_array();
  json.key("means").start_array();
  for (const Mean& mean : geometric_means(report.rows)) write_mean(json, mean);
  json.end_array();
  json.print();
}

}  // namespace weft::cli::bench
