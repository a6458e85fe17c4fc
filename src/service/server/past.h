// Past: what happened so far, read back: the brain as it was left, the settings in force, and the names behind its
// numbers. A server reads it when it starts; one that stands by reads on as the journal grows, so that little is left
// to read when it leads.
//
// A line of the journal is a turn: events that were stepped together. One without events tells the settings in force
// from there on, and a snapshot tells those it was made under: a journal means what it meant only under its own, on
// whatever host it is read. Stores of earlier versions tell none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "core/control/core.h"
#include "service/server/names.h"
#include "service/store/store.h"

namespace sy::server {

struct Turn {
    Instant at;
    std::vector<Event> events;

    static constexpr auto fields() { return std::tuple{&Turn::at, &Turn::events}; }
};

std::string line_of(const Turn& turn);
/// From that instant on.
std::string line_of(const control::Settings& in_force, Instant from);
std::string snapshot_of(const control::Core& core, const control::Settings& in_force);

class Past {
public:
    /// `untold`: the settings of a store that does not tell them.
    explicit Past(const control::Settings& untold) : settings_(untold), core_(untold) {}
    /// All that the store has.
    static Result<Past> read(store::Store& store, const control::Settings& untold);

    /// Before anything else.
    Result<void> take_up(const store::Recovered& recovered);
    Result<void> add(const std::vector<std::string>& lines);
    void add_names(std::vector<std::string> names);

    const control::Settings& settings() const { return settings_; }
    /// Whether the store told them.
    bool tells_settings() const { return told_; }
    /// Whether a task runs on another machine, as far as is known.
    bool runs_elsewhere() const;
    /// Since the snapshot.
    std::uint64_t events() const { return events_; }
    std::size_t name_count() const { return names_.size(); }

    control::Core take_core() { return std::move(core_); }
    Names take_names() { return Names(std::move(names_)); }

private:
    Result<void> add(std::string_view line);
    Result<void> come_into_force(std::string_view text);

    control::Settings settings_;
    bool told_ = false;
    control::Core core_;
    std::vector<std::string> names_;
    std::uint64_t events_ = 0;
};

}  // namespace sy::server
