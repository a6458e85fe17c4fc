// ResponseParser: bytes from a server become an answer, within limits, and its body can be had before it is whole: a
// server that streams is heard while it speaks.
//
// It trusts nothing: whatever comes, it is an answer, or there is a trouble that says why it is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace sy::http {

struct ResponseLimits {
    std::size_t head_bytes = 65'536;
    std::uint64_t body_bytes = 100'000'000;
};

class ResponseParser {
public:
    explicit ResponseParser(ResponseLimits limits = {}) : limits_(limits) {}

    void add(std::string_view bytes);
    /// The other side has hung up. Where nothing else was to show the answer's end, that does.
    void end();

    bool has_head() const { return status_ != 0; }
    bool is_whole() const { return part_ == Part::whole; }
    /// Why what came is no answer that we take; empty: nothing is wrong so far.
    const std::string& trouble() const { return trouble_; }
    /// Whether only the end of the line shows the end of the body.
    bool ends_with_line() const { return ends_with_line_; }

    unsigned status() const { return status_; }
    /// In lower case; empty where it was not said.
    std::string header(const std::string& name) const;
    /// What has come of the body since this was last asked.
    std::string take_body();

private:
    enum class Part : std::uint8_t { head, counted, chunk_size, chunk, chunk_end, trailer, until_end, whole, broken };

    bool step();
    bool read_head();
    bool read_status(std::string_view line);
    void choose_body();
    bool read_chunk_size();
    bool read_chunk_end();
    bool read_trailer();
    bool read_body(std::uint64_t most);
    bool take_line(std::string_view& line, std::size_t longest);
    bool refuse(std::string why);

    ResponseLimits limits_;
    Part part_ = Part::head;
    std::string bytes_;   ///< Not read yet, from `at_` on.
    std::size_t at_ = 0;  ///< Before it all is read.
    unsigned status_ = 0;
    std::map<std::string, std::string> headers_;
    std::uint64_t left_ = 0;  ///< Of the body, or of a chunk of it.
    std::uint64_t seen_ = 0;  ///< Of the body.
    bool ends_with_line_ = false;
    std::string body_;
    std::string trouble_;
};

}  // namespace sy::http
