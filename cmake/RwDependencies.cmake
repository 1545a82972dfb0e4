# Finds what the build needs. Each miss stops the configuration with the Debian package that mends it.
# Targets: rw_dep_llvm, rw_dep_antlr, rw_dep_onnx are made here or in the included files; fmt::fmt, doctest::doctest,
# nlohmann_json::nlohmann_json and benchmark::benchmark come from the packages' own files.

include(RwMissing)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR "rw: g++ 12 or newer is needed, this is ${CMAKE_CXX_COMPILER_VERSION}. On Debian: apt-get install g++-12")
endif()

find_package(Python3 3.9 COMPONENTS Interpreter QUIET)
if(NOT Python3_FOUND)
  rw_missing("Python 3" python3)
endif()

find_package(fmt QUIET)
if(NOT fmt_FOUND)
  rw_missing("fmt" libfmt-dev)
endif()

find_package(nlohmann_json QUIET)
if(NOT nlohmann_json_FOUND)
  rw_missing("nlohmann/json" nlohmann-json3-dev)
endif()

include(RwFindLLVM)

# ANTLR: the tool writes the lexer and parser, the runtime is linked into rwc_parse alone.
find_program(RW_ANTLR4 NAMES antlr4)
if(NOT RW_ANTLR4)
  rw_missing("The ANTLR 4 tool" antlr4)
endif()
set(RW_ANTLR4_REQUIRED ON)
include(RwFindANTLR)

if(RW_ONNX)
  include(RwFindONNX)
endif()

# An HTTP server, for the page of rw-opt --serve. Its package has no file for CMake.
if(RW_PLAYGROUND)
  find_path(RW_HTTPLIB_INCLUDE httplib.h)
  find_library(RW_HTTPLIB cpp-httplib)
  if(NOT RW_HTTPLIB_INCLUDE OR NOT RW_HTTPLIB)
    rw_missing("cpp-httplib (or build without the page of rw-opt --serve: -DRW_PLAYGROUND=OFF)" libcpp-httplib-dev)
  endif()
  find_package(Threads REQUIRED)
  add_library(rw_dep_httplib INTERFACE)
  target_include_directories(rw_dep_httplib SYSTEM INTERFACE "${RW_HTTPLIB_INCLUDE}")
  # As Debian compiles the library: what its classes hold depends on these.
  target_compile_definitions(rw_dep_httplib INTERFACE CPPHTTPLIB_OPENSSL_SUPPORT CPPHTTPLIB_ZLIB_SUPPORT CPPHTTPLIB_BROTLI_SUPPORT)
  target_link_libraries(rw_dep_httplib INTERFACE "${RW_HTTPLIB}" Threads::Threads)
endif()

if(RW_BUILD_TESTS)
  find_package(doctest QUIET)
  if(NOT doctest_FOUND)
    rw_missing("doctest (or build without tests: -DRW_BUILD_TESTS=OFF)" doctest-dev)
  endif()
endif()

if(RW_BUILD_BENCH)
  find_package(benchmark QUIET) # optional: benchmarks that need it are left out
endif()

# mimalloc, optional: programs that read many small things (patterns, models) take up to half the time with its malloc.
# Sanitizers have a malloc of their own.
if(NOT RW_SANITIZE)
  find_library(RW_MIMALLOC mimalloc)
  find_path(RW_MIMALLOC_HEADERS mimalloc.h)
endif()
# Has a program use it in place of the C library's. Never for a library that others load: that is the program's choice.
function(rw_fast_malloc program)
  if(RW_MIMALLOC AND RW_MIMALLOC_HEADERS)
    target_sources(${program} PRIVATE "${PROJECT_SOURCE_DIR}/tools/fast_malloc.cpp")
    target_link_options(${program} PRIVATE "LINKER:--push-state,--no-as-needed" "${RW_MIMALLOC}" "LINKER:--pop-state")
  endif()
endfunction()
