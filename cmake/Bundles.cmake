# Bundles: several sources compiled as one, since most of a compiler's time goes into the headers of libraries. Bundle n of
# a target has the n-th source of each of its folders: what stands in different folders has different names, on which
# tools/tidy relies as well. Where one file is changed again and again, the preset `dev` compiles each by itself.
option(SWITCHYARD_BUNDLES "Compile several sources at once: quicker from nothing, slower after a small change" ON)

function(switchyard_bundle target)
    if(NOT SWITCHYARD_BUNDLES)
        return()
    endif()
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
        if(source MATCHES "\\.cc$" AND NOT source MATCHES "/generated/")
            cmake_path(GET source PARENT_PATH folder)
            string(MAKE_C_IDENTIFIER "files_${folder}" files)
            if(NOT DEFINED ${files})
                set(${files} 0)
            endif()
            math(EXPR ${files} "${${files}} + 1")
            set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${${files}}")
        endif()
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# The headers of libraries that most sources of a target include, read once. Under the same option, so that the preset `dev` notices where
# a source does not include what it uses.
function(switchyard_precompile target)
    if(SWITCHYARD_BUNDLES)
        target_precompile_headers(${target} PRIVATE ${ARGN})
    endif()
endfunction()
