// Scene log: what a scene came to, stretch by stretch and in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/mesh.h"
#include "core/model/scene.h"
#include "core/pipeline/members/crew_event.h"
#include "sim/traffic/scene.h"

namespace sy::sim {

class SceneLog {
public:
    explicit SceneLog(std::size_t requests) : marks_(requests) {}

    /// The opening is over; before it nothing is noted.
    void begin(Instant now);
    void event(Instant now, std::string what);
    void settled(Instant now);
    bool is_unsettled() const { return !stretches_.empty() && stretches_.back().part == Stretch::Part::during; }
    /// Where nothing else is going on it is an event of its own.
    void rebalanced(Instant now, std::string what);
    void note(Instant now, std::string text);

    void arrived(std::uint32_t request, Instant now) { marks_[request].arrived = now; }
    void moved(std::uint32_t request) { ++marks_[request].moved; }
    void completed(std::uint32_t request, Instant now) { end(request, Outcome::completed, now); }
    void refused(std::uint32_t request, Instant now) { end(request, Outcome::refused, now); }
    void failed(std::uint32_t request, Instant now) { end(request, Outcome::failed, now); }

    void tell(SceneFigures& figures, Instant end) &&;

private:
    enum class Outcome : std::uint8_t { none, completed, refused, failed };
    struct Mark {
        Instant arrived;
        Instant ended;
        std::uint32_t moved = 0;
        Outcome outcome = Outcome::none;
    };

    void end(std::uint32_t request, Outcome outcome, Instant now) {
        marks_[request].outcome = outcome;
        marks_[request].ended = now;
    }
    void turn(Instant now, std::string what, Stretch::Part part);
    std::size_t stretch_at(const std::vector<Stretch>& stretches, Instant at) const;
    void fill(std::vector<Stretch>& stretches) const;

    Instant begun_ = kStart;
    std::vector<Mark> marks_;  ///< By request; they come in order.
    std::vector<Stretch> stretches_;
    std::vector<SceneNote> notes_;
};

/// "a and b leave".
std::string in_words(const SceneEvent& event, const Mesh& mesh);
/// "filled: 2 nodes load 12.5 GB".
std::string in_words(const pipeline::Rebalanced& rebalanced);

}  // namespace sy::sim
