// WebAssembly's SIMD intrinsics (the compiler's own in a WebAssembly build, SIMDe's everywhere else), and what the
// SIMD kernels share.
//
// The kernels count an absent element as a zero. That changes no bit: a partial sum starts from +0, is therefore never
// -0, and x + 0 is x for every other x.
#pragma once

#ifdef __wasm_simd128__
#include <wasm_simd128.h>
#else
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/wasm/simd128.h>
#endif

#include <cstddef>

namespace headflow::kernels {

// Some vectors that are meant to stay in registers.
template <std::size_t kCount>
struct Vectors {
  v128_t each[kCount];

  v128_t& operator[](std::size_t i) { return each[i]; }
  const v128_t& operator[](std::size_t i) const { return each[i]; }
};

template <std::size_t kCount>
Vectors<kCount> zeros() {
  Vectors<kCount> all;
  for (v128_t& vector : all.each) vector = wasm_i32x4_splat(0);
  return all;
}

// Finite fp16 numbers, one in the low half of each lane -> f32. The shifted bits are the number times 2^-112.
inline v128_t f16_to_f32x4(v128_t halves) {
  const v128_t sign = wasm_i32x4_shl(wasm_v128_and(halves, wasm_i32x4_splat(0x8000)), 16);
  const v128_t magnitude = wasm_i32x4_shl(wasm_v128_and(halves, wasm_i32x4_splat(0x7fff)), 13);
  return wasm_v128_or(wasm_f32x4_mul(magnitude, wasm_f32x4_splat(0x1p112F)), sign);
}

// (v_0 + v_1) + (v_2 + v_3)
inline float sum_of_lanes(v128_t v) {
  return (wasm_f32x4_extract_lane(v, 0) + wasm_f32x4_extract_lane(v, 1)) +
         (wasm_f32x4_extract_lane(v, 2) + wasm_f32x4_extract_lane(v, 3));
}

}  // namespace headflow::kernels
