// Files: what clients sent for batches, and what batches made for them. Each is two files in a folder of the service:
// its bytes, and a small document that says what they are, written last. So a file is there as a whole or not at all,
// and one that was answered for survives any crash.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "service/openai/error.h"
#include "service/server/record.h"

namespace sy::openai {

struct File {
    std::string id;
    std::string name;
    std::string purpose;
    std::uint64_t bytes = 0;
    std::int64_t created = 0;  ///< Seconds since 1970.
};
Json to_json(const File& file);

class Files {
public:
    static constexpr std::size_t kMost = 100'000;

    explicit Files(std::string folder) : folder_(std::move(folder)) {}

    /// Finds what earlier lives left, and removes what they did not finish.
    Result<void> open();

    /// Id and size are seen to.
    Result<File> add(File file, std::string_view content);
    /// Where the bytes of a file are to be put by whoever makes it.
    std::string path_of(const std::string& id) const { return folder_ + "/" + id + ".data"; }
    /// The bytes are there. Said again of the same id, it changes nothing.
    Result<void> adopt(const File& file);

    const File* find(const std::string& id) const;
    Result<std::string> content(const std::string& id) const;
    Result<void> remove(const std::string& id);
    /// The latest first.
    std::vector<const File*> all() const;

private:
    std::string folder_;
    std::map<std::string, File> files_;
};

}  // namespace sy::openai
