// Batches: every batch this service was given, from its file to the files that answer it. The work itself is a run;
// here is what stands around it: the checks, the states, the window in which it must end, and the answers, which are
// written once the run is over. All of it is kept in files, so that a batch survives whatever the server does not.
//
// On the loop's thread alone.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "service/openai/batch.h"
#include "service/openai/files.h"
#include "service/openai/line_file.h"
#include "service/runs/runs.h"

namespace sy::openai {

class Batches {
public:
    struct World {
        runs::Runs& runs;
        Files& files;
        FindModel find_model;
        std::function<server::WallTime()> wall;
        std::function<void(const std::string&)> say;
    };

    Batches(std::string folder, World world) : folder_(std::move(folder)), world_(std::move(world)) {}

    /// Takes up what earlier lives left; the runs must have been opened.
    Result<void> open();
    /// Input file, endpoint, window, metadata and user are the client's. On disk when this returns.
    Read<const Batch*> add(Batch wanted);
    Read<const Batch*> cancel(const std::string& id);
    /// As it stands now. Nothing where there is none.
    const Batch* find(const std::string& id);
    /// The latest first.
    std::vector<const Batch*> all();

    /// At the end of every turn: answers of runs that are over are written, a part at a time.
    void advance();

private:
    /// What is being written for a batch whose run is over.
    struct Closing {
        std::uint32_t next_request = 0;
        LineFile outputs;
        LineFile errors;
        Counts counts;
    };

    std::int64_t now() const { return world_.wall() / 1000; }
    Result<void> keep(const Batch& batch) const;
    void look(Batch& batch) const;
    void see_window(Batch& batch);
    void close_some(Batch& batch);
    bool begin_closing(Batch& batch);
    void write_line(const Batch& batch, const runs::Run& run, std::uint32_t request, std::uint32_t step,
                    Closing& closing) const;
    void finish(Batch& batch, Closing& closing);
    Result<std::string> keep_file(const Batch& batch, const char* what, LineFile& lines);
    void end(Batch& batch, BatchState state);

    std::string folder_;
    World world_;
    std::map<std::string, Batch> batches_;
    std::vector<std::string> open_;  ///< Those that have not ended.
    std::map<std::string, std::unique_ptr<Closing>> closing_;
    Instant try_again_ = kStart;  ///< After trouble with the disk.
};

}  // namespace sy::openai
