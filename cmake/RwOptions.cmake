# How everything is compiled: language level, output folders, sanitizers, ccache. Set once, before any target exists.

option(RW_BUILD_TESTS "Build the tests" ON)
option(RW_BUILD_BENCH "Build the benchmarks" ON)
option(RW_ONNX "Build the ONNX component" ON)
option(RW_PLAYGROUND "Build the page of rw-opt --serve" ON)
option(RW_EXPENSIVE_CHECKS "Run the rewriter's expensive checks unless a tool switches them off" OFF)
set(RW_SANITIZE "" CACHE STRING "Sanitizers for every target, e.g. address,undefined")
set(RW_PATTERNS_DIR "${PROJECT_SOURCE_DIR}/patterns" CACHE PATH "The built-in dialects and passes")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# Nobody replaces single functions of ours at load time, so the compiler may inline across them: a tenth of the time of a rewrite.
add_compile_options(-fno-semantic-interposition)
# GCC joins two fields side by side into one vector register at -O2. Where one was written a moment ago, as the size of a worklist
# is, the load waits for the store: a twentieth of the time of a rewrite. Loops are still vectorised.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fno-tree-slp-vectorize)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

add_compile_options(-Wall -Wextra -Wno-missing-field-initializers)
if(RW_SANITIZE)
  add_compile_options(-fsanitize=${RW_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${RW_SANITIZE})
endif()

# Checkouts of the same commit share the cache: paths are hashed relative to the checkout.
find_program(RW_CCACHE ccache)
if(RW_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND};-E;env;CCACHE_BASEDIR=${PROJECT_SOURCE_DIR};CCACHE_NOHASHDIR=1;CCACHE_SLOPPINESS=pch_defines,time_macros;${RW_CCACHE}")
endif()
