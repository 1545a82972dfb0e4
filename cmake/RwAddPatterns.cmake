# rw_add_patterns(TARGET [PLUGIN] SOURCES a.rw … [NAMESPACE ns] [IMPORT_DIRS dir…] [BASE_DIR dir] [FORM cpp|data] [DATA b.rw …] [LINES] [TESTS])
#
# Compiles .rw files into the library TARGET. For each a.rw the build runs
#
#   rwc a.rw -o OUT/folder --namespace ns -I dir… --depfile F
#
# which writes OUT/folder/a.rw.h and a.rw.cpp, and into F the line `a.rw.h a.rw.cpp: inputs`. Here `folder` is the path
# of a.rw below BASE_DIR (by default the calling folder), and OUT is on the include path: what imports "tensor/ops.rw"
# includes "tensor/ops.rw.h". A last unit gathers the functions that the headers name in their line
# `// registers: ns::registerName`:
#
#   void ns::register_TARGET(rw::Registry &);   // declared in <TARGET_register.h>
#
# The namespace (by default the target's name) is also in front of the names of patterns, passes and pipelines, `ns::a::Merge` of a.rw, so that
# they may have the names of built-in ones (docs/reference.md).
#
# FORM data embeds the patterns, tests and clauses of ops (`type`, `require`, defaults, `fold`), checked and compiled to code that rw interprets
# (rw::machine), where the default, FORM cpp, makes C++ of them: thousands are built in seconds, and run slower (docs/performance.md).
# All else is as before: the headers are the same, but for functions that are `private`; schemas, functions and native code are C++, and so is
# what asks for native code. Nothing that uses the library changes with the form. DATA names sources of which this holds whatever FORM
# says: those that run seldom.
#
# PLUGIN makes a shared library of it that programs load while they run, `rw-opt --plugin libTARGET.so` (rw/plugin/plugin.h). It uses the
# program's copy of rw, so it is linked with no library of rw, nor with what brings one along: of .rw files all are among its
# SOURCES but the built-in ones. C++ of its own, which natives need, is added by target_sources.
#
# LINES is rwc's --line-directives: debuggers stop at and show lines of the .rw files.
#
# With TESTS, the program TARGET_tests (of a plugin: rw-opt) runs the `test` declarations of the files, and ctest runs it as
# TARGET.tests.
#
# rwc is told which files of the project are compiled at all, by whichever call: what a file imports must be among them, or there
# would be no header of it. What imports a built-in file is linked with rw::builtin, whether or not IMPORT_DIRS has the
# folder of these; an edit to the sources has CMake look at their imports again.
#
# An edit to an imported file compiles again what imports it. rwc leaves outputs alone that would not change, so
# such an edit costs no more C++ than it changes.
set(RW_REGISTER_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/RwRegister.cmake")

# Called once, when all calls are known: the project's folder, then one file a line.
function(rw_write_pattern_list)
  get_property(files GLOBAL PROPERTY RW_PATTERN_FILES)
  list(JOIN files "\n" files)
  file(GENERATE OUTPUT "${CMAKE_BINARY_DIR}/rw_pattern_files.txt" CONTENT "${CMAKE_SOURCE_DIR}\n${files}\n")
endfunction()

# The plugin of rw_add_patterns, with its variables: compiled with what it uses, and linked with none of it.
macro(rw_plugin_library)
  file(CONFIGURE OUTPUT "${out}/${target}_plugin.cpp" @ONLY CONTENT
"// Generated: what makes a plugin of ${target}.
#include \"${target}_register.h\"
#include \"rw/plugin/plugin.h\"

RW_PLUGIN(${ARG_NAMESPACE}::register_${target})
")
  add_library(${target} MODULE ${units} "${out}/${target}_plugin.cpp")
  target_compile_features(${target} PRIVATE cxx_std_20)
  foreach(used IN LISTS uses)
    target_include_directories(${target} PRIVATE "$<TARGET_PROPERTY:${used},INTERFACE_INCLUDE_DIRECTORIES>")
    if(TARGET rw_abi_stamp) # where rw itself is built, its headers are generated first
      add_dependencies(${target} rw_abi_stamp ${used})
    endif()
  endforeach()
endmacro()

# Whether `source` imports a file that stands neither beside it nor in `dirs`, but among the built-in ones.
function(rw_imports_builtin out source dirs)
  set(${out} FALSE PARENT_SCOPE)
  get_filename_component(folder "${source}" DIRECTORY)
  file(READ "${source}" text)
  string(REGEX MATCHALL "import[ \t\r\n]+\"[^\"\n;]+\"" imports "${text}")
  foreach(import IN LISTS imports)
    string(REGEX REPLACE "^[^\"]*\"(.*)\"$" "\\1" import "${import}")
    set(own FALSE)
    foreach(dir IN LISTS folder dirs)
      if(EXISTS "${dir}/${import}")
        set(own TRUE)
      endif()
    endforeach()
    if(NOT own AND EXISTS "${rw_PATTERN_DIR}/${import}")
      set(${out} TRUE PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# rw_allow_plugins(TOOL): the program TOOL can load plugins (rw/plugin/load_plugins.h; rw::opt's `--plugin` does).
#
# Plugins use the program's copy of rw, so the program has all of rw::runtime, rw::machine and rw::builtin, not only what it uses itself,
# and shows its names to what it loads.
function(rw_allow_plugins tool)
  set(prefix rw::)
  if(TARGET rw_abi_stamp) # where rw itself is built
    set(prefix rw_)
  endif()
  target_link_libraries(${tool} PRIVATE ${prefix}runtime ${prefix}machine ${prefix}builtin)
  set_target_properties(${tool} PROPERTIES ENABLE_EXPORTS ON)
  # Once and in front: where the libraries stand again, behind it, nothing is left to take from them.
  set(archives)
  foreach(part support ir rewrite trace builder passes interp infer convert optimize exec plugin machine builtin)
    list(APPEND archives "$<TARGET_FILE:${prefix}${part}>")
  endforeach()
  target_link_options(${tool} PRIVATE LINKER:--whole-archive ${archives} LINKER:--no-whole-archive)
endfunction()

function(rw_add_patterns target)
  cmake_parse_arguments(ARG "PLUGIN;TESTS;LINES" "NAMESPACE;BASE_DIR;FORM" "SOURCES;IMPORT_DIRS;DATA" ${ARGN})
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
    string(MAKE_C_IDENTIFIER "${target}" ARG_NAMESPACE)
  endif()

  if(NOT ARG_FORM)
    set(ARG_FORM cpp)
  elseif(NOT ARG_FORM MATCHES "^(cpp|data)$")
    message(FATAL_ERROR "rw_add_patterns(${target}): FORM is cpp or data, not ${ARG_FORM}")
  endif()

  set(out "${CMAKE_CURRENT_BINARY_DIR}/${target}.gen")
  set(flags --namespace "${ARG_NAMESPACE}")
  if(ARG_LINES)
    list(APPEND flags --line-directives)
  endif()
  set(data)
  if(ARG_FORM STREQUAL "data")
    set(ARG_DATA ${ARG_SOURCES})
  endif()
  foreach(source IN LISTS ARG_DATA)
    get_filename_component(source "${source}" ABSOLUTE)
    list(APPEND data "${source}")
  endforeach()
  set(import_dirs)
  foreach(dir IN LISTS ARG_IMPORT_DIRS)
    get_filename_component(dir "${dir}" ABSOLUTE)
    list(APPEND flags -I "${dir}")
    get_filename_component(dir "${dir}" REALPATH)
    list(APPEND import_dirs "${dir}")
  endforeach()
  set(builtin FALSE) # whether the built-in patterns are imported
  if(rw_PATTERN_DIR AND NOT target STREQUAL "rw_builtin")
    get_filename_component(builtin_dir "${rw_PATTERN_DIR}" REALPATH)
    if("${builtin_dir}" IN_LIST import_dirs)
      set(builtin TRUE)
    else()
      foreach(source IN LISTS ARG_SOURCES)
        get_filename_component(source "${source}" ABSOLUTE)
        get_source_file_property(generated "${source}" GENERATED)
        if(generated OR NOT EXISTS "${source}") # the build makes it
          continue()
        endif()
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
        if(NOT builtin)
          rw_imports_builtin(builtin "${source}" "${import_dirs}")
        endif()
      endforeach()
      if(builtin)
        list(APPEND flags -I "${rw_PATTERN_DIR}")
      endif()
    endif()
  endif()
  get_property(deferred GLOBAL PROPERTY RW_PATTERN_FILES SET)
  if(NOT deferred)
    cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL rw_write_pattern_list)
  endif()

  set(units)
  set(header_files)
  set(headers)
  foreach(source IN LISTS ARG_SOURCES)
    get_filename_component(source "${source}" ABSOLUTE)
    file(RELATIVE_PATH path "${ARG_BASE_DIR}" "${source}")
    if(path MATCHES "^\\.\\./")
      message(FATAL_ERROR "rw_add_patterns(${target}): ${source} is not below BASE_DIR ${ARG_BASE_DIR}")
    endif()
    get_filename_component(folder "${out}/${path}" DIRECTORY)
    file(MAKE_DIRECTORY "${folder}")
    set_property(GLOBAL APPEND PROPERTY RW_PATTERN_FILES "${source}")
    set(form cpp)
    if(source IN_LIST data)
      set(form data)
    endif()
    # The depfile must name the outputs in this order: ninja looks for the first.
    add_custom_command(
      OUTPUT "${out}/${path}.h" "${out}/${path}.cpp"
      COMMAND rw::rwc "${source}" -o "${folder}" ${flags} --form=${form} --depfile "${out}/${path}.d"
        --compiled-files "${CMAKE_BINARY_DIR}/rw_pattern_files.txt"
      DEPENDS "${source}" rw::rwc
      DEPFILE "${out}/${path}.d"
      COMMENT "rwc ${path}" VERBATIM)
    list(APPEND units "${out}/${path}.cpp")
    list(APPEND header_files "${out}/${path}.h")
    list(APPEND headers "${path}.h")
  endforeach()

  add_custom_command(
    OUTPUT "${out}/${target}_register.h" "${out}/${target}_register.cpp"
    COMMAND "${CMAKE_COMMAND}" "-DHEADERS=${headers}" "-DROOT=${out}" "-DTARGET=${target}"
      "-DNAMESPACE=${ARG_NAMESPACE}" "-DOUT=${out}" -P "${RW_REGISTER_SCRIPT}"
    DEPENDS ${header_files} "${RW_REGISTER_SCRIPT}"
    COMMENT "Registration of ${target}" VERBATIM)

  set(uses rw::runtime)
  if(data)
    list(APPEND uses rw::machine)
  endif()
  # Code generated from files that import the built-in dialects includes their generated headers.
  if(builtin)
    list(APPEND uses rw::builtin)
  endif()
  set(units ${units} "${out}/${target}_register.cpp" ${header_files})
  if(ARG_PLUGIN)
    rw_plugin_library()
  else()
    add_library(${target} STATIC ${units})
    target_link_libraries(${target} PUBLIC ${uses})
  endif()
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${out}>")
  if(ARG_TESTS AND ARG_PLUGIN)
    add_test(NAME ${target}.tests COMMAND rw::rw-opt --plugin "$<TARGET_FILE:${target}>" --test)
  elseif(ARG_TESTS)
    set(includes "#include \"${target}_register.h\"\n")
    if(builtin)
      string(APPEND includes "#include \"rw/builtin.h\"\n")
      set(calls "  rw::registerAll(registry);\n")
    else()
      string(APPEND includes "#include \"rw/infer/infer_shapes.h\"\n")
      set(calls "  rw::registerCorePasses(registry);\n  rw::registerInferencePasses(registry);\n")
    endif()
    file(CONFIGURE OUTPUT "${out}/${target}_tests.cpp" @ONLY CONTENT
"// Generated: runs the tests of the .rw files of ${target}.
${includes}#include \"rw/testing/run_tests.h\"

int main(int argc, char **argv) {
  rw::Registry registry;
${calls}  size_t first = registry.tests().size();
  ${ARG_NAMESPACE}::register_${target}(registry);
  return rw::runTests(registry, argc > 1 ? argv[1] : \"*\", first);
}
")
    add_executable(${target}_tests "${out}/${target}_tests.cpp")
    target_link_libraries(${target}_tests PRIVATE ${target} rw::opt)
    add_test(NAME ${target}.tests COMMAND ${target}_tests)
  endif()
endfunction()
