#include "service/metrics/text.h"

#include <cmath>

#include <fmt/format.h>

namespace sy::metrics {

namespace {

std::string_view word_of(Type type) {
    switch (type) {
        case Type::counter: return "counter";
        case Type::gauge: return "gauge";
        case Type::histogram: return "histogram";
    }
    return "untyped";
}

}  // namespace

void Text::family(std::string_view name, Type type, std::string_view help) {
    name_ = name;
    fmt::format_to(std::back_inserter(text_), "# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, word_of(type));
}

void Text::value(std::uint64_t amount, Labels labels) {
    name_and_labels("", labels);
    const fmt::format_int digits(amount);
    text_.append(digits.data(), digits.size());
    text_ += '\n';
}

void Text::value(double amount, Labels labels) {
    name_and_labels("", labels);
    number(amount);
    text_ += '\n';
}

void Text::value(const Histogram& histogram, Labels labels) {
    std::uint64_t below = 0;
    const auto line = [&](std::string_view suffix, std::string_view bound, std::uint64_t amount) {
        name_and_labels(suffix, labels, bound);
        text_ += fmt::format_int(amount).c_str();
        text_ += '\n';
    };
    for (std::size_t i = 0; i < histogram.bounds().size(); ++i) {
        below += histogram.counts()[i];
        line("_bucket", fmt::format("{}", histogram.bounds()[i]), below);
    }
    line("_bucket", "+Inf", histogram.count());
    name_and_labels("_sum", labels);
    number(histogram.sum());
    text_ += '\n';
    line("_count", "", histogram.count());
}

void Text::name_and_labels(std::string_view suffix, Labels labels, std::string_view bound) {
    text_ += name_;
    text_ += suffix;
    char before = '{';
    const auto add = [&](const Label& label) {
        text_ += before;
        text_ += label.name;
        text_ += "=\"";
        escaped(label.value);
        text_ += '"';
        before = ',';
    };
    for (const Label& label : labels) add(label);
    if (!bound.empty()) add({"le", bound});
    if (before == ',') text_ += '}';
    text_ += ' ';
}

void Text::number(double amount) {
    if (std::isnan(amount)) {
        text_ += "NaN";
    } else if (std::isinf(amount)) {
        text_ += amount > 0 ? "+Inf" : "-Inf";
    } else {
        fmt::format_to(std::back_inserter(text_), "{}", amount);
    }
}

void Text::escaped(std::string_view value) {
    for (const char c : value) {
        if (c == '\n') {
            text_ += "\\n";
            continue;
        }
        if (c == '"' || c == '\\') text_ += '\\';
        text_ += c;
    }
}

}  // namespace sy::metrics
