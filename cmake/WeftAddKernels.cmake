# weft_add_kernels(<level> [compiler flags...] [SOURCES files...])
#
# Compiles every kernel source (WEFT_KERNEL_SOURCES, set in src/CMakeLists.txt), or those given, for
# one instruction set. Code in them stands in namespace weft::kernels::WEFT_ISA, so that the tables in
# *_table.cpp can name each level's functions; WEFT_HAVE_<level> tells them which were built.
function(weft_add_kernels level)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" SOURCES)
  if(NOT arg_SOURCES)
    set(arg_SOURCES ${WEFT_KERNEL_SOURCES})
  endif()
  set(target weft_kernels_${level})
  add_library(${target} OBJECT ${arg_SOURCES})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  # -O3 in every build type but Debug: the base level relies on it to turn Highway's one-lane code
  # into SSE2. For the sanitizers no loop is unrolled: with their checks between, gcc took 80 seconds
  # for a file that takes 8 so.
  # -ffp-contract=off: a fused multiply-add only where the source says so. Nobody reads
  # floating-point flags or errno, and without them selects become vector blends.
  set(fast $<$<NOT:$<CONFIG:Debug>>:-O3>)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    set(fast $<$<CXX_COMPILER_ID:GNU>:-fno-tree-loop-optimize>)
  endif()
  target_compile_options(${target} PRIVATE ${arg_UNPARSED_ARGUMENTS} -fno-exceptions -ffp-contract=off
    -fno-trapping-math -fno-math-errno ${fast})
  target_compile_definitions(${target} PRIVATE WEFT_ISA=${level} HWY_DISABLE_PCLMUL_AES)
  if(level STREQUAL base AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_definitions(${target} PRIVATE HWY_COMPILE_ONLY_SCALAR)
  else()
    target_compile_definitions(${target} PRIVATE HWY_COMPILE_ONLY_STATIC)
  endif()
  target_link_libraries(${target} PRIVATE weft_flags weft_levels)
  target_sources(weft_objects INTERFACE $<TARGET_OBJECTS:${target}>)
  target_compile_definitions(weft_levels INTERFACE WEFT_HAVE_${level})
endfunction()
