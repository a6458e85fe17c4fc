// RedisStore: the store in Redis, for servers on many hosts. One of them leads and writes; the others may follow.
//
// A commit is one script in Redis: all of it or nothing, and only while this server's term is in force. An answer that
// was lost is asked for again, and what was done is not done twice. Where Redis comes back without something that it
// had acknowledged (it crashed, a replica took over, it was flushed, an old file was put in its place), what is missing
// is written again from memory before anything else (R13); where memory does not reach back so far, that is an error,
// and nothing is acknowledged on top of the gap.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"
#include "service/store/redis_batch.h"
#include "service/store/redis_place.h"
#include "service/store/redis_scripts.h"
#include "service/store/store.h"
#include "service/store/written_mark.h"

namespace sy::store {

/// How much of what was committed last is kept in memory.
inline constexpr Bytes kHeldBack{std::uint64_t{128} << 20U};

class RedisStore final : public Store {
public:
    /// Looks, and writes nothing.
    static Result<std::unique_ptr<RedisStore>> open(RedisPlace place, Bytes held_back = kHeldBack);

    /// From now on this server leads, and its writes bear that number (leadership.h). A standby follows once more
    /// until there is nothing left: nobody else adds anything any more. `mark`: where it notes how far it has written.
    void lead(Term term, std::optional<WrittenMark> mark = std::nullopt) {
        term_ = term;
        if (mark) mark_.emplace(std::move(*mark));
    }
    /// The journals of the groups after those already read, a portion of them; waits so long for the first. Nothing
    /// where none came.
    Result<std::vector<std::string>> follow(Duration patience);
    /// The same, all that are left. An error where Redis lacks some of them.
    Result<std::vector<std::string>> follow_to_end();
    /// Names from that place on, which is 0 for the first: `recover` gave all there were.
    Result<std::vector<std::string>> names_from(std::size_t place);
    /// What of the work that was answered for Redis could lose.
    Result<std::vector<std::string>> warnings();
    /// The number of the last group that was read or written.
    std::uint64_t last() const { return end_.last; }
    /// Groups that Redis had lost and was given again.
    std::uint64_t given_again() const { return given_again_; }

    Result<Recovered> recover() override;
    Result<void> commit(const std::vector<Group>& groups) override;
    Result<void> keep_snapshot(const std::string& snapshot) override;
    Result<std::unique_ptr<Reader>> reader() override;
    Result<Old> find_old(std::int64_t ended_before, TaskId after, std::uint32_t most) override;
    Result<void> forget(const std::vector<TaskId>& tasks) override;
    bool is_full() const override { return full_; }
    bool is_away() const override { return away_; }
    bool is_still_ours() override;
    bool is_deposed() const override { return deposed_; }

private:
    RedisStore(RedisPlace place, Bytes held_back, redis::Connection connection, Scripts scripts);

    Result<void> keep_part(std::string_view snapshot, std::size_t part);
    Result<void> write(redis::Command& command);
    Result<Verdict::Kind> settle(redis::Command& command);
    Result<Verdict::Kind> try_to_settle(redis::Command& command);
    void note_trouble(bool failed);
    Result<Verdict> run(redis::Command& command);
    Result<void> give_again();
    Result<std::uint64_t> reassert();
    Result<void> give_again_after(std::uint64_t last);
    void hold(Batch batch);
    tl::unexpected<Error> goes_back() const;
    tl::unexpected<Error> was_deposed();

    RedisPlace place_;
    Bytes held_back_;
    RedisKeys keys_;
    redis::Connection connection_;
    Scripts scripts_;
    Term term_;
    std::deque<Batch> held_;  ///< Without gaps, up to `end_`.
    std::uint64_t held_bytes_ = 0;
    JournalEnd end_;                     ///< What was read or written last.
    TaskId newest_;                      ///< No task after it has a record.
    std::uint32_t groups_at_once_ = 16;  ///< To be read, by the size of those before.
    std::uint64_t given_again_ = 0;
    std::optional<WrittenMark> mark_;
    bool full_ = false;
    bool away_ = false;
    bool deposed_ = false;
};

}  // namespace sy::store
