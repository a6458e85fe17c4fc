# Turns files into a .cc that holds them, compressed: cmake -DFILES=a;b -DOUT=x.cc -P embed.cmake
# Each becomes {path, tag of its content, bytes}; see src/service/page/page.h.
set(arrays "")
set(rows "")
set(number 0)
foreach(file IN LISTS FILES)
    get_filename_component(name ${file} NAME)
    file(SHA256 ${file} digest)
    string(SUBSTRING ${digest} 0 16 tag)
    set(packed ${OUT}.${name}.gz)
    # -n: neither name nor time go in, so that the same file always gives the same bytes.
    execute_process(COMMAND gzip -9 -n -c ${file} OUTPUT_FILE ${packed} COMMAND_ERROR_IS_FATAL ANY)
    file(READ ${packed} hex HEX)
    file(REMOVE ${packed})
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
    string(APPEND arrays "const unsigned char kFile${number}[] = {${bytes}};\n")
    string(APPEND rows "    {\"/${name}\", \"\\\"${tag}\\\"\", text_of(kFile${number})},\n")
    math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUT} "// Made from page/dist by cmake/embed.cmake.
#include \"service/page/embedded.h\"

#include <cstddef>

namespace sy::page {

namespace {

${arrays}
template <std::size_t size>
std::string_view text_of(const unsigned char (&bytes)[size]) {
    return {reinterpret_cast<const char*>(bytes), size};
}

const Embedded kFiles[] = {
${rows}};

}  // namespace

std::span<const Embedded> embedded() {
    return kFiles;
}

}  // namespace sy::page
")
