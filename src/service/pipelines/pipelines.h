// Pipelines: the models that are served by nodes of other hosts, by their names. Which there are is kept in a file; who
// serves them is for the nodes to say (served.h).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "service/loop/loop.h"
#include "service/pipelines/served.h"
#include "service/store/documents.h"

namespace sy::pipelines {

class Pipelines {
public:
    struct World {
        loop::Loop& loop;
        std::function<std::int64_t()> wall;  ///< Milliseconds since 1970: numbers of requests never come twice.
        Served::Say say;
    };

    /// `documents` outlives it.
    Pipelines(store::Documents& documents, World world) : documents_(documents), world_(std::move(world)) {}

    /// Reads which there are. An error where the file is there and cannot be used.
    Result<void> open();
    /// As text, so that what is wrong can be pointed at. An error where the name is taken or the disk says no.
    Result<Json> add(const std::string& order);
    /// Whether there was one. An error where the disk says no.
    Result<bool> remove(const std::string& name);
    Served* find(const std::string& name);
    Json list() const;
    /// Of so many at most, by name. Valid until one of them is spoken to.
    std::vector<Figures> figures(std::size_t most) const;

    Instant now() const { return loop::Loop::now(); }
    /// Lets those go on whose time has come, and sees to it that the loop turns when the next one's does.
    void advance();

private:
    struct Entry {
        Json order;
        std::unique_ptr<Served> served;
    };

    Result<Entry> made_of(const std::string& order) const;
    Result<void> write() const;
    Instant next_due() const;

    store::Documents& documents_;
    World world_;
    std::map<std::string, Entry> entries_;
    std::optional<loop::Loop::Timer> timer_;  ///< When one of them wants to go on.
};

}  // namespace sy::pipelines
