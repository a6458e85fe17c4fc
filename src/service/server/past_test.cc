#include "service/server/past.h"

#include <gtest/gtest.h>

namespace sy::server {
namespace {

control::Settings with_order(const std::string& order) {
    control::Settings settings;
    settings.policy.order = order;
    return settings;
}

/// Tasks that wait, one after the other, the second more urgent.
std::vector<std::string> two_tasks() {
    SubmitTask urgent{.spec = {.level = Level::critical}};
    return {line_of(Turn{kStart + 1s, {AddNode{{GpuSpec{.memory = gigabytes(80)}}, {}}, PauseQueue{true}}}),
            line_of(Turn{kStart + 2s, {SubmitTask{}}}), line_of(Turn{kStart + 3s, {urgent}})};
}

Past read(store::Recovered recovered, const control::Settings& untold = with_order("priority")) {
    Past past(untold);
    const auto taken = past.take_up(recovered);
    EXPECT_TRUE(taken) << taken.error().message;
    return past;
}

TEST(Past, IsReadUnderTheSettingsThatTheJournalTellsWhateverTheReadersOwnAre) {
    auto lines = two_tasks();
    lines.insert(lines.begin(), line_of(with_order("fcfs"), kStart));
    lines.push_back(line_of(with_order("priority"), kStart + 4s));
    for (const char* own : {"sjf", "fcfs", "priority"}) {
        Past past = read({"", lines, {}}, with_order(own));
        EXPECT_TRUE(past.tells_settings());
        EXPECT_EQ(past.settings().policy.order, "priority");
        EXPECT_EQ(past.take_core().snapshot(), read({"", lines, {}}).take_core().snapshot()) << own;
    }
}

TEST(Past, ASnapshotTellsTheSettingsForTheJournalAfterIt) {
    const auto lines = two_tasks();
    Past first = read({"", {lines[0], lines[1]}, {}}, with_order("fcfs"));
    EXPECT_FALSE(first.tells_settings());
    const std::string state = snapshot_of(first.take_core(), with_order("fcfs"));
    Past past = read({state, {lines[2]}, {"anna"}}, with_order("sjf"));
    EXPECT_TRUE(past.tells_settings());
    EXPECT_EQ(past.settings().policy.order, "fcfs");
    EXPECT_EQ(past.events(), 1U);
    EXPECT_EQ(past.name_count(), 1U);
    past.add_names({"bert"});
    EXPECT_EQ(past.take_names().text_of(NameId(2)), "bert");
    EXPECT_EQ(past.take_core().snapshot(), read({"", lines, {}}, with_order("fcfs")).take_core().snapshot());
}

TEST(Past, OfAnEarlierVersionIsReadUnderWhatWasToldBeside) {
    const auto lines = two_tasks();
    const std::string state = read({"", {lines[0], lines[1]}, {}}, with_order("fcfs")).take_core().snapshot();
    Past past = read({state, {lines[2]}, {}}, with_order("fcfs"));
    EXPECT_FALSE(past.tells_settings());
    EXPECT_EQ(past.take_core().waiting_count(), 2U);
}

TEST(Past, ReadOnLineByLineIsTheSameAsReadAtOnce) {
    const auto lines = two_tasks();
    Past past = read({});
    for (const std::string& line : lines) EXPECT_TRUE(past.add(std::vector<std::string>{line}));
    EXPECT_EQ(past.take_core().snapshot(), read({"", lines, {}}).take_core().snapshot());
}

TEST(Past, WhatCannotBeReadIsRefused) {
    for (const std::string& line : {std::string(), std::string("\xff"), line_of(Turn{kStart, {}}),
                                    line_of(Turn{kStart, {Tick{}}}) + "more", line_of(Turn{kStart, {}}) + "{}"}) {
        Past past(with_order("fcfs"));
        EXPECT_FALSE(past.add(std::vector<std::string>{line}));
    }
    Past past(with_order("fcfs"));
    EXPECT_FALSE(past.take_up({std::string("\0\x05{}", 4), {}, {}}));
}

}  // namespace
}  // namespace sy::server
