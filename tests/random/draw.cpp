#include <algorithm>

#include "random/draw_tensor.h"

namespace weft::random_cases {

namespace {

struct Family {
  std::string_view name;
  void (*draw)(Case&, Dice&);
  std::uint32_t share;  // of a hundred cases
};

// In the order of OperatorParams' alternatives.
constexpr Family kFamilies[] = {{"CONVOLUTION", draw_convolution, 35},
                                {"FOLD", draw_fold, 15},
                                {"UNFOLD", draw_unfold, 15},
                                {"RESAMPLE", draw_resample, 20},
                                {"ELEMENT_WISE", draw_element_wise, 15}};

const Family& draw_family(Dice& dice) {
  std::uint32_t at = dice.between(0, 99);
  for (const Family& family : kFamilies) {
    if (at < family.share) return family;
    at -= family.share;
  }
  return kFamilies[0];
}

void note_common(Case& c) {
  const TensorDesc& output = output_of(c.params);
  const OperatorType type = type_of(c.params);
  c.traits.emplace("operator", name(type));
  c.traits.emplace("family", family_of(c.params));
  c.traits.emplace("data type", name(output.data_type));
  c.traits.emplace("rank of " + std::string(family_of(c.params)) + " input",
                   std::to_string(inputs_of(c.params)[0]->sizes.size()));
  c.traits.emplace("threads",
                   std::to_string(c.options.threads) + " and " + std::to_string(c.other_threads));
  c.traits.emplace("instruction set cap",
                   c.options.max_isa ? std::string(name(*c.options.max_isa)) : "none");
  c.traits.emplace("sizes", c.large ? "several tiles" : "small");
  c.traits.emplace("values", name(c.values));
  c.traits.emplace("strict", c.options.strict ? "yes" : "no");
}

}  // namespace

std::span<const std::string_view> family_names() {
  static const auto names = [] {
    std::vector<std::string_view> result;
    for (const Family& family : kFamilies) result.push_back(family.name);
    return result;
  }();
  return names;
}

std::string_view family_of(const OperatorParams& params) { return kFamilies[params.index()].name; }

Case draw(std::uint64_t seed, std::uint64_t index, std::optional<std::string_view> family) {
  Case c;
  c.seed = seed;
  c.index = index;
  Dice family_dice = Dice::of(seed, index);
  const Family* chosen = &draw_family(family_dice);
  if (family) {
    chosen = std::find_if(std::begin(kFamilies), std::end(kFamilies),
                          [&](const Family& f) { return f.name == *family; });
  }
  // A stream for each family: naming the family that the index draws anyway changes nothing.
  Dice dice = Dice::of(seed, index, static_cast<std::uint64_t>(chosen - kFamilies) + 1);
  c.options.threads = dice.between(1, 4);
  do {
    c.other_threads = dice.between(1, 4);
  } while (c.other_threads == c.options.threads);
  if (dice.chance(0.6))
    c.options.max_isa = dice.pick({Isa::base, Isa::sse4, Isa::avx2, Isa::avx512, Isa::amx});
  if (dice.chance(0.06)) c.values = Values::special;
  c.large = dice.chance(0.02);
  c.data_seed = dice.bits();
  chosen->draw(c, dice);
  Dice mode = Dice::of(seed, index, std::size(kFamilies) + 1);
  c.options.strict = mode.chance(0.1);
  if (c.values == Values::plain && mode.chance(0.1)) c.values = Values::tiny;
  note_common(c);
  return c;
}

std::vector<std::optional<TensorDesc>> inputs_of(const OperatorParams& params) {
  if (const auto* p = std::get_if<ConvolutionParams>(&params))
    return {p->input, p->filter, p->bias};
  return std::visit([](const auto& p) { return std::vector<std::optional<TensorDesc>>{p.input}; },
                    params);
}

const TensorDesc& output_of(const OperatorParams& params) {
  return std::visit([](const auto& p) -> const TensorDesc& { return p.output; }, params);
}

}  // namespace weft::random_cases
