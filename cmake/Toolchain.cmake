# The language, and the tools that make builds quick where they are present.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

find_program(CCACHE ccache)
if(CCACHE)
    # Precompiled headers are named by their contents in the cache, so that looking inside them is not needed.
    set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
    add_link_options(-fuse-ld=mold)
endif()

if(SWITCHYARD_SANITIZE)
    add_compile_options(-fsanitize=${SWITCHYARD_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${SWITCHYARD_SANITIZE})
    if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)  # a function found by dlsym has the library's types, not ours
        add_compile_options(-fno-sanitize=function)
    endif()
endif()

# fmt is compiled by us (base/fmt.cc): Debian has no static library of it, and the binary should run on a machine
# without it.
find_package(fmt REQUIRED)
find_package(Threads REQUIRED)
find_package(tl-expected REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)

# yaml-cpp from its static library, for the same reason.
find_path(YAML_INCLUDE yaml-cpp/yaml.h REQUIRED)
find_library(YAML_ARCHIVE libyaml-cpp.a REQUIRED)
add_library(yaml_static INTERFACE)
target_include_directories(yaml_static SYSTEM INTERFACE ${YAML_INCLUDE})
target_link_libraries(yaml_static INTERFACE ${YAML_ARCHIVE})

# SQLite from its static library too.
find_path(SQLITE_INCLUDE sqlite3.h REQUIRED)
find_library(SQLITE_ARCHIVE libsqlite3.a REQUIRED)
add_library(sqlite_static INTERFACE)
target_include_directories(sqlite_static SYSTEM INTERFACE ${SQLITE_INCLUDE})
target_link_libraries(sqlite_static INTERFACE ${SQLITE_ARCHIVE} m)

# hiredis from its static library too.
find_path(HIREDIS_INCLUDE hiredis/hiredis.h REQUIRED)
find_library(HIREDIS_ARCHIVE libhiredis.a REQUIRED)
add_library(hiredis_static INTERFACE)
target_include_directories(hiredis_static SYSTEM INTERFACE ${HIREDIS_INCLUDE})
target_link_libraries(hiredis_static INTERFACE ${HIREDIS_ARCHIVE})

# OpenSSL from the system, which keeps it up to date; linked in, it would almost double the binary.
find_package(OpenSSL 3 REQUIRED COMPONENTS Crypto SSL)

# XGBoost by hand: the package's own CMake file names a program that Debian does not ship. There is no static library.
find_path(XGBOOST_INCLUDE xgboost/c_api.h REQUIRED)
find_library(XGBOOST_LIBRARY xgboost REQUIRED)
add_library(xgboost_shared INTERFACE)
target_include_directories(xgboost_shared SYSTEM INTERFACE ${XGBOOST_INCLUDE})
target_link_libraries(xgboost_shared INTERFACE ${XGBOOST_LIBRARY})
# CBC as Debian has it. Its static libraries would still ask for LAPACK's, which need a Fortran compiler to link.
find_path(CBC_INCLUDE coin/Cbc_C_Interface.h REQUIRED)
find_library(CBC_LIBRARY CbcSolver REQUIRED)
add_library(cbc_shared INTERFACE)
target_include_directories(cbc_shared SYSTEM INTERFACE ${CBC_INCLUDE})
target_link_libraries(cbc_shared INTERFACE ${CBC_LIBRARY})
