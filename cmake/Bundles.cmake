# Bundles: about a dozen sources of a target compiled as one, since most of a compiler's time goes into the headers of
# libraries. The sources are dealt out like cards, in the order of their names, so that files of one folder, which may well
# call something of their own by the same name, are far apart. Where two still clash, one of them takes a better name; on that
# tools/tidy relies as well. Where one file is changed again and again, the preset `dev` compiles each by itself.
option(SWITCHYARD_BUNDLES "Compile several sources at once: quicker from nothing, slower after a small change" ON)

function(switchyard_bundle target)
    if(NOT SWITCHYARD_BUNDLES)
        return()
    endif()
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.cc$")
    list(FILTER sources EXCLUDE REGEX "/generated/")
    list(SORT sources)
    list(LENGTH sources count)
    math(EXPR bundles "(${count} + 11) / 12")
    set(dealt 0)
    foreach(source IN LISTS sources)
        math(EXPR bundle "${dealt} % ${bundles}")
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${bundle})
        math(EXPR dealt "${dealt} + 1")
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
