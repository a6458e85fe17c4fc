// Snapshot: the state as bytes and back.
//
// Only what cannot be derived is written: clocks and counters, nodes, workers, live tasks. The ledger's holdings and
// the line are rebuilt from the tasks, so an index can change without changing the format, and a snapshot cannot
// contradict itself about who holds what. Layout: a version, the state in codec.h's encoding, and a digest of all
// before it.
#include <utility>

#include "base/codec.h"
#include "base/digest.h"
#include "core/control/core.h"

namespace sy::control {

namespace {

constexpr std::uint64_t kVersion = 2;
constexpr std::size_t kDigestBytes = 8;

std::string digest_bytes(std::string_view bytes) {
    std::uint64_t digest = digest_of(bytes);
    std::string out(kDigestBytes, '\0');
    for (char& c : out) {
        c = static_cast<char>(digest & 0xff);
        digest >>= 8;
    }
    return out;
}

/// Everything but the tasks, which follow one by one.
struct Frame {
    Instant now;
    Instant wake;
    TaskId last_task;
    Fence last_fence;
    SessionId last_session;
    measure::Tally tally;
    std::vector<AddNode> nodes;
    std::vector<cluster::WorkerState> workers;
    std::uint64_t task_count = 0;

    static constexpr auto fields() {
        return std::tuple{&Frame::now,   &Frame::wake,  &Frame::last_task, &Frame::last_fence, &Frame::last_session,
                          &Frame::tally, &Frame::nodes, &Frame::workers,   &Frame::task_count};
    }
};

std::vector<AddNode> nodes_of(const cluster::Ledger& ledger) {
    std::vector<AddNode> nodes;
    for (const GpuSpan& span : ledger.nodes()) {
        AddNode& node = nodes.emplace_back();
        for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) node.gpus.push_back({ledger.memory(gpu)});
    }
    return nodes;
}

}  // namespace

std::string Core::snapshot() const {
    ByteWriter writer;
    writer.put(kVersion);
    writer.put(Frame{now_, wake_, last_task_, last_fence_, last_session_, tally_, nodes_of(ledger_), health_.workers(),
                     tasks_.size()});
    tasks_.for_each([&](TaskId id, const Task& task) {
        writer.put(id);
        writer.put(task);
    });
    std::string bytes = writer.take();
    return bytes + digest_bytes(bytes);
}

Result<Core> Core::restore(std::string_view bytes, Settings settings) {
    if (bytes.size() < kDigestBytes ||
        digest_bytes(bytes.substr(0, bytes.size() - kDigestBytes)) != bytes.substr(bytes.size() - kDigestBytes))
        return fail(Fault::invalid_input, "snapshot is damaged: its digest does not match its contents");
    Core core(std::move(settings));
    if (!core.read_state(bytes.substr(0, bytes.size() - kDigestBytes)))
        return fail(Fault::invalid_input, "snapshot does not hold a state of this version");
    return core;
}

bool Core::read_state(std::string_view bytes) {
    ByteReader reader(bytes);
    std::uint64_t version = 0;
    reader.get(version);
    if (version != kVersion) return false;
    Frame frame;
    reader.get(frame);
    if (!reader.ok()) return false;

    for (const AddNode& node : frame.nodes) {
        if (node.gpus.empty()) return false;
        ledger_.add_node(node.gpus);
    }
    if (frame.workers.size() != ledger_.gpu_count()) return false;
    if (frame.now < kStart || frame.now > kEnd) return false;
    for (const cluster::WorkerState& worker : frame.workers)
        if (worker.heard < kStart || worker.heard > frame.now) return false;
    now_ = frame.now;
    wake_ = frame.wake;
    last_task_ = frame.last_task;
    last_fence_ = frame.last_fence;
    last_session_ = frame.last_session;
    tally_ = frame.tally;
    health_.restore(std::move(frame.workers));

    TaskId previous;
    for (std::uint64_t i = 0; i < frame.task_count && reader.ok(); ++i) {
        TaskId id;
        Task task;
        reader.get(id);
        reader.get(task);
        if (!reader.ok() || id <= previous || id > last_task_) return false;
        tasks_.add(id, task);
        previous = id;
    }
    return reader.ok() && reader.at_end() && seat_tasks();
}

/// Rebuilds the ledger's holdings and the line; false where the tasks contradict each other or the cluster.
bool Core::seat_tasks() {
    for (GpuId gpu(0); ledger_.knows(gpu); gpu = gpu.next()) ledger_.set_present(gpu, true);
    bool consistent = true;
    const auto is_place = [this](const GpuSpan& span) {
        for (const GpuSpan& node : ledger_.nodes())
            if (node.contains(span.first) && span.count >= 1 && span.count <= node.end().value() - span.first.value())
                return true;
        return false;
    };
    tasks_.for_each([&](TaskId id, const Task& task) {
        if (!consistent) return;
        if (task.state == TaskState::waiting) {
            line_.insert(place_in_line(id, task));
            return;
        }
        consistent = is_place(task.span) && task.fence <= last_fence_;
        for (GpuId gpu = task.span.first; consistent && gpu < task.span.end(); gpu = gpu.next())
            consistent = ledger_.is_free(gpu);
        if (consistent) ledger_.hold(task.span, id);
    });
    for (GpuId gpu(0); ledger_.knows(gpu); gpu = gpu.next()) ledger_.set_present(gpu, health_.is_open(gpu));
    return consistent;
}

}  // namespace sy::control
