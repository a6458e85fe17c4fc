#include "service/server/past.h"

#include <iterator>
#include <utility>

#include "base/codec.h"
#include "service/server/in_force.h"

namespace sy::server {

namespace {

/// Where a snapshot of the brain has its version, which is never 0.
constexpr char kSettingsFirst = '\0';

tl::unexpected<Error> unreadable(const char* what) {
    return fail(Fault::failed, std::string("the ") + what + " holds what this version cannot read",
                "use the version that wrote it");
}

}  // namespace

std::string line_of(const Turn& turn) {
    return encode(turn);
}

std::string line_of(const control::Settings& in_force, Instant from) {
    return encode(Turn{from, {}}) + text_of(in_force);
}

std::string snapshot_of(const control::Core& core, const control::Settings& in_force) {
    ByteWriter writer;
    writer.put(text_of(in_force));
    return kSettingsFirst + writer.take() + core.snapshot();
}

Result<Past> Past::read(store::Store& store, const control::Settings& untold) {
    const auto recovered = store.recover();
    if (!recovered) return tl::unexpected(recovered.error());
    Past past(untold);
    if (const auto taken = past.take_up(*recovered); !taken) return tl::unexpected(taken.error());
    return past;
}

Result<void> Past::take_up(const store::Recovered& recovered) {
    std::string_view state = recovered.snapshot;
    if (state.starts_with(kSettingsFirst)) {
        ByteReader reader(state.substr(1));
        std::string text;
        reader.get(text);
        auto settings = settings_in(text);
        if (!reader.ok() || !settings) return unreadable("snapshot");
        settings_ = std::move(*settings);
        told_ = true;
        state.remove_prefix(state.size() - reader.left());
    }
    if (!state.empty()) {
        auto restored = control::Core::restore(state, settings_);
        if (!restored) return tl::unexpected(restored.error());
        core_ = std::move(*restored);
    }
    names_ = recovered.names;
    return add(recovered.journals);
}

Result<void> Past::add(const std::vector<std::string>& lines) {
    for (const std::string& line : lines)
        if (auto read = add(std::string_view(line)); !read) return read;
    return {};
}

Result<void> Past::add(std::string_view line) {
    ByteReader reader(line);
    Turn turn;
    reader.get(turn);
    if (!reader.ok() || (reader.at_end() == turn.events.empty())) return unreadable("journal");
    if (turn.events.empty()) return come_into_force(line.substr(line.size() - reader.left()));
    core_.step(turn.events, turn.at);
    events_ += turn.events.size();
    return {};
}

Result<void> Past::come_into_force(std::string_view text) {
    auto settings = settings_in(text);
    if (!settings) return unreadable("journal");
    told_ = true;
    if (same_settings(*settings, settings_)) return {};
    auto changed = control::Core::restore(core_.snapshot(), *settings);
    if (!changed) return tl::unexpected(changed.error());
    core_ = std::move(*changed);
    settings_ = std::move(*settings);
    return {};
}

void Past::add_names(std::vector<std::string> names) {
    std::move(names.begin(), names.end(), std::back_inserter(names_));
}

bool Past::runs_elsewhere() const {
    const cluster::Ledger& ledger = core_.ledger();
    for (GpuId gpu; ledger.knows(gpu); gpu = gpu.next())
        if (ledger.holder(gpu) && core_.name_of(ledger.node_of(gpu)) != NameId{}) return true;
    return false;
}

}  // namespace sy::server
