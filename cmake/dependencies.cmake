# The libraries of others, each a target: nlohmann_json, headflow_simd (SIMDe), CLI11::CLI11, ZLIB::ZLIB,
# OpenSSL::Crypto (natively alone), GTest::gtest_main.
# scripts/setup installs them; `npm test` runs it.

# A header-only library must not bring all of /usr/include into a WebAssembly build: set-up gives such headers a
# folder of their own.
set(HEADFLOW_TOOLCHAIN ${PROJECT_SOURCE_DIR}/build/toolchain)
if(EMSCRIPTEN)
  find_path(NLOHMANN_JSON_INCLUDE nlohmann/json.hpp PATHS ${HEADFLOW_TOOLCHAIN}/include
    REQUIRED NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
else()
  find_path(NLOHMANN_JSON_INCLUDE nlohmann/json.hpp REQUIRED)
endif()
add_library(nlohmann_json INTERFACE)
target_include_directories(nlohmann_json SYSTEM INTERFACE ${NLOHMANN_JSON_INCLUDE})

# For the SIMD kernels: WebAssembly's intrinsics, which SIMDe provides on other machines.
add_library(headflow_simd INTERFACE)
if(HEADFLOW_SIMD128)
  target_compile_definitions(headflow_simd INTERFACE HEADFLOW_HAS_SIMD128=1)
  if(NOT EMSCRIPTEN)
    find_path(SIMDE_INCLUDE simde/wasm/simd128.h REQUIRED)
    target_include_directories(headflow_simd SYSTEM INTERFACE ${SIMDE_INCLUDE})
  endif()
endif()

if(NOT EMSCRIPTEN)
  find_package(CLI11 CONFIG REQUIRED)
  find_package(ZLIB REQUIRED)
  find_package(OpenSSL REQUIRED COMPONENTS Crypto)
endif()

# GoogleTest from source, so that it has the flags of the build it serves: Debian's where installed, else its release.
if(HEADFLOW_TESTS)
  include(FetchContent)
  find_path(GOOGLETEST_SOURCE googletest/src/gtest-all.cc PATHS /usr/src/googletest NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
  if(GOOGLETEST_SOURCE)
    set(FETCHCONTENT_SOURCE_DIR_GOOGLETEST ${GOOGLETEST_SOURCE})
  endif()
  FetchContent_Declare(googletest
    URL https://github.com/google/googletest/archive/refs/tags/v1.14.0.tar.gz
    URL_HASH SHA256=8ad598c73ad796e0d8280b082cebd82a630d73e73cd3c70057938a6501bba5d7
    DOWNLOAD_EXTRACT_TIMESTAMP ON)
  set(BUILD_GMOCK OFF)
  set(INSTALL_GTEST OFF)
  set(gtest_disable_pthreads ${EMSCRIPTEN})
  FetchContent_MakeAvailable(googletest)
  set_target_properties(gtest gtest_main PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
