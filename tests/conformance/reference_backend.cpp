#include <vector>

#include "conformance/backend.h"
#include "conformance/case_params.h"
#include "reference/reference.h"
#include "support/number.h"
#include "support/tensor_walk.h"

namespace weft::conformance {

namespace {

// What the random cases are held against, held against the cases itself.
class ReferenceBackend : public Backend {
 public:
  std::vector<Result> run(const Case& test, std::span<const std::byte> initial) override {
    const OperatorParams params = params_of(test);
    std::vector<const std::byte*> inputs;
    for (const Tensor& tensor : test.inputs) inputs.push_back(tensor.bytes.data());
    inputs.resize(3);  // where a convolution has no bias
    const reference::ExpectedTensor expected = reference::evaluate(params, inputs);

    const TensorDesc& output = std::visit([](const auto& p) { return p.output; }, params);
    std::vector<std::byte> bytes(initial.begin(), initial.end());
    std::size_t i = 0;
    testing::for_each_element(output, [&](const testing::Coordinate&, std::int64_t at) {
      write(expected[i++], output.data_type, bytes.data() + at);
    });
    return {{"naive reference", std::move(bytes)}};
  }

 private:
  // The middle of a range: the sum in double.
  static void write(const reference::Expected& expected, DataType type, std::byte* at) {
    const double low = expected.range.low;
    const double middle = low + (expected.range.high - low) / 2;
    if (expected.bits) {
      testing::write_bits(type, at, *expected.bits);
    } else if (testing::is_float(type)) {
      testing::write_real(type, at, low == expected.range.high ? low : middle);
    } else {
      testing::write_integer(type, at, static_cast<testing::Integer>(middle));
    }
  }
};

}  // namespace

std::unique_ptr<Backend> make_reference_backend() { return std::make_unique<ReferenceBackend>(); }

}  // namespace weft::conformance
