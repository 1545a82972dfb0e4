# Run by the build (cmake -P): writes the unit that registers everything a set of .rw files defines.
#   -DHEADERS=a.rw.h;…  -DROOT=folder they are below  -DTARGET=name  -DNAMESPACE=ns  -DOUT=folder
# Each generated header names its registration function in a line `// registers: ns::registerName`.
set(includes)
set(calls)
foreach(header IN LISTS HEADERS)
  file(STRINGS "${ROOT}/${header}" lines REGEX "^// registers: ")
  if(NOT lines)
    message(FATAL_ERROR "${ROOT}/${header} names no registration function (`// registers: …`)")
  endif()
  string(APPEND includes "#include \"${header}\"\n")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^// registers: *([A-Za-z0-9_:]+).*" "\\1" function "${line}")
    if(function STREQUAL "${NAMESPACE}::register_${TARGET}")
      message(FATAL_ERROR "${TARGET}: the target of rw_add_patterns and one of its .rw files have the same name; rename either")
    endif()
    string(APPEND calls "  ::${function}(registry);\n")
  endforeach()
endforeach()

set(header_text "// Generated: registers the dialects, patterns and passes of the .rw files of ${TARGET}.
#pragma once

namespace rw {
class Registry;
}

namespace ${NAMESPACE} {
void register_${TARGET}(rw::Registry &registry);
}
")
set(source_text "#include \"${TARGET}_register.h\"

${includes}
void ${NAMESPACE}::register_${TARGET}(rw::Registry &registry) {
${calls}}
")

function(write_if_changed path text)
  if(EXISTS "${path}")
    file(READ "${path}" old)
    if(old STREQUAL text)
      return()
    endif()
  endif()
  file(WRITE "${path}" "${text}")
endfunction()
write_if_changed("${OUT}/${TARGET}_register.h" "${header_text}")
write_if_changed("${OUT}/${TARGET}_register.cpp" "${source_text}")
