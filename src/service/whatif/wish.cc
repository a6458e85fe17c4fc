#include "service/whatif/wish.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sy::whatif {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestName = 200;

tl::unexpected<Error> wrong(std::string message, std::string fix = {}) {
    return fail(Fault::invalid_input, std::move(message), std::move(fix));
}

Result<void> read_orders(const Json& value, const Limits& limits, Wish& wish) {
    const auto is_word = [](const Json& word) { return word.is_string(); };
    if (!value.is_array() || value.empty() || value.size() > limits.orders ||
        !std::all_of(value.begin(), value.end(), is_word))
        return wrong(fmt::format("orders must be a list of 1 to {} names", limits.orders),
                     R"(for example "orders": ["fcfs", "sjf"])");
    for (const Json& order : value) {
        const auto name = order.get<std::string>();
        if (std::find(wish.orders.begin(), wish.orders.end(), name) != wish.orders.end())
            return wrong(fmt::format("orders has '{}' twice", name), "name it once");
        wish.orders.push_back(name);
    }
    return {};
}

Result<void> read_text(const std::string& key, const Json& value, std::string& into) {
    if (!value.is_string()) return wrong(fmt::format("{} must be a text", key));
    into = value.get<std::string>();
    return {};
}

Result<void> read_field(const std::string& key, const Json& value, const Limits& limits, Wish& wish) {
    if (key == "orders") return read_orders(value, limits, wish);
    if (key == "trace") return read_text(key, value, wish.trace);
    if (key == "fit") return read_text(key, value, wish.fit);
    if (key == "place") return read_text(key, value, wish.place);
    if (key == "name") {
        auto read = read_text(key, value, wish.name);
        if (read && (wish.name.empty() || wish.name.size() > kLongestName))
            return wrong(fmt::format("name must have 1 to {} bytes", kLongestName));
        return read;
    }
    if (key == "live") {
        if (!value.is_boolean()) return wrong("live must be true or false");
        wish.live = value.get<bool>();
        return {};
    }
    if (key == "cluster") {
        if (!value.is_string() && !value.is_object())
            return wrong("cluster must be a text such as \"4x8\", or a map with nodes");
        wish.cluster = value.is_string() ? value.get<std::string>() : value.dump();
        return {};
    }
    return wrong(fmt::format("a simulation has no field '{}'", key),
                 "it has trace or live, orders, fit, place, cluster and name");
}

}  // namespace

Result<Wish> read_wish(std::string_view body, const Limits& limits) {
    const Json json = Json::parse(body, nullptr, false);
    if (!json.is_object())
        return wrong("the body must be a map in JSON", R"(for example {"live": true, "orders": ["fcfs", "sjf"]})");
    Wish wish;
    for (const auto& [key, value] : json.items())
        if (auto read = read_field(key, value, limits, wish); !read) return tl::unexpected(read.error());
    if (wish.orders.empty()) return wrong("orders are missing", R"(for example "orders": ["fcfs", "sjf"])");
    if (wish.live == json.contains("trace"))
        return wrong(wish.live ? "both trace and live are given" : "neither trace nor live is given",
                     R"(send "trace" with a CSV text, or "live": true)");
    if (wish.live && body.size() > limits.small_body)
        return wrong(
            fmt::format("a request for the live queue has {} bytes, it may have {}", body.size(), limits.small_body));
    return wish;
}

}  // namespace sy::whatif
