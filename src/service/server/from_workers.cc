// What workers say that is none of the brain's business: parts of answers, and which models sleep.
#include "service/server/engine.h"

namespace sy::server {

void Engine::hand_on(const wire::Piece& piece) {
    if (!world_.piece || core_.find(piece.task) == nullptr) return;
    const TaskRecord* record = live_record(piece.task);
    if (record == nullptr || record->attempts.empty() || record->attempts.back().fence != piece.fence) return;
    world_.piece(piece.task, piece.attempt, piece.bytes);
}

void Engine::note_sleepers(const wire::Sleepers& sleepers) {
    asleep_[sleepers.gpu] = sleepers.models;
    if (const std::string model = names_.text_of(sleepers.fell); !model.empty())
        catalogue_.learn(Passage::sleep, model, static_cast<double>(sleepers.sleep_us) / 1e6);
}

const std::vector<NameId>& Engine::asleep(GpuId gpu) const {
    static const std::vector<NameId> kNobody;
    const auto found = asleep_.find(gpu);
    return found == asleep_.end() ? kNobody : found->second;
}

Bytes Engine::kept_asleep(GpuId gpu) const {
    std::uint64_t kept = 0;
    for (const NameId model : asleep(gpu)) {
        const auto entry = catalogue_.models().find(names_.text_of(model));
        if (entry != catalogue_.models().end() && entry->second.server)
            kept += entry->second.server->asleep_memory.value();
    }
    return Bytes(kept);
}

}  // namespace sy::server
