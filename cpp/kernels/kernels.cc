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

// Not by way of the list: the page's module then has the scalar twin left out.
const Kernels& best() noexcept {
#if HEADFLOW_HAS_SIMD128
  return simd128();
#else
  return scalar();
#endif
}

}  // namespace headflow::kernels
