// Catalogue: the models of this service: how to start a runner, how much memory a task needs (G5), how long loading
// and waking took so far, and what was learnt of the memory that tasks use.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "core/model/task.h"
#include "input/model_file.h"
#include "service/server/memory_habits.h"
#include "service/wire/messages.h"

namespace sy::server {

/// What a task says of its size, for the estimate.
struct Size {
    std::string type;                     ///< Of the task; empty: none.
    std::map<std::string, double> terms;  ///< How much there is of what.
};

/// What is timed of a model.
enum class Passage : std::uint8_t { load, wake, sleep };

class Catalogue {
public:
    Catalogue() = default;
    explicit Catalogue(input::ModelFile file);

    const std::map<std::string, input::ModelEntry>& models() const { return file_.models; }
    /// What the model file says that such a task needs. An error names what is not in the catalogue.
    Result<Bytes> estimate(const std::string& model, const Size& size) const;
    /// How much a task asks for that the file gives so much: what it says itself counts, if that is more than its
    /// model alone; otherwise the estimate, as experience corrects it.
    void set_memory(const std::string& model, const std::string& type, Bytes estimate, TaskSpec& spec) const;
    /// The name of the model that this one means: its own, or one that it is an alias of.
    std::string model_named(const std::string& name) const;
    /// How the runner of the work's model is started. There is no command where there is no such model any more.
    wire::RunnerStart runner_for(wire::Work work) const;

    MemoryHabits& habits() { return habits_; }
    const MemoryHabits& habits() const { return habits_; }

    void learn(Passage passage, const std::string& model, double seconds);
    /// A call that succeeded, and whether it found the model loaded.
    void count_call(const std::string& model, bool found_loaded);
    struct Calls {
        std::uint64_t all = 0;
        std::uint64_t found_loaded = 0;
    };
    /// In this life of the service.
    Calls calls(const std::string& model) const;
    /// What loading took in the middle of the latest times; nothing where none was measured.
    std::optional<Duration> usual_load(const std::string& model) const;
    /// What the latest took, in seconds, rising.
    std::vector<double> times(Passage passage, const std::string& model) const;
    /// In this life of the service.
    std::uint64_t count(Passage passage, const std::string& model) const;

private:
    input::ModelFile file_;
    MemoryHabits habits_;
    std::map<std::string, std::string> aliases_;  ///< And whom they mean.
    struct Timed {
        std::uint64_t all = 0;
        std::deque<double> latest;
    };
    std::map<std::pair<Passage, std::string>, Timed> timed_;
    std::map<std::string, Calls> calls_;
};

}  // namespace sy::server
