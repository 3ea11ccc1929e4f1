# What the presets choose between, and the compiler flags of all our own code: link headflow_options.

option(HEADFLOW_TESTS "Build the unit tests" OFF)
option(HEADFLOW_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(HEADFLOW_FUZZ "Build the fuzzing programs (clang alone has libFuzzer)" OFF)
option(HEADFLOW_SIMD128 "Build the WebAssembly SIMD kernels too (natively through SIMDe)" ON)

set(CMAKE_CXX_EXTENSIONS OFF)

add_library(headflow_options INTERFACE)
target_compile_features(headflow_options INTERFACE cxx_std_20)
target_include_directories(headflow_options INTERFACE ${PROJECT_SOURCE_DIR}/cpp)
target_compile_options(headflow_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns of an overlap inside its own std::string (GCC bug 105651).
  target_compile_options(headflow_options INTERFACE -Wno-restrict)
endif()

if(HEADFLOW_SANITIZE)
  # With lines for the reports. headflow_library adds UndefinedBehaviorSanitizer, for the engine's own code.
  target_compile_options(headflow_options INTERFACE -fsanitize=address -fno-sanitize-recover=all
    -fno-omit-frame-pointer -g1)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC loses track of what is initialized in instrumented code: it warns inside its own <regex>.
    target_compile_options(headflow_options INTERFACE -Wno-maybe-uninitialized)
  endif()
  target_link_options(headflow_options INTERFACE -fsanitize=address,undefined)
endif()

if(HEADFLOW_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "HEADFLOW_FUZZ needs clang: configure with -DCMAKE_CXX_COMPILER=clang++")
  endif()
  # clang 19 warns of a deprecated function inside GCC 12's own std::stable_sort.
  target_compile_options(headflow_options INTERFACE -fsanitize=fuzzer-no-link -Wno-deprecated-declarations)
  target_link_options(headflow_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Flags that all code must share, other projects' included. No contraction: a fused multiply-add rounds differently,
# and every number must come out the same on every machine.
add_compile_options(-ffp-contract=off)
string(REPLACE "-O2" "-O3" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
if(EMSCRIPTEN)
  # A page's module is downloaded: small, but for the libraries that headflow_fast names.
  string(REPLACE "-O3" "-Oz" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
  add_compile_options(-fwasm-exceptions)
  add_link_options(-fwasm-exceptions)
  if(HEADFLOW_SIMD128)
    add_compile_options(-msimd128)
  endif()
endif()
