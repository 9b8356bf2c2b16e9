// The command line, of all subcommands: CLI11 takes compilers seconds in each file that sees it.

#include "command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/bench.h"
#include "commands.h"
#include "text.h"
#include "weft/info.h"

namespace weft::cli {

namespace {

// A line of a subcommand's examples: "run examples/unfold.json" shows as `  $ weft run ...`.
// Every one of them is run by the tests, from the root of the repository.
void set_examples(CLI::App& command, std::initializer_list<std::string_view> arguments) {
  std::string text = "Examples:";
  for (const std::string_view line : arguments) text.append("\n  $ weft ").append(line);
  command.footer(text);
}

CLI::Option* add_json(CLI::App& command, Context& context) {
  return command.add_flag("--json", context.json, "Print one JSON document");
}

void add_threads(CLI::App& command, unsigned& threads) {
  command.add_option("--threads", threads, "Most threads to use; 0: one a core")
      ->check(CLI::Range(0u, 1024u))
      ->type_name("N")
      ->capture_default_str();
}

void add_model(CLI::App& command, std::string& model, ModelPaths& paths) {
  command.add_option("model", model, "The model")->required()->type_name("MODEL.json");
  command
      .add_option("--input-path,--input_path", paths.input,
                  "Folder that the model's data files are in; its own folder if left out")
      ->type_name("FOLDER");
  command
      .add_option("--output-path,--output_path", paths.output,
                  "Folder that files are written into; the model's own if left out")
      ->type_name("FOLDER");
}

void add_run(CLI::App& app, Context& context) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand(
      "run", "Runs a model: resources, operators and commands in DxDispatch's JSON format.");
  add_model(*command, options->model, options->paths);
  command
      ->add_option("-i,--iterations,--dispatch_iterations", options->iterations,
                   "How often to run each dispatch, and time it")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}))
      ->type_name("N");
  add_threads(*command, options->threads);
  command->add_flag("--print-commands,--print_commands", options->report.print_commands,
                    "Show each command before it runs");
  command
      ->add_option("-v,--timing-verbosity,--timing_verbosity", options->report.verbosity,
                   "Times shown. 0: the median; 1: initialization, cold and hot runs; 2: every run")
      ->check(CLI::Range(0, 2))
      ->type_name("0..2");
  command->add_flag("--explain-plan", options->report.explain_plan,
                    "Show each operator's algorithm, tiles, memory and time");
  add_json(*command, context);
  set_examples(*command,
               {"run examples/unfold.json", "run examples/resample2_linear.json -i 100 -v 1",
                "run examples/convolution_forward.json --explain-plan --json"});
  command->preparse_callback([&context](std::size_t) { context.verdict = "passed"; });
  command->callback([&context, options] {
    context.action = [&context, options] { return run(*options, context.json); };
  });
}

void add_check(CLI::App& app, Context& context) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand(
      "check", "Lists everything that is wrong with a model, its data files included.");
  add_model(*command, options->model, options->paths);
  add_json(*command, context);
  set_examples(*command, {"check examples/unfold.json", "check examples/fold.json --json"});
  command->callback([&context, options] {
    context.action = [&context, options] { return check(*options, context.json); };
  });
}

void add_shape(CLI::App& app, Context& context) {
  const auto options = std::make_shared<ShapeOptions>();
  Operands& operands = options->operands;
  CLI::App* command =
      app.add_subcommand("shape", "Infers the output sizes of an operator, or those in a model.");
  command
      ->add_option("target", options->target,
                   "A model, or an operator by DirectML's name, in capitals or not and with or "
                   "without DML_OPERATOR_; of FOLD, the sizes of the input are inferred. "
                   "'weft info' lists the operators")
      ->required()
      ->type_name("MODEL.json|OPERATOR");
  command->add_option("name", options->name, "One dispatchable of the model; all if left out")
      ->type_name("NAME");
  const auto sizes = [&](const char* flag, Dims& target, const char* help) {
    command->add_option(flag, target, help)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("N,...")
        ->group("Operator");
  };
  sizes("--input", operands.input, "Sizes of the input: batch, channels, spatial ones");
  sizes("--filter", operands.filter, "Sizes of the filter (convolution)");
  sizes("--output", operands.output, "Sizes of the output (fold)");
  sizes("--window", operands.window, "Sizes of the window (fold, unfold)");
  sizes("--strides", operands.strides, "One for each spatial dimension, or one for all; else 1");
  sizes("--dilations", operands.dilations, "Likewise; else 1");
  sizes("--padding", operands.padding, "On both sides, likewise; else 0");
  sizes("--start-padding", operands.start_padding, "Before the first element, likewise; else 0");
  sizes("--end-padding", operands.end_padding, "After the last element, likewise; else 0");
  sizes("--output-padding", operands.output_padding, "Likewise (convolution); else 0");
  command->add_option("--groups", operands.groups, "Groups of channels (convolution)")
      ->type_name("N")
      ->capture_default_str()
      ->group("Operator");
  command->add_option("--direction", operands.direction, "forward or backward (convolution)")
      ->check(CLI::IsMember({"forward", "backward"}))
      ->type_name("")
      ->capture_default_str()
      ->group("Operator");
  command->add_option("--scales", operands.scales, "One for each dimension (resample)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("X,...")
      ->group("Operator");
  add_json(*command, context);
  set_examples(*command,
               {"shape examples/unfold.json", "shape examples/unfold.json unfold --json",
                "shape convolution --input 1,3,224,224 --filter 64,3,7,7 --strides 2 --padding 3",
                "shape unfold --input 1,1,5,5 --window 3,3",
                "shape fold --output 1,2,4,4 --window 3,3 --start-padding 1,0 --end-padding 1,0",
                "shape DML_OPERATOR_RESAMPLE2 --input 1,3,32,32 --scales 1,1,2,2"});
  command->callback([&context, options, command] {
    for (const CLI::Option* option : command->get_options()) {
      if (option->count() != 0) options->given.push_back(option->get_name());
    }
    context.action = [&context, options] { return shape(*options, context.json); };
  });
}

void add_image(CLI::App& app, Context& context) {
  const auto options = std::make_shared<ImageOptions>();
  CLI::App* command = app.add_subcommand("image", "Resizes a picture (PNG) through RESAMPLE2.");
  command->add_option("input", options->input, "PNG file, of any kind")
      ->required()
      ->type_name("IN.png");
  command
      ->add_option(
          "output", options->output,
          "PNG file to write: 8 bits a sample, gray or RGB, with alpha if the input has it")
      ->required()
      ->type_name("OUT.png");
  CLI::Option_group* const to = command->add_option_group("Output size", "One of these");
  to->add_option("--scale", options->scale,
                 "Factor, or one each for width and height; sizes are rounded to whole pixels")
      ->type_name("S|X,Y");
  to->add_option("--size", options->size, "Pixels")->type_name("WxH");
  to->require_option(1);
  command
      ->add_option("--mode", options->mode,
                   "nearest: the pixel under the centre; linear: between pixel centres")
      ->check(CLI::IsMember({"nearest", "linear"}))
      ->capture_default_str();
  command->add_flag("--antialias", options->antialias,
                    "Average over all pixels covered where the picture gets smaller (RESAMPLE3)");
  add_threads(*command, options->threads);
  add_json(*command, context);
  set_examples(*command, {"image examples/weave.png /tmp/large.png --scale 4 --mode nearest",
                          "image examples/weave.png /tmp/wide.png --scale 3,1.5",
                          "image examples/weave.png /tmp/small.png --size 40x30 --antialias"});
  command->callback([&context, options] {
    context.action = [&context, options] { return image(*options, context.json); };
  });
}

void add_info(CLI::App& app, Context& context) {
  const auto markdown = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand(
      "info", "Shows version, instruction sets, threads and which operators take which types.");
  CLI::Option* const json = add_json(*command, context);
  command->add_flag("--markdown", *markdown, "Print the operators as docs/operators.md has them")
      ->excludes(json);
  set_examples(*command, {"info", "info --json"});
  command->callback([&context, markdown] {
    context.action = [&context, markdown] { return info(*markdown, context.json); };
  });
}

// Only the first line is unlike CLI11's own, which does not know the "--".
class Help : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* /*command*/, std::string /*name*/) const override {
    return "Usage: weft exec [OPTIONS] -- PROGRAM [ARGUMENTS]\n";
  }
};

void add_exec(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "exec",
      "Runs a program that uses DirectML, with Weft's libdirectml.so, libd3d12.so and libdxcore.so "
      "in front. The exit status is the program's; 127: not found, 126: cannot be started.");
  const auto options = std::make_shared<ExecOptions>();
  command->add_option("program", options->program, "The program; found in PATH like any other")
      ->required()
      ->type_name("PROGRAM");
  command->add_flag("--trace", options->trace,
                    "Print each DirectML call with its time on stderr (WEFT_TRACE=1)");
  command->formatter(std::make_shared<Help>());
  command->prefix_command();  // behind the program's name, everything is the program's
  set_examples(*command, {"exec -- ./program", "exec --trace -- ./program --its-own options"});
  command->callback([&context, command, options] {
    options->arguments = command->remaining();
    context.action = [options] { return exec(*options); };
  });
}

// Options that say which shapes, and as what.
void add_selection(CLI::App& command, BenchOptions& options) {
  command.add_option("--shapes", options.shapes, "Shapes to measure; those of Weft if left out")
      ->type_name("FILE.json");
  CLI::Option* const only = command.add_option("--only", options.only, "The shapes of these names")
                                ->delimiter(',')
                                ->allow_extra_args(false)
                                ->type_name("ID,...");
  command.add_option("--op", options.op, "The shapes of one operator")
      ->transform(CLI::IsMember({"CONVOLUTION", "UNFOLD", "FOLD", "RESAMPLE2"}, CLI::ignore_case))
      ->type_name("OPERATOR")
      ->excludes(only);
  command.add_option("--dtype", options.data_type, "Data type, instead of the one in the file")
      ->transform(CLI::IsMember({"FLOAT32", "FLOAT16", "INT8", "UINT8"}, CLI::ignore_case))
      ->type_name("TYPE");
}

// Options that say how, and against whom.
void add_conditions(CLI::App& command, BenchOptions& options) {
  command
      .add_option("--threads", options.threads, "Threads; one run for each number. 0: one a core")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(0u, 1024u))
      ->type_name("N,...")
      ->capture_default_str();
  command
      .add_option("--max-isa", options.max_isa,
                  "Most that Weft may use, and oneDNN and PyTorch with it: base, sse4, avx2, "
                  "avx512, amx")
      ->check(CLI::IsMember({"base", "sse4", "avx2", "avx512", "amx"}))
      ->type_name("ISA");
  command.add_flag("--no-winograd", options.no_winograd,
                   "Keep Weft from Winograd's algorithm where it would be exact enough, too");
  command
      .add_flag("--allow-winograd", options.allow_winograd,
                "Let everybody use Winograd's algorithm, which is faster and less exact")
      ->excludes("--no-winograd");
  command
      .add_option("--peers", options.peers,
                  "Rivals, where they are installed: onednn, torch, opencv; none")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"onednn", "torch", "opencv", "none"}))
      ->type_name("NAME,...")
      ->capture_default_str();
  command
      .add_option("--layout", options.layout,
                  "Weft on tensors that are not packed, against itself where they are: nhwc "
                  "(channels last), gaps (64 bytes between rows), broadcast (all channels of the "
                  "input are the same one, stride 0)")
      ->check(CLI::IsMember({"nhwc", "gaps", "broadcast"}))
      ->type_name("NAME")
      ->excludes("--peers");
  command.add_option("--rounds", options.rounds, "Turns of everybody on each shape")
      ->check(CLI::Range(1u, 1000u))
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--seconds", options.seconds,
                  "Time that counts on each shape, of everybody together")
      ->check(CLI::Range(0.0, 3600.0))
      ->type_name("S")
      ->capture_default_str();
}

// What is measured instead of shapes.
CLI::Option* add_sweep(CLI::App& command, BenchOptions& options) {
  CLI::Option* const sweep =
      command
          .add_option(
              "--sweep", options.sweep,
              "Instead of shapes, draw how operators that move data grow with the bytes "
              "of the output, 1 KiB to 4 GiB where memory suffices; --seconds for each size")
          ->type_name("FILE.svg");
  for (const char* other : {"--shapes", "--only", "--op", "--dtype", "--allow-winograd",
                            "--no-winograd", "--peers", "--layout", "--rounds"}) {
    sweep->excludes(command.get_option(other));
  }
  command.add_option("--sweep-to", options.sweep_to, "Largest output of the sweep")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::uint64_t{1} << 10, std::uint64_t{4} << 30))
      ->type_name("BYTES")
      ->needs(sweep);
  return sweep;
}

void add_bench(CLI::App& app, Context& context) {
  const auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand(
      "bench",
      "Measures Weft on layers of real networks, in turns with oneDNN, PyTorch and OpenCV where "
      "they "
      "are installed, and compares all results. The exit status is 1 where they disagree.");
  add_selection(*command, *options);
  add_conditions(*command, *options);
  CLI::Option* const plot =
      command->add_option("--plot", options->plot, "Draw a roofline and the shares of the limit")
          ->type_name("FILE.svg");
  add_sweep(*command, *options)->excludes(plot);
  add_json(*command, context);
  set_examples(*command,
               {"bench --only rs_i8_nn2,mbv2_pw_96_576 --rounds 3 --seconds 0.05",
                "bench --only mbv2_stem --threads 1,2 --peers torch --allow-winograd --json",
                "bench --only fold_vit_p16 --max-isa avx2 --plot /tmp/weft_bench.svg",
                "bench --only fold_vit_p16 --layout nhwc --rounds 3 --seconds 0.05",
                "bench --sweep /tmp/weft_sweep.svg --sweep-to 64KiB --seconds 0.001"});
  command->callback([&context, options] {
    context.action = [&context, options] { return run_bench(*options, context.json); };
  });
}

constexpr void (*commands[])(CLI::App&, Context&) = {add_run,  add_check, add_shape, add_image,
                                                     add_info, add_exec,  add_bench};

// CLI11 says no more than that a command is missing where it does not know the one given.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> rest = app.remaining();
  if (!app.get_subcommands().empty() || rest.empty()) return error.what();
  if (rest.front().starts_with('-')) return fmt::format("unknown option {}", quote(rest.front()));
  std::vector<std::string_view> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  return fmt::format("{} is no command: there are {}{}", quote(rest.front()), join(names),
                     suggestion(rest.front(), names));
}

}  // namespace

std::optional<int> parse_command_line(int argc, char** argv, Context& context) {
  CLI::App app("Runs DirectML operators on any Linux CPU.", "weft");
  app.set_version_flag("--version", fmt::format("weft {}", version()));
  app.require_subcommand(1);
  app.footer("'weft COMMAND --help' shows the options of a command, with examples.");
  for (const auto add : commands) add(app, context);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // --help and --version are exceptions too; those succeed.
    if (error.get_exit_code() == 0) return app.exit(error);
    // CLI11 has not looked at the whole line. After "--" come names.
    char** const options_end = std::find(argv, argv + argc, std::string_view("--"));
    context.json = std::find(argv, options_end, std::string_view("--json")) != options_end;
    throw UsageError{usage_message(app, error)};
  }
  return std::nullopt;
}

}  // namespace weft::cli
