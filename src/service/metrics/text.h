// Text: measurements in Prometheus' text format, version 0.0.4, written straight into one string.
//
// A family is opened once and its samples follow it. Names are ours and taken as they are; values of labels may hold
// anything and are escaped. Amounts are in base units: seconds, bytes.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "service/metrics/histogram.h"

namespace sy::metrics {

inline constexpr const char* kContentType = "text/plain; version=0.0.4; charset=utf-8";

enum class Type { counter, gauge, histogram };

struct Label {
    std::string_view name;
    std::string_view value;
};
using Labels = std::initializer_list<Label>;

class Text {
public:
    void family(std::string_view name, Type type, std::string_view help);
    void value(std::uint64_t amount, Labels labels = {});
    void value(double amount, Labels labels = {});
    void value(const Histogram& histogram, Labels labels = {});

    /// A family of one sample.
    template <class Amount>
    void single(std::string_view name, Type type, std::string_view help, const Amount& amount) {
        family(name, type, help);
        value(amount);
    }

    void reserve(std::size_t bytes) { text_.reserve(bytes); }
    std::string take() { return std::move(text_); }

private:
    void name_and_labels(std::string_view suffix, Labels labels, std::string_view bound = {});
    void number(double amount);
    void escaped(std::string_view value);

    std::string text_;
    std::string_view name_;  ///< Of the family that is open; a literal of the caller's.
};

}  // namespace sy::metrics
