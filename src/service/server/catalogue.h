// Catalogue: the models of this service: how to start a runner, how much memory a task needs (G5), how long loading
// took so far, and what was learnt from tasks that ran out of memory (G10).
#pragma once

#include <deque>
#include <map>
#include <string>

#include "core/model/task.h"
#include "input/model_file.h"
#include "service/wire/messages.h"

namespace sy::server {

/// What a task says of its size, for the estimate.
struct Size {
    std::string type;                     ///< Of the task; empty: none.
    std::map<std::string, double> terms;  ///< How much there is of what.
};

class Catalogue {
public:
    Catalogue() = default;
    explicit Catalogue(input::ModelFile file) : file_(std::move(file)) {}

    const std::map<std::string, input::ModelEntry>& models() const { return file_.models; }
    /// An error names what is not in the catalogue.
    Result<void> set_memory(const std::string& model, const Size& size, TaskSpec& spec) const;
    /// How the model's runner is started. Nothing is changed where there is no such model any more.
    void complete(wire::Work& work) const;

    /// A task that asked for `asked` ran out of memory and asks for `raised` now: so will the next.
    void learn_memory(const std::string& model, Bytes asked, Bytes raised);
    double memory_factor(const std::string& model) const;

    void learn_load(const std::string& model, double seconds);
    /// Of the latest loads, in seconds, rising.
    std::vector<double> loads(const std::string& model) const;

private:
    input::ModelFile file_;
    std::map<std::string, double> factors_;
    std::map<std::string, std::deque<double>> loads_;
};

}  // namespace sy::server
