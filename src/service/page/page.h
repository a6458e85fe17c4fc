// Page: the page for people, out of the binary. Files are kept and sent compressed; every browser takes that. They may
// be seen without a token: there is nothing in them but the program, and what it shows it must ask for.
#pragma once

#include <string_view>

#include "service/http/message.h"
#include "service/page/embedded.h"

namespace sy::page {

/// "/" is the page itself. Null: there is no such file.
const Embedded* find(std::string_view path);

/// The file; 304 where the client has it already, 404 where there is none.
http::Response answer(const http::Request& request);

}  // namespace sy::page
