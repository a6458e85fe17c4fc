# Turns a text into a .cc that holds it as it is: cmake -DFILE=x.js -DOUT=x.cc -DHEADER=x.h -DFUNCTION=sy::output::x -P …
file(READ ${FILE} hex HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
get_filename_component(name ${FILE} NAME)
file(WRITE ${OUT} "// Made from ${name} by cmake/embed_text.cmake.
#include \"${HEADER}\"

namespace {

const unsigned char kText[] = {${bytes}};

}  // namespace

std::string_view ${FUNCTION}() {
    return {reinterpret_cast<const char*>(kText), sizeof kText};
}
")
