#pragma once

#include <initializer_list>

#include "random/case.h"
#include "random/dice.h"
#include "weft/tensor.h"

namespace weft::random_cases {

enum class Role { input, output };

// A tensor of these sizes with strides of any kind that the role allows (packed, permuted, with
// gaps, repeating, overlapping), a total size that may be larger than needed, flags and alignment.
// What was drawn goes into the case's traits.
TensorDesc draw_tensor(Case& c, Dice& dice, std::string_view name, DataType type, Dims sizes,
                       Role role);

// Empties every other of those arrays that hold nothing but their default.
void leave_out_defaults(Dice& dice, std::initializer_list<Dims*> arrays, std::uint32_t fallback);

// A fused or stand-alone function with random parameters, valid for the type.
Activation draw_activation(Dice& dice, OperatorType type, DataType data_type);

// One a family; draws c.params.
void draw_convolution(Case& c, Dice& dice);
void draw_fold(Case& c, Dice& dice);
void draw_unfold(Case& c, Dice& dice);
void draw_resample(Case& c, Dice& dice);
void draw_element_wise(Case& c, Dice& dice);

}  // namespace weft::random_cases
