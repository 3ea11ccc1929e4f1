# Functions that declare our targets: headflow_library, headflow_fast, headflow_test, headflow_page_module.

if(HEADFLOW_TESTS)
  add_custom_target(unit_tests)
endif()

# headflow_library(name [SOURCES ...] [LINKS ...]): one folder of the engine.
function(headflow_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS")
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC headflow_options ${arg_LINKS})
  if(HEADFLOW_SANITIZE)
    target_compile_options(${name} PRIVATE -fsanitize=undefined)
  endif()
endfunction()

# headflow_fast(name [SOURCES ...]): a library, or these sources of it, in which a forward pass spends its time is compiled
# for speed, whatever its size.
function(headflow_fast name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
  if(HEADFLOW_SANITIZE)
    target_compile_options(${name} PRIVATE -O1)
  elseif(EMSCRIPTEN AND arg_SOURCES)
    set_source_files_properties(${arg_SOURCES} PROPERTIES COMPILE_OPTIONS -O3)
  elseif(EMSCRIPTEN)
    target_compile_options(${name} PRIVATE -O3)
  endif()
endfunction()

# headflow_test(name SOURCES ... [LINKS ...]): a GoogleTest program, which `unit_tests` builds and CTest runs as one test; its
# report is test-results/NAME.xml in the build folder. In WebAssembly it runs under Node, with the machine's file system.
# HEADFLOW_TESTDATA: files for many tests. The tests' own code is compiled for a quick build; the engine's as it always is.
function(headflow_test name)
  if(NOT HEADFLOW_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS")
  add_executable(${name} EXCLUDE_FROM_ALL ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE headflow_options GTest::gtest_main ${arg_LINKS})
  target_compile_definitions(${name} PRIVATE HEADFLOW_TESTDATA="${PROJECT_SOURCE_DIR}/cpp/testdata")
  target_compile_options(${name} PRIVATE -O0)
  if(EMSCRIPTEN)
    # Sizes have 32 bits here, file offsets 64; test files are small.
    set_source_files_properties(${arg_SOURCES} PROPERTIES COMPILE_OPTIONS -Wno-shorten-64-to-32)
    target_link_options(${name} PRIVATE -O0 -sENVIRONMENT=node -sNODERAWFS -sEXIT_RUNTIME -sALLOW_MEMORY_GROWTH
      -sMAXIMUM_MEMORY=2gb -sSTACK_SIZE=1mb)
    # The programs are no ES modules, whatever the package.json further up says.
    file(WRITE ${PROJECT_BINARY_DIR}/package.json "{ \"type\": \"commonjs\" }\n")
  endif()
  add_test(NAME ${name} COMMAND ${name} --gtest_output=xml:${PROJECT_BINARY_DIR}/test-results/${name}.xml)
  add_dependencies(unit_tests ${name})
endfunction()

# headflow_page_module(name SOURCES ... [LINKS ...]): the module that the page's worker loads: .js, .wasm and .d.ts.
function(headflow_page_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS")
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_link_libraries(${name} PRIVATE headflow_options ${arg_LINKS})
  target_link_options(${name} PRIVATE
    -O3
    -lembind
    -sMODULARIZE
    -sEXPORT_ES6
    -sENVIRONMENT=web,worker,node
    -sALLOW_MEMORY_GROWTH
    -sMAXIMUM_MEMORY=2gb
    -sABORTING_MALLOC=0 # an allocation that fails is an error to report, not the end of the module
    -sDYNAMIC_EXECUTION=0 # no code made from strings: a strict Content-Security-Policy forbids that
    -sFILESYSTEM=0
    --emit-tsd=${name}.d.ts)
endfunction()
