# What `cmake --install` leaves: programs, the runtime's libraries and headers, the built-in patterns (compiled, their
# generated headers, and the .rw files for import), and the files behind find_package(rw CONFIG).
#
# Targets for users: rw::runtime, rw::builtin, rw::machine, rw::load, rw::plugin, rw::onnx (where built), rw::rwc, rw::rw-opt, and each part as rw::ir, rw::rewrite, …
if(NOT TARGET rwc OR NOT TARGET rw-opt)
  return()
endif()
include(CMakePackageConfigHelpers)

set(rw_parts support ir rewrite trace builder passes interp testing infer onnx_infer convert optimize exec plugin stablehlo jaxpr opt runtime builtin)
if(TARGET rw_onnx)
  list(APPEND rw_parts onnx)
endif()
set(rw_installed)
foreach(part IN LISTS rw_parts)
  set_target_properties(rw_${part} PROPERTIES EXPORT_NAME ${part})
  list(APPEND rw_installed rw_${part})
endforeach()

# rw::machine, which runs patterns that are data; rw::load, which reads .rw files, and what of the compiler that is made of.
foreach(part machine load)
  set_target_properties(rw_${part} PROPERTIES EXPORT_NAME ${part})
  list(APPEND rw_installed rw_${part})
endforeach()
foreach(part ast parse antlr sema check plan interpret)
  set_target_properties(rwc_${part} PROPERTIES EXPORT_NAME compiler_${part})
  list(APPEND rw_installed rwc_${part})
endforeach()

set(config_dir lib/cmake/rw)
install(TARGETS ${rw_installed} rwc rw-opt rw-lsp EXPORT rwTargets)
install(EXPORT rwTargets NAMESPACE rw:: DESTINATION ${config_dir})
install(DIRECTORY "${PROJECT_SOURCE_DIR}/runtime/rw" "${RW_PATTERNS_DIR}/include/rw" DESTINATION include FILES_MATCHING PATTERN "*.h" PATTERN "handles.h" EXCLUDE PATTERN "attr_json.h" EXCLUDE PATTERN "failure.h" EXCLUDE PATTERN "json.h" EXCLUDE)
foreach(folder man/man1 bash-completion/completions zsh/site-functions)
  install(DIRECTORY "${CMAKE_BINARY_DIR}/share/${folder}/" DESTINATION "share/${folder}")
endforeach()
install(TARGETS rw_c rwc-verify)
if(TARGET rw_http_module)
  install(TARGETS rw_http_module LIBRARY DESTINATION lib/rw)
  install(TARGETS rw-serve)
endif()
install(FILES "${CMAKE_BINARY_DIR}/abi/rw/plugin/abi_stamp.h" DESTINATION include/rw/plugin)
install(DIRECTORY "${CMAKE_BINARY_DIR}/patterns/rw_builtin.gen/" DESTINATION include/rw-patterns FILES_MATCHING PATTERN "*.h")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/editor/vim" "${PROJECT_SOURCE_DIR}/editor/emacs" "${PROJECT_SOURCE_DIR}/editor/vscode" DESTINATION share/rw/editor
  PATTERN node_modules EXCLUDE PATTERN "*.vsix" EXCLUDE PATTERN ".gitignore" EXCLUDE PATTERN pack EXCLUDE)
install(DIRECTORY "${RW_PATTERNS_DIR}/" DESTINATION share/rw/patterns FILES_MATCHING PATTERN "*.rw")

# In the build folder it lies where an installed one does, and nowhere else: find_package looks at the top first.
set(built_config "${CMAKE_BINARY_DIR}/${config_dir}")
file(REMOVE "${CMAKE_BINARY_DIR}/rwConfig.cmake" "${CMAKE_BINARY_DIR}/rwConfigVersion.cmake")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/rwConfig.cmake.in" "${built_config}/rwConfig.cmake"
  INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file("${built_config}/rwConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
set(config_modules cmake/RwMissing.cmake cmake/RwFindLLVM.cmake cmake/RwFindANTLR.cmake cmake/RwFindONNX.cmake cmake/RwAddPatterns.cmake cmake/RwRegister.cmake)
install(FILES "${built_config}/rwConfig.cmake" "${built_config}/rwConfigVersion.cmake" ${config_modules} DESTINATION ${config_dir})

# The build folder looks like an installed tree, so that its rwc can run tests (`rwc --test`) without installing.
export(EXPORT rwTargets NAMESPACE rw:: FILE "${built_config}/rwTargets.cmake")
file(COPY ${config_modules} DESTINATION "${built_config}")
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/share/rw")
file(CREATE_LINK "${RW_PATTERNS_DIR}" "${CMAKE_BINARY_DIR}/share/rw/patterns" SYMBOLIC)
