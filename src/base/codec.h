// Codec: our nouns as bytes and back, for journals and snapshots.
//
// A struct that travels lists its members once:
//     struct Demand { GpuCount gpus; Bytes memory;  static constexpr auto fields() { return std::tuple{&Demand::gpus,
//     &Demand::memory}; } };
// The list is the format. Integers are little-endian base-128 (small numbers take one byte), signed ones zigzag, a
// double its bits as such a number, a variant is its index and then its value, an optional, a text or a vector a count
// and then the values.
//
// Decoding trusts nothing: a reader past its end, a number too large for its type, an index or count that cannot be,
// all leave the reader in a failed state, and what was read so far must not be used. Nothing throws, nothing allocates
// more than the input could hold.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"

namespace sy {

template <class T>
concept HasFields = requires {
    T::fields();
};

/// An Id or an amount: a number with a name.
template <class T>
concept Wrapped = requires(const T& t) {
    typename T::rep;
    t.value();
}
&&!HasFields<T>;

/// What is short, and most is, needs no memory of its own while it is written.
class ByteWriter {
public:
    ByteWriter() = default;
    ByteWriter(const ByteWriter&) = delete;
    ByteWriter& operator=(const ByteWriter&) = delete;

    std::string_view bytes() const { return {begin_, used_}; }
    std::string take() {
        if (large_.empty()) return std::string(begin_, std::exchange(used_, 0));
        large_.resize(std::exchange(used_, 0));
        begin_ = short_.data();
        size_ = short_.size();
        return std::exchange(large_, {});
    }

    void put_varint(std::uint64_t number) {
        char* at = room_for(kLongestNumber);
        while (number >= 0x80) {
            *at++ = static_cast<char>(number | 0x80);
            number >>= 7;
        }
        *at++ = static_cast<char>(number);
        used_ = static_cast<std::size_t>(at - begin_);
    }

    template <class T>
    void put(const T& value) {
        if constexpr (HasFields<T>) {
            std::apply([&](auto... member) { (put(value.*member), ...); }, T::fields());
        } else if constexpr (Wrapped<T>) {
            put(value.value());
        } else if constexpr (std::is_enum_v<T>) {
            put_varint(static_cast<std::uint64_t>(value));
        } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
            const auto wide = static_cast<std::int64_t>(value);
            put_varint((static_cast<std::uint64_t>(wide) << 1) ^ static_cast<std::uint64_t>(wide >> 63));
        } else if constexpr (std::is_same_v<T, double>) {
            put_varint(std::bit_cast<std::uint64_t>(value));
        } else {
            static_assert(std::is_unsigned_v<T>, "this type has no format: give it fields()");
            put_varint(value);
        }
    }
    void put(Duration d) { put(d.count()); }
    void put(Instant t) { put(t.time_since_epoch()); }
    template <class T>
    void put(const std::optional<T>& value) {
        put_varint(value ? 1 : 0);
        if (value) put(*value);
    }
    void put(const std::string& text) {
        put_varint(text.size());
        text.copy(room_for(text.size()), text.size());
        used_ += text.size();
    }
    template <class T>
    void put(const std::vector<T>& values) {
        put_varint(values.size());
        for (const auto& value : values) put(value);
    }
    template <class... Ts>
    void put(const std::variant<Ts...>& value) {
        put_varint(value.index());
        std::visit([&](const auto& alternative) { put(alternative); }, value);
    }

private:
    static constexpr std::size_t kLongestNumber = 10;

    char* room_for(std::size_t more) {
        if (size_ - used_ < more) grow(more);
        return begin_ + used_;
    }
    void grow(std::size_t more) {
        std::string larger(std::max(2 * size_, used_ + more), '\0');
        bytes().copy(larger.data(), used_);
        large_ = std::move(larger);
        begin_ = large_.data();
        size_ = large_.size();
    }

    std::array<char, 240> short_;
    std::string large_;  ///< Once `short_` was not enough.
    char* begin_ = short_.data();
    std::size_t size_ = short_.size();
    std::size_t used_ = 0;
};

class ByteReader {
public:
    explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

    bool ok() const { return ok_; }
    bool at_end() const { return rest_.empty(); }
    std::size_t left() const { return rest_.size(); }

    std::uint64_t get_varint() {
        std::uint64_t number = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (rest_.empty()) return fail();
            const auto byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            if (shift == 63 && byte > 1) return fail();  // more than 64 bits
            number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80) return shift > 0 && byte == 0 ? fail() : number;  // one number, one spelling
        }
        return fail();
    }

    template <class T>
    void get(T& value) {
        if constexpr (HasFields<T>) {
            std::apply([&](auto... member) { (get(value.*member), ...); }, T::fields());
        } else if constexpr (Wrapped<T>) {
            typename T::rep number{};
            get(number);
            value = T(number);
        } else if constexpr (std::is_enum_v<T>) {
            value = static_cast<T>(get_bounded(static_cast<std::uint64_t>(last_of(T{}))));
        } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
            const std::uint64_t zigzag = get_varint();
            const auto wide = static_cast<std::int64_t>((zigzag >> 1) ^ (0 - (zigzag & 1)));
            if (wide < std::numeric_limits<T>::min() || wide > std::numeric_limits<T>::max()) fail();
            value = static_cast<T>(wide);
        } else if constexpr (std::is_same_v<T, double>) {
            value = std::bit_cast<double>(get_varint());
        } else {
            static_assert(std::is_unsigned_v<T>, "this type has no format: give it fields()");
            value = static_cast<T>(get_bounded(std::numeric_limits<T>::max()));
        }
    }
    void get(Duration& d) {
        Duration::rep count{};
        get(count);
        d = Duration(count);
    }
    void get(Instant& t) {
        Duration since{};
        get(since);
        t = Instant(since);
    }
    template <class T>
    void get(std::optional<T>& value) {
        if (get_bounded(1) == 0) return value.reset();
        get(value.emplace());
    }
    void get(std::string& text) {
        const std::uint64_t size = get_varint();
        if (size > rest_.size()) fail();
        text.assign(rest_.substr(0, size));
        rest_.remove_prefix(text.size());
    }
    template <class T>
    void get(std::vector<T>& values) {
        const std::uint64_t count = get_bounded(rest_.size());  // every element takes at least a byte
        values.clear();
        for (std::uint64_t i = 0; i < count && ok_; ++i) get(values.emplace_back());
    }
    template <class... Ts>
    void get(std::variant<Ts...>& value) {
        const std::uint64_t index = get_bounded(sizeof...(Ts) - 1);
        std::size_t candidate = 0;
        ((candidate++ == index ? get(value.template emplace<Ts>()) : void()), ...);
    }

private:
    std::uint64_t fail() {
        ok_ = false;
        rest_ = {};
        return 0;
    }
    std::uint64_t get_bounded(std::uint64_t largest) {
        const std::uint64_t number = get_varint();
        return number <= largest ? number : fail();
    }

    std::string_view rest_;
    bool ok_ = true;
};

template <class T>
std::string encode(const T& value) {
    ByteWriter writer;
    writer.put(value);
    return writer.take();
}

/// Nothing unless the bytes are exactly one value.
template <class T>
std::optional<T> decode(std::string_view bytes) {
    ByteReader reader(bytes);
    T value{};
    reader.get(value);
    if (!reader.ok() || !reader.at_end()) return std::nullopt;
    return value;
}

}  // namespace sy
