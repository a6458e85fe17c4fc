#include "service/openai/files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "service/openai/ids.h"
#include "service/store/whole_file.h"

namespace sy::openai {

namespace {

namespace fs = std::filesystem;

Result<std::string> read_whole(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    if (file) text << file.rdbuf();
    if (!file) return fail(Fault::failed, fmt::format("{} cannot be read", path));
    return text.str();
}

std::optional<File> read_file(const Json& json) {
    try {
        return File{.id = json.at("id").get<std::string>(),
                    .name = json.at("filename").get<std::string>(),
                    .purpose = json.at("purpose").get<std::string>(),
                    .bytes = json.at("bytes").get<std::uint64_t>(),
                    .created = json.at("created_at").get<std::int64_t>()};
    } catch (const Json::exception&) {
        return std::nullopt;
    }
}

}  // namespace

Json to_json(const File& file) {
    return {{"id", file.id},         {"object", "file"},        {"bytes", file.bytes},  {"created_at", file.created},
            {"filename", file.name}, {"purpose", file.purpose}, {"status", "processed"}};
}

Result<void> Files::open() {
    std::error_code trouble;
    fs::create_directories(folder_, trouble);
    if (trouble) return fail(Fault::failed, fmt::format("{} cannot be made: {}", folder_, trouble.message()));
    std::vector<fs::path> others;
    for (const auto& entry : fs::directory_iterator(folder_, trouble)) {
        if (entry.path().extension() != ".json") {
            others.push_back(entry.path());
            continue;
        }
        const auto text = read_whole(entry.path().string());
        const auto file = text ? read_file(Json::parse(*text, nullptr, false)) : std::nullopt;
        if (file) files_.emplace(file->id, *file);
    }
    for (const fs::path& path : others)
        if (!files_.contains(path.stem().string())) fs::remove(path, trouble);
    return {};
}

Result<File> Files::add(File file, std::string_view content) {
    if (files_.size() >= kMost)
        return fail(Fault::failed, fmt::format("there are {} files, the limit", kMost), "delete some");
    file.id = new_id("file-");
    file.bytes = content.size();
    if (auto written = store::write_whole(path_of(file.id), content); !written) return tl::unexpected(written.error());
    if (auto adopted = adopt(file); !adopted) return tl::unexpected(adopted.error());
    return file;
}

Result<void> Files::adopt(const File& file) {
    const std::string said = to_json(file).dump(-1, ' ', false, Json::error_handler_t::replace);
    if (auto written = store::write_whole(folder_ + "/" + file.id + ".json", said + "\n"); !written) return written;
    files_.insert_or_assign(file.id, file);
    return {};
}

const File* Files::find(const std::string& id) const {
    const auto found = files_.find(id);
    return found == files_.end() ? nullptr : &found->second;
}

Result<std::string> Files::content(const std::string& id) const {
    if (find(id) == nullptr) return fail(Fault::invalid_input, fmt::format("there is no file '{}'", id));
    return read_whole(path_of(id));
}

Result<void> Files::remove(const std::string& id) {
    if (find(id) == nullptr) return fail(Fault::invalid_input, fmt::format("there is no file '{}'", id));
    std::error_code trouble;
    fs::remove(folder_ + "/" + id + ".json", trouble);  // from now on it is none
    if (trouble) return fail(Fault::failed, fmt::format("{} cannot be removed: {}", id, trouble.message()));
    fs::remove(path_of(id), trouble);
    files_.erase(id);
    return {};
}

std::vector<const File*> Files::all() const {
    std::vector<const File*> files;
    for (const auto& [id, file] : files_) files.push_back(&file);
    std::sort(files.begin(), files.end(),
              [](const File* a, const File* b) { return std::tie(b->created, b->id) < std::tie(a->created, a->id); });
    return files;
}

}  // namespace sy::openai
