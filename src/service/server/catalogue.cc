#include "service/server/catalogue.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace sy::server {

namespace {

constexpr std::size_t kTimesKept = 64;

template <class T>
Result<const T*> look_up(const std::map<std::string, T>& table, const std::string& what, const std::string& name) {
    const auto found = table.find(name);
    if (found != table.end()) return &found->second;
    std::string known;
    for (const auto& [key, value] : table) known += fmt::format("{}{}", known.empty() ? "" : ", ", key);
    return fail(Fault::invalid_input, fmt::format("{} is '{}', this service knows {}", what, name,
                                                  known.empty() ? "none (models_file)" : known));
}

}  // namespace

Result<Bytes> Catalogue::estimate(const std::string& model, const Size& size) const {
    const auto entry = look_up(file_.models, "model", model);
    if (!entry) return tl::unexpected(entry.error());
    double bytes = static_cast<double>((*entry)->memory.value());
    for (const auto& [name, amount] : size.terms) {
        const auto each = look_up(file_.size_terms, "size", name);
        if (!each) return tl::unexpected(each.error());
        bytes += **each * amount * 1e6;
    }
    if (!size.type.empty()) {
        const auto factor = look_up(file_.task_types, "type", size.type);
        if (!factor) return tl::unexpected(factor.error());
        bytes *= **factor;
    }
    return Bytes(static_cast<std::uint64_t>(bytes));
}

void Catalogue::set_memory(const std::string& model, const std::string& type, Bytes estimate, TaskSpec& spec) const {
    const double wanted = static_cast<double>(estimate.value()) * habits_.factor(model, type);
    spec.model_memory = file_.models.at(model).memory;
    if (spec.demand.memory == Bytes{}) spec.demand.memory = Bytes(static_cast<std::uint64_t>(wanted));
    spec.demand.memory = std::max(spec.demand.memory, spec.model_memory);
}

Catalogue::Catalogue(input::ModelFile file) : file_(std::move(file)) {
    for (const auto& [name, model] : file_.models)
        for (const std::string& alias : model.aliases) aliases_[alias] = name;
}

std::string Catalogue::model_named(const std::string& name) const {
    const auto found = aliases_.find(name);
    return found == aliases_.end() ? name : found->second;
}

wire::RunnerStart Catalogue::runner_for(wire::Work wanted) const {
    wire::RunnerStart runner{std::move(wanted)};
    wire::Work& work = runner.work;
    const auto found = file_.models.find(work.model);
    if (found == file_.models.end()) return runner;
    const input::ModelEntry& model = found->second;
    work.argv = model.command;
    work.folder = model.folder;
    work.environment.clear();
    bool has_path = false;
    for (const auto& [key, value] : model.environment) {
        work.environment.push_back({key, value});
        has_path = has_path || key == "PATH";
    }
    if (!has_path) work.environment.push_back({"PATH", "/usr/local/bin:/usr/bin:/bin"});
    if (!model.server) return runner;
    const input::ServerEntry& server = *model.server;
    const bool sleeps = model.when_unused == input::WhenUnused::offload;
    runner.server = wire::ModelServer{.served_name = server.served_name.empty() ? work.model : server.served_name,
                                      .address = server.address,
                                      .port = server.port,
                                      .health = server.health,
                                      .start_timeout = Duration(std::llround(server.start_timeout_s * 1e9)),
                                      .sleep = sleeps ? server.sleep : "",
                                      .wake = sleeps ? server.wake : "",
                                      .most_sleeping = file_.most_sleeping};
    return runner;
}

void Catalogue::learn(Passage passage, const std::string& model, double seconds) {
    Timed& timed = timed_[{passage, model}];
    ++timed.all;
    timed.latest.push_back(seconds);
    if (timed.latest.size() > kTimesKept) timed.latest.pop_front();
}

void Catalogue::count_call(const std::string& model, bool found_loaded) {
    Calls& calls = calls_[model];
    ++calls.all;
    if (found_loaded) ++calls.found_loaded;
}

Catalogue::Calls Catalogue::calls(const std::string& model) const {
    const auto found = calls_.find(model);
    return found == calls_.end() ? Calls{} : found->second;
}

std::vector<double> Catalogue::times(Passage passage, const std::string& model) const {
    const auto found = timed_.find({passage, model});
    if (found == timed_.end()) return {};
    std::vector<double> sorted(found->second.latest.begin(), found->second.latest.end());
    std::sort(sorted.begin(), sorted.end());
    return sorted;
}

std::uint64_t Catalogue::count(Passage passage, const std::string& model) const {
    const auto found = timed_.find({passage, model});
    return found == timed_.end() ? 0 : found->second.all;
}

std::optional<Duration> Catalogue::usual_load(const std::string& model) const {
    const std::vector<double> loads = times(Passage::load, model);
    if (loads.empty()) return std::nullopt;
    return Duration(std::llround(loads[loads.size() / 2] * 1e9));
}

}  // namespace sy::server
