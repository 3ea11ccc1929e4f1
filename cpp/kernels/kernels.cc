// Which implementations this build has.
#include "kernels/kernels.h"

#include <array>

namespace headflow::kernels {

std::span<const Kernels* const> all() noexcept {
#if HEADFLOW_HAS_SIMD128
  static const std::array implementations = {&scalar(), &simd128()};
#else
  static const std::array implementations = {&scalar()};
#endif
  return implementations;
}

const Kernels& best() noexcept {
  return *all().back();
}

}  // namespace headflow::kernels
