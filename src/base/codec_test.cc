#include "base/codec.h"

#include <initializer_list>
#include <limits>

#include <gtest/gtest.h>

#include "base/ids.h"
#include "base/units.h"

namespace sy {
namespace {

enum class Colour : std::uint8_t { red, green, blue };
constexpr Colour last_of(Colour) {
    return Colour::blue;
}

struct Dot {
    std::int32_t x = 0;
    std::int32_t y = 0;

    static constexpr auto fields() { return std::tuple{&Dot::x, &Dot::y}; }
    friend bool operator==(const Dot&, const Dot&) = default;
};

struct Circle {
    Dot centre;
    std::uint8_t radius = 0;

    static constexpr auto fields() { return std::tuple{&Circle::centre, &Circle::radius}; }
    friend bool operator==(const Circle&, const Circle&) = default;
};

struct Blank {
    static constexpr auto fields() { return std::tuple{}; }
    friend bool operator==(const Blank&, const Blank&) = default;
};

using Shape = std::variant<Dot, Circle, Blank>;

struct Picture {
    TaskId id;
    Colour colour = Colour::red;
    bool framed = false;
    std::optional<Bytes> size;
    std::vector<Shape> shapes;
    Duration lasts{};
    Instant drawn;

    static constexpr auto fields() {
        return std::tuple{&Picture::id,     &Picture::colour, &Picture::framed, &Picture::size,
                          &Picture::shapes, &Picture::lasts,  &Picture::drawn};
    }
    friend bool operator==(const Picture&, const Picture&) = default;
};

const Picture full_picture{.id = TaskId(300),
                           .colour = Colour::blue,
                           .framed = true,
                           .size = gigabytes(80),
                           .shapes = {Dot{-1, 200}, Circle{{7, -70'000}, 255}, Blank{}},
                           .lasts = -1ns,
                           .drawn = kEnd};

std::string bytes(std::initializer_list<unsigned> values) {
    std::string text;
    for (const unsigned value : values) text.push_back(static_cast<char>(value));
    return text;
}

template <class T>
void expect_round_trip(const T& value) {
    const auto decoded = decode<T>(encode(value));
    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(*decoded, value);
}

TEST(Codec, AWriterGoesOnFromShortToLongAndBeginsAnewWhenTaken) {
    ByteWriter writer;
    std::string expected;
    for (std::uint64_t i = 0; i < 1'000; ++i) {
        writer.put(std::string(i % 7, 'x'));
        expected += static_cast<char>(i % 7) + std::string(i % 7, 'x');
        ASSERT_EQ(writer.bytes(), expected) << i;
    }
    EXPECT_EQ(writer.take(), expected);
    EXPECT_EQ(writer.bytes(), "");
    writer.put(std::string(100'000, 'y'));
    EXPECT_EQ(writer.bytes().size(), 100'003U);
    EXPECT_EQ(writer.take().size(), 100'003U);
    writer.put_varint(5);
    EXPECT_EQ(writer.take(), bytes({5}));
}

template <class T>
void expect_extremes_survive() {
    expect_round_trip(std::numeric_limits<T>::min());
    expect_round_trip(std::numeric_limits<T>::max());
}

TEST(Codec, StructComesBackAsItWas) {
    expect_round_trip(full_picture);
    expect_round_trip(Picture{});
}

TEST(Codec, ExtremesOfEveryWidthComeBack) {
    expect_extremes_survive<std::uint8_t>();
    expect_extremes_survive<std::uint32_t>();
    expect_extremes_survive<std::uint64_t>();
    expect_extremes_survive<std::int8_t>();
    expect_extremes_survive<std::int32_t>();
    expect_extremes_survive<std::int64_t>();
    expect_round_trip(kNever);
    expect_round_trip(Duration::min());
    expect_round_trip(TaskId(std::numeric_limits<std::uint64_t>::max()));
}

TEST(Codec, OptionalVectorAndVariantComeBack) {
    expect_round_trip(std::optional<Dot>{});
    expect_round_trip(std::optional<Dot>{Dot{0, 0}});
    expect_round_trip(std::vector<std::int64_t>{});
    expect_round_trip(std::vector<std::int64_t>{-1, 0, 1});
    for (const Shape& shape : {Shape{Dot{1, 2}}, Shape{Circle{{3, 4}, 5}}, Shape{Blank{}}}) expect_round_trip(shape);
}

TEST(Codec, FormatIsPinned) {
    EXPECT_EQ(encode(std::uint32_t{127}), bytes({0x7f}));
    EXPECT_EQ(encode(std::uint32_t{300}), bytes({0xac, 0x02}));
    EXPECT_EQ(encode(std::int32_t{-1}), bytes({0x01}));
    EXPECT_EQ(encode(std::int32_t{1}), bytes({0x02}));
    EXPECT_EQ(encode(std::optional<bool>{true}), bytes({0x01, 0x01}));
    EXPECT_EQ(encode(std::vector<Shape>{Blank{}, Dot{1, -2}}), bytes({0x02, 0x02, 0x00, 0x02, 0x03}));
}

TEST(Codec, TextCutAtAnyByteIsRefused) {
    const std::string whole = encode(full_picture);
    for (std::size_t length = 0; length < whole.size(); ++length)
        EXPECT_EQ(decode<Picture>(whole.substr(0, length)), std::nullopt) << "cut to " << length << " bytes";
}

TEST(Codec, TrailingByteIsRefused) {
    EXPECT_EQ(decode<Picture>(encode(full_picture) + '\0'), std::nullopt);
    EXPECT_EQ(decode<Blank>(bytes({0x00})), std::nullopt);
    EXPECT_EQ(decode<Blank>(""), Blank{});
}

TEST(Codec, OverlongSpellingOfANumberIsRefused) {
    EXPECT_EQ(decode<std::uint64_t>(bytes({0x05})), 5U);
    EXPECT_EQ(decode<std::uint64_t>(bytes({0x85, 0x00})), std::nullopt);
    EXPECT_EQ(decode<std::uint64_t>(bytes({0x80, 0x00})), std::nullopt);
    EXPECT_EQ(decode<std::int64_t>(bytes({0x81, 0x80, 0x00})), std::nullopt);
}

TEST(Codec, NumberPastSixtyFourBitsIsRefused) {
    const std::string nine(9, '\xff');
    EXPECT_EQ(decode<std::uint64_t>(nine + bytes({0x01})), std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(decode<std::uint64_t>(nine + bytes({0x02})), std::nullopt);
    EXPECT_EQ(decode<std::uint64_t>(nine + bytes({0x81, 0x01})), std::nullopt);
    EXPECT_EQ(decode<std::uint64_t>(std::string(1000, '\xff')), std::nullopt);
}

TEST(Codec, NumberTooLargeForItsTypeIsRefused) {
    EXPECT_EQ(decode<std::uint8_t>(encode(std::uint32_t{255})), 255);
    EXPECT_EQ(decode<std::uint8_t>(encode(std::uint32_t{256})), std::nullopt);
    EXPECT_EQ(decode<GpuId>(encode(std::uint64_t{1} << 32)), std::nullopt);
    EXPECT_EQ(decode<std::int8_t>(encode(std::int32_t{-128})), -128);
    EXPECT_EQ(decode<std::int8_t>(encode(std::int32_t{-129})), std::nullopt);
    EXPECT_EQ(decode<std::int8_t>(encode(std::int32_t{128})), std::nullopt);
    EXPECT_EQ(decode<bool>(bytes({0x02})), std::nullopt);
}

TEST(Codec, ChoiceThatDoesNotExistIsRefused) {
    EXPECT_EQ(decode<Colour>(bytes({0x02})), Colour::blue);
    EXPECT_EQ(decode<Colour>(bytes({0x03})), std::nullopt);
    EXPECT_EQ(decode<Shape>(bytes({0x02})), Shape{Blank{}});
    EXPECT_EQ(decode<Shape>(bytes({0x03})), std::nullopt);
    EXPECT_EQ(decode<std::optional<bool>>(bytes({0x02, 0x01})), std::nullopt);
}

TEST(Codec, CountThatTheBytesCannotHoldIsRefusedBeforeAnythingIsKept) {
    using Numbers = std::vector<std::uint8_t>;
    EXPECT_EQ(decode<Numbers>(bytes({0x02, 0x07, 0x08})), (Numbers{7, 8}));
    EXPECT_EQ(decode<Numbers>(bytes({0x03, 0x07, 0x08})), std::nullopt);

    Numbers kept;
    const std::string huge = encode(std::numeric_limits<std::uint64_t>::max());
    ByteReader reader(huge);
    reader.get(kept);
    EXPECT_FALSE(reader.ok());
    EXPECT_EQ(kept.capacity(), 0U);
}

TEST(Codec, WhateverIsAcceptedHasOneSpelling) {
    const std::string whole = encode(full_picture);
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (unsigned value = 0; value < 256; ++value) {
            std::string changed = whole;
            changed[at] = static_cast<char>(value);
            const auto picture = decode<Picture>(changed);
            EXPECT_TRUE(!picture || encode(*picture) == changed) << "byte " << at << " set to " << value;
        }
    }
}

TEST(Codec, ATextThatIsShorterThanItSaysIsRefused) {
    const std::string text("a\0b", 3);
    EXPECT_EQ(decode<std::string>(encode(text)), text);
    EXPECT_EQ(decode<std::string>(std::string("\x04", 1) + text), std::nullopt);
    EXPECT_EQ(decode<std::string>(std::string("\x02", 1) + text), std::nullopt);
    EXPECT_EQ(decode<double>(encode(0.1)), 0.1);
}

}  // namespace
}  // namespace sy
