# rw_add_patterns(TARGET SOURCES a.rw … [NAMESPACE ns] [IMPORT_DIRS dir…] [BASE_DIR dir])
#
# Compiles .rw files into the library TARGET: rwc turns each a.rw into a.rw.h and a.rw.cpp below the target's
# generated folder (same path below it as a.rw has below BASE_DIR, by default the calling folder), and one more
# unit holds
#
#   void register_TARGET(rw::Registry &);   // in <TARGET_register.h>, in namespace ns: registers all of them
#
# An edit to a file that a .rw imports compiles that .rw again: rwc writes a depfile.
function(rw_add_patterns target)
  cmake_parse_arguments(ARG "" "NAMESPACE;BASE_DIR" "SOURCES;IMPORT_DIRS" ${ARGN})
  if(NOT ARG_SOURCES)
    message(FATAL_ERROR "rw_add_patterns(${target}): no SOURCES")
  endif()
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "rw_add_patterns(${target}): unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_BASE_DIR)
    set(ARG_BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  if(NOT ARG_NAMESPACE)
    set(ARG_NAMESPACE "${target}")
  endif()

  set(out "${CMAKE_CURRENT_BINARY_DIR}/${target}.gen")
  set(flags)
  foreach(dir IN LISTS ARG_IMPORT_DIRS)
    get_filename_component(dir "${dir}" ABSOLUTE)
    list(APPEND flags -I "${dir}")
  endforeach()

  set(generated)
  set(headers)
  foreach(source IN LISTS ARG_SOURCES)
    get_filename_component(source "${source}" ABSOLUTE)
    file(RELATIVE_PATH path "${ARG_BASE_DIR}" "${source}")
    if(path MATCHES "^\\.\\./")
      message(FATAL_ERROR "rw_add_patterns(${target}): ${source} is not below BASE_DIR ${ARG_BASE_DIR}")
    endif()
    get_filename_component(folder "${out}/${path}" DIRECTORY)
    file(MAKE_DIRECTORY "${folder}")
    set(stamp "${out}/${path}.stamp")
    # rwc leaves unchanged outputs alone, so that what includes them is not compiled again; the stamp says it ran.
    add_custom_command(
      OUTPUT "${stamp}"
      BYPRODUCTS "${out}/${path}.h" "${out}/${path}.cpp"
      COMMAND rw::rwc "${source}" -o "${folder}" ${flags} --depfile "${stamp}.d"
      COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
      DEPENDS "${source}" rw::rwc
      DEPFILE "${stamp}.d"
      COMMENT "rwc ${path}" VERBATIM)
    list(APPEND generated "${out}/${path}.cpp" "${stamp}")
    list(APPEND headers "${path}.h")
  endforeach()

  add_library(${target} STATIC ${generated})
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${out}>")
  target_link_libraries(${target} PUBLIC rw::runtime)
endfunction()
