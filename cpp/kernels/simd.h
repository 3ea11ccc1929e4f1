// WebAssembly's SIMD intrinsics: the compiler's own in a WebAssembly build, SIMDe's everywhere else.
#pragma once

#ifdef __wasm_simd128__
#include <wasm_simd128.h>
#else
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/wasm/simd128.h>
#endif
