# Warnings are errors. Headers of libraries are system headers and do not count. Missing initializers are meant: members
# have defaults, and designated initializers name the others.
add_compile_options(
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor
    -Woverloaded-virtual -Wdouble-promotion -Wimplicit-fallthrough -Wundef -Wno-missing-field-initializers -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-Wduplicated-cond -Wduplicated-branches -Wlogical-op -Wuseless-cast)
endif()
# The sanitizers' own code makes g++ see uninitialised values where there are none.
if(SWITCHYARD_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-Wno-maybe-uninitialized)
endif()
