// Files, as clients send and fetch them.
#include <algorithm>

#include <fmt/format.h>

#include "service/openai/front.h"
#include "service/openai/multipart.h"
#include "service/openai/page.h"
#include "service/server/json_answer.h"

namespace sy::openai {

namespace {

constexpr std::size_t kLongestName = 255;

http::Response no_file(const std::string& id) {
    return error_response({404, fmt::format("there is no file '{}'", id), "id", "file_not_found"});
}

}  // namespace

http::Response Front::add_file(const http::Request& request) {
    const auto parts = read_form(request.header("content-type"), request.body);
    if (!parts)
        return error_response({400, "the body must be multipart/form-data with the parts 'file' and 'purpose'"});
    const auto named = [&parts](const char* name) {
        return std::find_if(parts->begin(), parts->end(), [name](const Part& part) { return part.name == name; });
    };
    const auto file = named("file");
    const auto purpose = named("purpose");
    if (file == parts->end()) return error_response({400, "the part 'file' is missing", "file", "missing_parameter"});
    if (purpose == parts->end() || purpose->content != "batch")
        return error_response({400, "'purpose' must be batch", "purpose", "invalid_value"});
    File wanted{
        .id = {}, .name = file->filename.substr(0, kLongestName), .purpose = "batch", .created = wall_() / 1000};
    const auto kept = files_.add(std::move(wanted), file->content);
    if (!kept) return error_response({507, kept.error().message});
    auto response = server::json_response(200, to_json(*kept));
    response.note = kept->id;
    return response;
}

http::Response Front::list_files(const http::Request& request) const {
    std::vector<const File*> files = files_.all();
    if (const auto purpose = request.query.find("purpose"); purpose != request.query.end())
        std::erase_if(files, [&](const File* file) { return file->purpose != purpose->second; });
    if (const auto order = request.query.find("order"); order != request.query.end() && order->second == "asc")
        std::reverse(files.begin(), files.end());
    return server::json_response(200, page_of(files, request, 10'000, 10'000));
}

http::Response Front::show_file(const std::string& id) const {
    const File* file = files_.find(id);
    return file == nullptr ? no_file(id) : server::json_response(200, to_json(*file));
}

http::Response Front::file_content(const std::string& id) const {
    if (files_.find(id) == nullptr) return no_file(id);
    auto content = files_.content(id);
    if (!content) return error_response({500, content.error().message});
    return {200, std::move(*content), "application/octet-stream", {}};
}

http::Response Front::remove_file(const std::string& id) {
    if (files_.find(id) == nullptr) return no_file(id);
    if (const auto removed = files_.remove(id); !removed) return error_response({500, removed.error().message});
    auto response = server::json_response(200, Json{{"id", id}, {"object", "file"}, {"deleted", true}});
    response.note = id;
    return response;
}

}  // namespace sy::openai
