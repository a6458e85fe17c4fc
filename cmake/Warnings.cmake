# Warnings are errors. Headers of libraries are system headers and do not count. Missing initializers are meant: members
# have defaults, and designated initializers name the others.
add_compile_options(
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor
    -Woverloaded-virtual -Wdouble-promotion -Wimplicit-fallthrough -Wundef -Wno-missing-field-initializers -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-Wduplicated-cond -Wduplicated-branches -Wlogical-op -Wuseless-cast)
endif()
# g++ 12 sees uninitialised values inside std::optional and under the sanitizers where there are none; clang and the
# sanitizers themselves look for the real ones.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-Wno-maybe-uninitialized)
endif()
