#include "service/wire/frames.h"

#include <gtest/gtest.h>

#include "service/wire/messages.h"

namespace sy::wire {
namespace {

const Assignment kAssignment{{{GpuId(3), 2}, SessionId(1), TaskId(7), 1, Fence(9), 60s},
                             {{"sh", "-c", std::string("a\0b", 3)}, {{"A", "b"}}, "/tmp", "input"}};

TEST(Frames, ComeOutAsTheyWentInHoweverTheyAreCut) {
    const ToWorker first = kAssignment;
    const ToWorker second = ReportHeard{GpuId(3), Fence(9)};
    const std::string stream = frame_of(first) + frame_of(second);
    for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
        Frames frames;
        std::vector<ToWorker> seen;
        for (const std::string& part : {stream.substr(0, cut), stream.substr(cut)}) {
            frames.add(part);
            while (auto message = frames.next<ToWorker>()) seen.push_back(*message);
        }
        ASSERT_EQ(seen, (std::vector{first, second})) << "cut at " << cut;
    }
}

TEST(Frames, WhatIsNoMessageOfOursBreaksThem) {
    Frames too_large;
    too_large.add("\xff\xff\xff\xff");
    EXPECT_FALSE(too_large.next<ToServer>());
    EXPECT_TRUE(too_large.is_broken());
    Frames nonsense;
    nonsense.add(std::string("\x02\0\0\0\x63\x63", 6));
    EXPECT_FALSE(nonsense.next<ToServer>());
    EXPECT_TRUE(nonsense.is_broken());
}

}  // namespace
}  // namespace sy::wire
