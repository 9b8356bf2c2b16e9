// Options, files and variables that are wrong before a model has been read, and pictures.

#include "errors/bad_input.h"

namespace weft::testing {

namespace {

BadInput call(std::string name, std::string command, std::vector<std::string> errors,
              Files files = {}) {
  return {std::move(name), "UNFOLD", {}, std::move(errors), std::move(files), std::move(command)};
}

// A command line that is not understood.
BadInput usage(std::string name, std::string command, std::string error) {
  BadInput row = call(std::move(name), std::move(command), {std::move(error)});
  row.hint = "Try 'weft --help' or 'weft COMMAND --help'.";
  return row;
}

}  // namespace

std::vector<BadInput> bad_command_lines() {
  return {
      usage("no command", "weft", "A subcommand is required"),
      usage("unknown command", "weft walk model.json",
            "\"walk\" is no command: there are run, check, shape, image, info, exec, bench"),
      usage("misspelt command", "weft chek model.json",
            "\"chek\" is no command: there are run, check, shape, image, info, exec, bench (did "
            "you mean "
            "\"check\"?)"),
      usage("unknown option without a command", "weft --fast", "unknown option \"--fast\""),
      usage("unknown option", "weft run model.json --fast",
            "The following argument was not expected: --fast"),
      usage("two models", "weft check model.json model.json",
            "The following argument was not expected: model.json"),
      usage("no model to run", "weft run", "model is required"),
      usage("no model to check", "weft check --json", "model is required"),
      usage("no iterations", "weft run model.json -i 0",
            "--iterations: Value 0 not in range 1 to 1000000"),
      usage("iterations that are text", "weft run model.json -i many",
            "--iterations: Value many not in range 1 to 1000000"),
      usage("iterations without a number", "weft run model.json --iterations",
            "--iterations: 1 required N:UINT in [1 - 1000000] missing"),
      usage("negative threads", "weft run model.json --threads -1",
            "--threads: Value -1 not in range 0 to 1024"),
      usage("threads past 32 bits", "weft run model.json --threads 4294967296",
            "--threads: Value 4294967296 not in range 0 to 1024"),
      usage("verbosity 3", "weft run model.json -v 3",
            "--timing-verbosity: Value 3 not in range 0 to 2"),
      call("model that is missing", "weft run modle.json",
           {"modle.json: cannot open: No such file or directory"}),
      call("model to check that is missing", "weft check nowhere/model.json",
           {"nowhere/model.json: cannot open: No such file or directory"}),
      call("model that is a folder", "weft run folder", {"folder: cannot read: Is a directory"},
           {{"folder/", ""}}),
      call("model without a name", "weft run ''", {"\"\": cannot open: the path is empty"}),
      call("unknown instruction set", "WEFT_MAX_ISA=avx9 weft run model.json",
           {"WEFT_MAX_ISA is \"avx9\", must be one of base, sse4, avx2, avx512, amx"}),
      call("unknown instruction set, check", "WEFT_MAX_ISA=AVX2 weft check model.json",
           {"WEFT_MAX_ISA is \"AVX2\", must be one of base, sse4, avx2, avx512, amx"}),
      call("unknown instruction set, info", "WEFT_MAX_ISA=avx9 weft info",
           {"WEFT_MAX_ISA is \"avx9\", must be one of base, sse4, avx2, avx512, amx"}),
      call("shape of a model that is missing", "weft shape modle.json",
           {std::string("\"modle.json\" is neither a file nor an operator; Weft has ") +
            kOperatorNames}),
      call("shape of a misspelt operator", "weft shape unflod --input 1,1,5,5",
           {std::string("\"unflod\" is neither a file nor an operator (did you mean "
                        "\"UNFOLD\"?); Weft has ") +
            kOperatorNames}),
      call("shape of a function by half its name", "weft shape DML_OPERATOR_relu --input 2,3",
           {std::string("\"DML_OPERATOR_relu\" is neither a file nor an operator (did you mean "
                        "\"ACTIVATION_RELU\"?); Weft has ") +
            kOperatorNames}),
      call("shape of a folder", "weft shape .", {".: cannot read: Is a directory"}),
      call("shape of a model with an operator's option", "weft shape model.json --strides 1",
           {"--strides: describes an operator, not a model"}),
      call("shape of an operator of a model", "weft shape unfold op --input 1,1,5,5 --window 3",
           {"op: only a model has named operators"}),
      usage("shape of nothing", "weft shape", "target is required"),
      call("shape of an operator that the model does not have", "weft shape model.json fold",
           {"model.json: /dispatchables: there is no \"fold\""}),
      call("shape of UNFOLD without a window", "weft shape unfold --input 1,1,5,5",
           {"--window: is missing: UNFOLD needs it"}),
      call("shape of UNFOLD with a filter",
           "weft shape unfold --input 1,1,5,5 --window 3,3 --filter 1,1,3,3",
           {"--filter: UNFOLD does not take it"}),
      call("shape of UNFOLD with a window too large",
           "weft shape unfold --input 1,1,5,5 --window 7,7",
           {"UNFOLD.WindowSizes[0] is 7, must be at most 5: a window spans (WindowSizes - 1) * "
            "Dilations + 1 = 7, padded InputTensor.Sizes[2] is 5, padding 0+0",
            "UNFOLD.WindowSizes[1] is 7, must be at most 5: a window spans (WindowSizes - 1) * "
            "Dilations + 1 = 7, padded InputTensor.Sizes[3] is 5, padding 0+0"}),
      call("shape of UNFOLD with stride 0",
           "weft shape unfold --input 1,1,5,5 --window 3,3 --strides 0",
           {"UNFOLD.Strides[0] is 0, must be >= 1: a stride of 0 never moves the window",
            "UNFOLD.Strides[1] is 0, must be >= 1: a stride of 0 never moves the window"}),
      call("shape of CONVOLUTION with channels that do not fit",
           "weft shape convolution --input 1,3,8,8 --filter 4,2,3,3",
           {"CONVOLUTION.FilterTensor.Sizes[1] is 2, must be 3: InputTensor.Sizes[1] 3 / "
            "GroupCount 1"}),
      call("shape of CONVOLUTION with paddings of two kinds",
           "weft shape convolution --input 1,3,8,8 --filter 4,3,3,3 --padding 1 --end-padding 1",
           {"--padding: stands for --start-padding and --end-padding; give one or the other"}),
      call("shape of FOLD without an output", "weft shape fold --window 3,3",
           {"--output: is missing: FOLD needs it"}),
      call("shape of a function with a window", "weft shape ACTIVATION_TANH --input 2 --window 3",
           {"--window: ACTIVATION_TANH does not take it"}),
      call("shape of RESAMPLE with a negative scale",
           "weft shape resample --input 1,1,4,4 --scales 1,1,-2,2",
           {"RESAMPLE.Scales[2] is -2, must be >= 0: output over input; 0 and infinity read from "
            "-InputPixelOffsets alone"}),
      call("shape of RESAMPLE with too few scales",
           "weft shape resample --input 1,1,4,4 --scales 2,2",
           {"RESAMPLE.Scales is 2 entries, must be 4 entries: DimensionCount of InputTensor"}),
      usage("shape of sizes that are text", "weft shape unfold --input 1,1,a,5 --window 3,3",
            "Could not convert: --input = 1,1,a,5"),
      usage("shape of negative sizes", "weft shape unfold --input 1,1,-5,5 --window 3,3",
            "Could not convert: --input = 1,1,-5,5"),
      usage("shape of sizes past 32 bits",
            "weft shape unfold --input 1,1,4294967296,5 --window 3,3",
            "Could not convert: --input = 1,1,4294967296,5"),
  };
}

std::vector<BadInput> bad_pictures() {
  const std::string picture = "\x89PNG\r\n\x1a\n";
  return {
      call("picture that is missing", "weft image in.png out.png --scale 2",
           {"in.png: cannot open: No such file or directory"}),
      call("picture that is a folder", "weft image in.png out.png --scale 2",
           {"in.png: cannot read: Is a directory"}, {{"in.png/", ""}}),
      call("picture that is empty", "weft image in.png out.png --scale 2",
           {"in.png: not a sound PNG: the file is empty"}, {{"in.png", ""}}),
      call("picture that is text", "weft image model.json out.png --scale 2",
           {"model.json: not a sound PNG: Not a PNG file"}),
      call("picture that ends early", "weft image in.png out.png --scale 2",
           {"in.png: not a sound PNG: read beyond end of data"}, {{"in.png", picture}}),
      usage("picture without a size", "weft image in.png out.png",
            "Exactly 1 option from [--scale,--size] is required"),
      usage("picture of a size and a scale", "weft image in.png out.png --size 1x1 --scale 2",
            "Exactly 1 option from [--scale,--size] is required and 2 were given"),
      usage("picture in an unknown mode", "weft image in.png out.png --scale 2 --mode cubic",
            "--mode: cubic not in {nearest,linear}"),
      usage("picture with too many threads", "weft image in.png out.png --scale 2 --threads 1025",
            "--threads: Value 1025 not in range 0 to 1024"),
      call("antialias with nearest",
           "weft image in.png out.png --scale 2 --mode nearest --antialias",
           {"--antialias: works with --mode linear only"}),
  };
}

}  // namespace weft::testing
