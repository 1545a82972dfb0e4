# Run by the build (cmake -P): writes the header that says which version of rw a library is compiled with.
#   -DVERSION=0.1.0  -DROOTS=folders whose files count, |-separated  -DOUT=abi_stamp.h
# The checksum is that of rw's public headers and of the built-in patterns, whose ops plugins see as they were: each
# change may change how types are laid out, or the order of an op's attributes.
string(REPLACE "|" ";" ROOTS "${ROOTS}")
set(sums)
foreach(root IN LISTS ROOTS)
  file(GLOB_RECURSE files RELATIVE "${root}" "${root}/*.h" "${root}/*.rw")
  list(SORT files)
  foreach(file IN LISTS files)
    file(SHA256 "${root}/${file}" sum)
    string(APPEND sums "${file} ${sum}\n")
  endforeach()
endforeach()
string(SHA256 sum "${sums}")
string(SUBSTRING "${sum}" 0 12 sum)
set(text "// Generated: the version of rw, and a checksum of its headers and patterns.\n#pragma once\n#define RW_ABI_STAMP \"${VERSION}-${sum}\"\n")
if(EXISTS "${OUT}")
  file(READ "${OUT}" old)
endif()
if(NOT "${old}" STREQUAL "${text}")
  file(WRITE "${OUT}" "${text}")
endif()
