#include "service/store/documents.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "service/store/whole_file.h"

namespace sy::store {

namespace {

namespace fs = std::filesystem;

class FolderDocuments final : public Documents {
public:
    explicit FolderDocuments(std::string folder) : folder_(std::move(folder)) {}

    Result<void> write(const std::string& name, const std::string& text) override {
        std::error_code trouble;
        fs::create_directories(fs::path(path_of(name)).parent_path(), trouble);
        if (trouble) return fail(Fault::failed, fmt::format("{} cannot be made: {}", path_of(name), trouble.message()));
        return write_whole(path_of(name), text);
    }

    Result<std::optional<std::string>> read(const std::string& name) override {
        std::ifstream file(path_of(name), std::ios::binary);
        if (!file) return std::nullopt;
        std::stringstream text;
        text << file.rdbuf();
        return std::move(text).str();
    }

    Result<std::vector<std::string>> names(const std::string& beginning) override {
        std::vector<std::string> found;
        std::error_code trouble;
        for (const auto& entry : fs::recursive_directory_iterator(path_of(beginning), trouble))
            if (entry.is_regular_file(trouble)) found.push_back(fs::relative(entry.path(), folder_, trouble).string());
        std::sort(found.begin(), found.end());
        return found;
    }

private:
    std::string path_of(const std::string& name) const { return folder_ + "/" + name; }

    std::string folder_;
};

/// The service waits meanwhile.
constexpr redis::Patience kShort{.connect = 1s, .answer = 2s, .again = 2s};

class RedisDocuments final : public Documents {
public:
    RedisDocuments(const RedisPlace& place, Term term, redis::Connection connection, Scripts scripts)
        : keys_(place.prefix), term_(term), connection_(std::move(connection)), scripts_(std::move(scripts)) {}

    Result<void> write(const std::string& name, const std::string& text) override {
        redis::Command command = scripts_.call(Script::keep_document, 3);
        command.add(keys_.meta).add(keys_.fence).add(keys_.documents).add(term_.value()).add(name).add(text);
        auto reply = connection_.ask_again(command);
        if (!reply && connection_.trouble() == redis::Trouble::no_script) {
            if (const auto loaded = Scripts::load(connection_); !loaded) return tl::unexpected(loaded.error());
            reply = connection_.ask_again(command);
        }
        if (!reply) return tl::unexpected(reply.error());
        switch (verdict_in(*reply).kind) {
            case Verdict::Kind::done: return {};
            case Verdict::Kind::behind:
                return fail(Fault::unreachable, fmt::format("{}: Redis has forgotten who leads", name),
                            "try again: it is being told");
            case Verdict::Kind::deposed:
            case Verdict::Kind::unfinished:
            case Verdict::Kind::other: break;
        }
        return fail(Fault::failed, fmt::format("{} was not kept: another server leads now", name));
    }

    Result<std::optional<std::string>> read(const std::string& name) override {
        const auto reply = connection_.ask_again(redis::Command("HGET", keys_.documents, name));
        if (!reply) return tl::unexpected(reply.error());
        if (reply->is_nothing()) return std::nullopt;
        return std::string(reply->text());
    }

    Result<std::vector<std::string>> names(const std::string& beginning) override {
        const auto reply = connection_.ask_again(redis::Command("HKEYS", keys_.documents));
        if (!reply) return tl::unexpected(reply.error());
        std::vector<std::string> found;
        for (std::size_t i = 0; i < reply->size(); ++i)
            if ((*reply)[i].text().starts_with(beginning)) found.emplace_back((*reply)[i].text());
        std::sort(found.begin(), found.end());
        return found;
    }

private:
    RedisKeys keys_;
    Term term_;
    redis::Connection connection_;
    Scripts scripts_;
};

}  // namespace

std::unique_ptr<Documents> documents_in(std::string folder) {
    return std::make_unique<FolderDocuments>(std::move(folder));
}

Result<std::unique_ptr<Documents>> documents_in(const RedisPlace& place, Term term) {
    auto connection = redis::Connection::open(place.address, kShort);
    if (!connection) return tl::unexpected(connection.error());
    auto scripts = Scripts::load(*connection);
    if (!scripts) return tl::unexpected(scripts.error());
    return std::make_unique<RedisDocuments>(place, term, std::move(*connection), std::move(*scripts));
}

}  // namespace sy::store
