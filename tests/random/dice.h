#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>

namespace weft::random_cases {

// Random numbers that are the same on every machine (SplitMix64), with the draws that cases need.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}

  // An independent stream for one purpose.
  static Dice of(std::uint64_t seed, std::uint64_t a, std::uint64_t b = 0) {
    Dice mixer(seed);
    mixer.state_ ^= Dice(a ^ 0x632be59bd9b4e019).bits();
    mixer.state_ ^= Dice(b ^ 0x9e6c63d0876a9a47).bits() << 1;
    return Dice(mixer.bits());
  }

  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  // low <= x <= high.
  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(bits() % (std::uint64_t{high} - low + 1));
  }

  // Mostly `low` to `usual`, in one of ten up to `high`.
  std::uint32_t mostly(std::uint32_t low, std::uint32_t usual, std::uint32_t high) {
    return between(low, chance(0.1) ? high : usual);
  }

  // 0 <= x < 1.
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  float real(double low, double high) { return static_cast<float>(low + (high - low) * unit()); }
  bool chance(double probability) { return unit() < probability; }

  template <class T>
  T pick(std::initializer_list<T> choices) {
    return choices.begin()[bits() % choices.size()];
  }
  template <class Range>
  const auto& pick(const Range& choices) {
    return *std::next(std::begin(choices),
                      static_cast<std::ptrdiff_t>(bits() % std::size(choices)));
  }

 private:
  std::uint64_t state_;
};

}  // namespace weft::random_cases
