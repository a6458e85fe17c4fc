#include "sim/journal.h"

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sy::sim {
namespace {

constexpr std::uint64_t kSeeds = 1000;

using Payloads = std::vector<std::string>;

/// "record 1", "record 2" and so on.
Payloads payloads(std::size_t count) {
    Payloads all;
    for (std::size_t i = 1; i <= count; ++i) all.push_back("record " + std::to_string(i));
    return all;
}

/// This many records, of which the first `synced` are on disk.
Journal journal_of(std::size_t count, std::size_t synced) {
    Journal journal;
    for (const std::string& payload : payloads(count)) journal.append(payload);
    journal.sync(synced);
    return journal;
}

Journal::Contents after_crash(Journal& journal, std::uint64_t seed) {
    Random random(seed);
    journal.crash(random);
    return journal.recover();
}

TEST(Journal, WhatWasAppendedIsReadBackInOrder) {
    Journal journal = journal_of(5, 5);
    EXPECT_EQ(journal.recover().payloads, payloads(5));
    EXPECT_EQ(Journal().recover().payloads, Payloads{});
}

TEST(Journal, PayloadsMayHoldAnyBytes) {
    const Payloads odd{"", std::string(3, '\0'), "0000000000000000", "\xff\n"};
    Journal journal;
    for (const std::string& payload : odd) journal.append(payload);
    journal.sync(odd.size());
    EXPECT_EQ(after_crash(journal, 1).payloads, odd);
}

TEST(Journal, SyncedRecordsSurviveEveryCrash) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        Journal journal = journal_of(6, 6);
        EXPECT_EQ(after_crash(journal, seed).payloads, payloads(6)) << "seed " << seed;
    }
}

TEST(Journal, UnsyncedRecordsAreCutFromTheEndOnly) {
    std::set<std::size_t> lengths;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        Journal journal = journal_of(6, 2);
        const Payloads survived = after_crash(journal, seed).payloads;
        EXPECT_EQ(survived, payloads(survived.size())) << "seed " << seed;
        lengths.insert(survived.size());
    }
    EXPECT_EQ(lengths, (std::set<std::size_t>{2, 3, 4, 5, 6}));
}

TEST(Journal, TornRecordIsDroppedForGood) {
    int torn = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Journal journal = journal_of(6, 2);
        Random random(seed);
        journal.crash(random);
        const std::size_t on_disk = journal.size();
        const std::size_t whole = journal.recover().payloads.size();
        torn += whole < on_disk ? 1 : 0;
        EXPECT_EQ(journal.size(), whole);
        journal.append("after");
        EXPECT_EQ(journal.recover().payloads.back(), "after");
    }
    EXPECT_GT(torn, 100);
}

TEST(Journal, WhatWasReadBackOnceIsThereForEver) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        Journal journal = journal_of(6, 2);
        const Payloads survived = after_crash(journal, seed).payloads;
        EXPECT_EQ(journal.synced(), survived.size());
        EXPECT_EQ(after_crash(journal, seed + 1).payloads, survived) << "seed " << seed;
    }
}

TEST(Journal, SecondCrashBeforeReadingBackIsSurvived) {
    const auto crash_twice = [] {
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            Journal journal = journal_of(6, 2);
            Random random(seed);
            journal.crash(random);
            journal.crash(random);
            const Payloads survived = journal.recover().payloads;
            if (survived.size() < 2 || survived != payloads(survived.size())) std::exit(1);
        }
        std::exit(0);
    };
    EXPECT_EXIT(crash_twice(), testing::ExitedWithCode(0), "");
}

TEST(Journal, SnapshotOfSyncedRecordsIsUsedAfterACrash) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        Journal journal = journal_of(6, 4);
        journal.keep_snapshot("after 4", 4);
        const auto contents = after_crash(journal, seed);
        EXPECT_EQ(contents.snapshot, "after 4") << "seed " << seed;
        EXPECT_EQ(contents.covered, 4U);
        EXPECT_GE(contents.payloads.size(), contents.covered);
    }
}

TEST(Journal, SnapshotOfUnsyncedRecordsIsNotUsedAfterACrash) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Journal journal = journal_of(6, 4);
        journal.keep_snapshot("after 2", 2);
        journal.keep_snapshot("after 4", 4);
        journal.keep_snapshot("after 5", 5);
        journal.keep_snapshot("after 6", 6);
        const auto contents = after_crash(journal, seed);
        EXPECT_EQ(contents.snapshot, "after 4");
        EXPECT_EQ(contents.covered, 4U);
    }
}

TEST(Journal, CrashWithoutAUsableSnapshotLeavesNone) {
    Journal journal = journal_of(3, 1);
    journal.keep_snapshot("after 2", 2);
    const auto contents = after_crash(journal, 1);
    EXPECT_EQ(contents.snapshot, "");
    EXPECT_EQ(contents.covered, 0U);
}

TEST(Journal, SnapshotCountsOnceItsRecordsAreSynced) {
    Journal journal = journal_of(3, 1);
    journal.keep_snapshot("after 1", 1);
    journal.keep_snapshot("after 3", 3);
    journal.sync(3);
    EXPECT_EQ(after_crash(journal, 1).snapshot, "after 3");
}

TEST(Journal, EarlierSyncTakesNothingBack) {
    Journal journal = journal_of(3, 3);
    journal.sync(1);
    EXPECT_EQ(journal.synced(), 3U);
}

TEST(Journal, SyncOfWhatWasNeverWrittenEndsTheProcess) {
    Journal journal = journal_of(3, 3);
    EXPECT_DEATH(journal.sync(4), "sync up to 4 of 3");
}

}  // namespace
}  // namespace sy::sim
