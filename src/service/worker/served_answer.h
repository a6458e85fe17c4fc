// ServedAnswer: what a model server answers to a call, as it becomes a task's output: JSON as it is, a stream of events
// piece by piece, a refusal with its reason.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "service/http/response_parser.h"
#include "service/worker/runner_words.h"

namespace sy::worker {

class ServedAnswer {
public:
    /// Takes what has come of the body; the pieces of a stream that are whole now.
    std::vector<PieceOfAnswer> read(http::ResponseParser& answer);
    /// An Output or a Failure, once the answer is whole.
    RunnerWord finish(const http::ResponseParser& answer) const;

private:
    void read_event_line(std::string_view line, std::vector<PieceOfAnswer>& pieces);
    void keep(const std::string& json);
    RunnerWord finish_stream(const http::ResponseParser& answer) const;

    std::string kept_;      ///< The beginning of a body, or the documents of a stream.
    std::size_t seen_ = 0;  ///< Of a body.
    std::string line_;      ///< Of a stream: what has come of the next one.
    std::string event_;     ///< The data of the event that is not whole.
    bool has_data_ = false;
    bool overlong_ = false;  ///< An event that nobody would want.
    bool done_ = false;      ///< The stream said that it is.
    bool cut_ = false;       ///< Not all documents could be kept.
    std::string error_;      ///< What the stream says went wrong.
};

/// The reason in an error of OpenAI's form, or in others that are seen; a text where there is none.
std::string reason_in(std::string_view body);

}  // namespace sy::worker
