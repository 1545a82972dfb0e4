# Finds what the build needs. Each miss stops the configuration with the Debian package that mends it.
# Targets defined here: rw_dep_llvm, rw_dep_antlr, rw_dep_onnx; fmt::fmt, doctest::doctest,
# nlohmann_json::nlohmann_json and benchmark::benchmark come from the packages' own files.

function(rw_missing what package)
  message(FATAL_ERROR "rw: ${what} was not found.\n"
    "On Debian: apt-get install ${package}\n"
    "tools/setup installs everything that is missing.")
endfunction()

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

# LLVM: Support and ADT only, linked statically so that the tools start without loading all of LLVM. The newest
# release from 19 on is taken; its own config file would look for libraries that Support does not need.
file(GLOB rw_llvm_libraries LIST_DIRECTORIES true /usr/lib/llvm-*/lib /usr/local/lib/llvm-*/lib)
list(SORT rw_llvm_libraries COMPARE NATURAL ORDER DESCENDING)
list(FILTER rw_llvm_libraries INCLUDE REGEX "llvm-(19|[2-9][0-9])/")
find_library(RW_LLVM_SUPPORT_LIBRARY NAMES libLLVMSupport.a PATHS ${rw_llvm_libraries} NO_DEFAULT_PATH)
if(NOT RW_LLVM_SUPPORT_LIBRARY)
  rw_missing("LLVM 19 or newer (libLLVMSupport.a)" llvm-19-dev)
endif()
get_filename_component(RW_LLVM_LIBRARY_DIR "${RW_LLVM_SUPPORT_LIBRARY}" DIRECTORY)
get_filename_component(RW_LLVM_ROOT "${RW_LLVM_LIBRARY_DIR}" DIRECTORY)
find_path(RW_LLVM_INCLUDE_DIR llvm/ADT/DenseMap.h PATHS "${RW_LLVM_ROOT}/include" NO_DEFAULT_PATH)
if(NOT RW_LLVM_INCLUDE_DIR)
  rw_missing("LLVM's headers" llvm-19-dev)
endif()
find_package(Threads REQUIRED)
find_package(ZLIB QUIET)
if(NOT ZLIB_FOUND)
  rw_missing("zlib, which LLVM's Support library links" zlib1g-dev)
endif()
find_library(RW_ZSTD_LIBRARY zstd)
if(NOT RW_ZSTD_LIBRARY)
  rw_missing("zstd, which LLVM's Support library links" libzstd-dev)
endif()
add_library(rw_dep_llvm INTERFACE)
target_include_directories(rw_dep_llvm SYSTEM INTERFACE "${RW_LLVM_INCLUDE_DIR}")
target_link_libraries(rw_dep_llvm INTERFACE "${RW_LLVM_SUPPORT_LIBRARY}" "${RW_LLVM_LIBRARY_DIR}/libLLVMDemangle.a"
  "${RW_ZSTD_LIBRARY}" ZLIB::ZLIB Threads::Threads ${CMAKE_DL_LIBS})

# ANTLR: the tool writes the lexer and parser, the runtime is linked into rwc_parse alone.
find_program(RW_ANTLR4 NAMES antlr4)
if(NOT RW_ANTLR4)
  rw_missing("The ANTLR 4 tool" antlr4)
endif()
find_path(RW_ANTLR4_INCLUDE_DIR antlr4-runtime.h PATH_SUFFIXES antlr4-runtime)
find_library(RW_ANTLR4_LIBRARY antlr4-runtime)
if(NOT RW_ANTLR4_INCLUDE_DIR OR NOT RW_ANTLR4_LIBRARY)
  rw_missing("ANTLR 4's C++ runtime" libantlr4-runtime-dev)
endif()
add_library(rw_dep_antlr INTERFACE)
target_include_directories(rw_dep_antlr SYSTEM INTERFACE "${RW_ANTLR4_INCLUDE_DIR}")
target_link_libraries(rw_dep_antlr INTERFACE "${RW_ANTLR4_LIBRARY}" Threads::Threads)
# The runtime's headers use u8 literals as char.
target_compile_options(rw_dep_antlr INTERFACE -fno-char8_t)

if(RW_ONNX)
  find_package(Protobuf QUIET)
  if(NOT Protobuf_FOUND)
    rw_missing("Protobuf (or switch the ONNX component off: -DRW_ONNX=OFF)" libprotobuf-dev)
  endif()
  find_path(RW_ONNX_INCLUDE_DIR onnx/onnx-ml.pb.h)
  find_library(RW_ONNX_PROTO_LIBRARY onnx_proto)
  find_library(RW_ONNX_LIBRARY onnx)
  if(NOT RW_ONNX_INCLUDE_DIR OR NOT RW_ONNX_PROTO_LIBRARY OR NOT RW_ONNX_LIBRARY)
    rw_missing("ONNX (or switch the ONNX component off: -DRW_ONNX=OFF)" libonnx-dev)
  endif()
  add_library(rw_dep_onnx INTERFACE)
  target_include_directories(rw_dep_onnx SYSTEM INTERFACE "${RW_ONNX_INCLUDE_DIR}" ${Protobuf_INCLUDE_DIRS})
  target_compile_definitions(rw_dep_onnx INTERFACE ONNX_ML=1 ONNX_NAMESPACE=onnx)
  target_link_libraries(rw_dep_onnx INTERFACE "${RW_ONNX_LIBRARY}" "${RW_ONNX_PROTO_LIBRARY}" protobuf::libprotobuf)
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
