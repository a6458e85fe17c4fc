// Nodes: the machines whose GPUs the brain knows: this one, and hosts elsewhere. Each keeps its numbers until it is
// forgotten.
#include <set>
#include <utility>

#include <fmt/format.h>

#include "service/server/engine.h"

namespace sy::server {

/// Nothing where there is none of that name; an error where it had other GPUs.
Result<std::optional<GpuSpan>> Engine::known_node(const std::string& name, const std::vector<GpuSpec>& gpus) const {
    const NameId number = names_.find(name);
    if (!name.empty() && number == NameId{}) return std::nullopt;
    const auto node = core_.node_named(number);
    if (!node) return std::nullopt;
    const cluster::Ledger& ledger = core_.ledger();
    const GpuSpan& span = ledger.nodes()[node->value()];
    bool same = span.count == gpus.size();
    for (GpuId gpu = span.first; same && gpu < span.end(); gpu = gpu.next())
        same = ledger.memory(gpu) == gpus[gpu.value() - span.first.value()].memory;
    if (same) return span;
    const std::string whose = name.empty() ? "a machine" : fmt::format("'{}' as a machine", name);
    return fail(Fault::invalid_input,
                fmt::format("the store knows {} of {} GPUs, this one has {} or others", whose, span.count, gpus.size()),
                name.empty() ? "give this machine a folder of its own" : "give this machine another name");
}

Result<void> Engine::use(const std::vector<GpuSpec>& gpus, const std::string& name) {
    if (gpus.empty()) return {};
    const auto known = known_node(name, gpus);
    if (!known) return tl::unexpected(known.error());
    if (!*known) events_.emplace_back(AddNode{gpus, {}, names_.number_of(name)});
    return {};
}

void Engine::add_host(const std::string& name, std::vector<GpuSpec> gpus, Reply<GpuSpan> reply) {
    const auto known = known_node(name, gpus);
    if (!known) return reply(tl::unexpected(known.error()));
    if (*known) return reply(**known);
    const NameId number = names_.number_of(name);
    if (number == NameId{}) return reply(fail(Fault::failed, "there are too many names already"));
    answer_host(number, fail(Fault::failed, "it has come on another line"));
    arrivals_[number] = std::move(reply);
    events_.emplace_back(AddNode{std::move(gpus), {}, number});
}

void Engine::tell_kind(GpuId gpu, const std::string& kind) {
    const NodeId node = core_.ledger().node_of(gpu);
    const KindId number(names_.number_of(kind).value());
    if (core_.ledger().kind(node) != number) events_.emplace_back(TellKind{node, number});
}

void Engine::tell_line(GpuId gpu, GpuDuty duty) {
    events_.emplace_back(TellLine{core_.ledger().node_of(gpu), duty});
}

Result<KindId> Engine::kind_named(const std::string& kind) {
    const auto& ledger = core_.ledger();
    const KindId number(names_.number_of(kind).value());
    if (number == KindId{}) return fail(Fault::failed, "there are too many names already");
    if (settings_.await_nodes || ledger.has_kind(number)) return number;
    std::set<std::string> known;
    for (std::uint32_t n = 0; n < ledger.nodes().size(); ++n)
        if (!ledger.is_gone(ledger.nodes()[n].first)) known.insert(kind_text(ledger.kind(NodeId(n))));
    known.erase("");
    return fail(Fault::invalid_input,
                fmt::format("kind is '{}', {}", kind,
                            known.empty() ? "and of no GPU here the kind is known"
                                          : fmt::format("GPUs here are of: {}", fmt::join(known, ", "))));
}

void Engine::answer_host(NameId name, const Result<GpuSpan>& span) {
    if (auto waiting = arrivals_.extract(name)) waiting.mapped()(span);
}

}  // namespace sy::server
