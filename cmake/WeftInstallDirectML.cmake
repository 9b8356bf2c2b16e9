# Installs the DirectML API: headers, the three libraries in a folder of their own (they have the
# names of Microsoft's, and must shadow nobody's unasked), a CMake package component, a pkg-config
# file, and a folder in the shape of Microsoft's NuGet package for build systems that expect one.
set(WEFT_DIRECTML_LIBDIR ${CMAKE_INSTALL_LIBDIR}/weft)

set_target_properties(weft_directml PROPERTIES EXPORT_NAME directml)
set_target_properties(weft_d3d12 PROPERTIES EXPORT_NAME d3d12)
set_target_properties(weft_dxcore PROPERTIES EXPORT_NAME dxcore)
set_target_properties(weft_directml weft_d3d12 weft_dxcore PROPERTIES INSTALL_RPATH "$ORIGIN/..")
install(TARGETS weft_directml weft_d3d12 weft_dxcore EXPORT WeftDirectMLTargets
  LIBRARY DESTINATION ${WEFT_DIRECTML_LIBDIR})
install(EXPORT WeftDirectMLTargets NAMESPACE Weft::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Weft)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/directml
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/WeftDirectML.cmake.in
  ${PROJECT_BINARY_DIR}/WeftDirectML.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Weft
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
install(FILES ${PROJECT_BINARY_DIR}/WeftDirectML.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Weft)
# Its prefix is that of weft.pc.
configure_file(${PROJECT_SOURCE_DIR}/cmake/weft-directml.pc.in
  ${PROJECT_BINARY_DIR}/weft-directml.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/weft-directml.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# share/weft/nuget/{include,bin/x64-linux}: links to the above.
set(nuget ${CMAKE_INSTALL_DATADIR}/weft/nuget)
file(RELATIVE_PATH to_include ${CMAKE_INSTALL_PREFIX}/${nuget}
  ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/directml)
file(RELATIVE_PATH to_libraries ${CMAKE_INSTALL_PREFIX}/${nuget}/bin
  ${CMAKE_INSTALL_PREFIX}/${WEFT_DIRECTML_LIBDIR})
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/nuget/bin)
file(CREATE_LINK ${to_include} ${PROJECT_BINARY_DIR}/nuget/include SYMBOLIC)
file(CREATE_LINK ${to_libraries} ${PROJECT_BINARY_DIR}/nuget/bin/x64-linux SYMBOLIC)
install(DIRECTORY ${PROJECT_BINARY_DIR}/nuget/ DESTINATION ${nuget})
