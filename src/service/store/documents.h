// Documents: texts that the service keeps beside the journal, each under a name like "runs/3/order.json": runs,
// pipelines. Few, and seldom written; each is there as a whole or not at all.
//
// In the folder of the server, or in Redis, where the next leader finds them on its own host.
//
// One thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "service/store/redis_place.h"
#include "service/store/redis_scripts.h"

namespace sy::store {

class Documents {
public:
    virtual ~Documents() = default;

    /// As durable as what the store commits when it returns.
    virtual Result<void> write(const std::string& name, const std::string& text) = 0;
    virtual Result<std::optional<std::string>> read(const std::string& name) = 0;
    /// Of all whose names begin so, which is a folder's name with its slash; sorted.
    virtual Result<std::vector<std::string>> names(const std::string& beginning) = 0;
};

std::unique_ptr<Documents> documents_in(std::string folder);
/// Of the server that leads with that term; when it is deposed, it can only read.
Result<std::unique_ptr<Documents>> documents_in(const RedisPlace& place, Term term);

}  // namespace sy::store
