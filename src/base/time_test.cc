#include "base/time.h"

#include <gtest/gtest.h>

namespace sy {
namespace {

TEST(SecondsText, IsExactAndShort) {
    EXPECT_EQ(seconds_text(0s), "0");
    EXPECT_EQ(seconds_text(12s), "12");
    EXPECT_EQ(seconds_text(250ms), "0.25");
    EXPECT_EQ(seconds_text(3s + 1ns), "3.000000001");
    EXPECT_EQ(seconds_text(-1500ms), "-1.5");
}

TEST(SecondsText, ReadsBackToTheNanosecond) {
    for (const Duration d : {Duration(0), Duration(1), 2400h + 1ns, Duration(-7ms), Duration(24h * 36500)})
        EXPECT_EQ(parse_seconds(seconds_text(d)), d);
}

TEST(SecondsText, RefusesWhatIsNoPlainDecimal) {
    for (const char* text : {"", "-", ".", "1e3", "1.", "0.1234567891", "--1", "1.-5", "abc", "99999999999999999999"})
        EXPECT_EQ(parse_seconds(text).has_value(), std::string_view(text) == "1.") << text;
}

TEST(Later, StopsAtNever) {
    EXPECT_EQ(later(kStart, 5s), kStart + 5s);
    EXPECT_EQ(later(kEnd, Duration::max()), kNever);
}

}  // namespace
}  // namespace sy
