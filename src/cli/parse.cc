#include "cli/parse.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <limits>
#include <type_traits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/build_info.h"
#include "input/fields.h"

namespace sy::cli {

namespace {

constexpr const char* kIntroduction =
    "Switchyard schedules AI work on GPUs: what runs next, where, when, and through which nodes.";

constexpr double kLargestReal = 1e6;

template <class Number>
std::string check_number(const Option& option, const std::string& text, Number& target) {
    constexpr bool kIsWhole = std::is_integral_v<Number>;
    const double most = option.most.value_or(kIsWhole ? std::numeric_limits<double>::max() : kLargestReal);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), target);
    const bool is_number = error == std::errc{} && end == text.data() + text.size();
    const auto value = static_cast<double>(target);
    if (is_number && value >= option.least && value <= most) return {};
    return fmt::format("{} is '{}', it must be a {} from {}{}", option.name, text, kIsWhole ? "whole number" : "number",
                       fmt::format("{:.15g}", option.least),
                       kIsWhole && !option.most ? "" : fmt::format(" to {:.15g}", most));
}

std::string check_choice(const Option& option, const std::string& text) {
    if (option.choices.empty()) return {};
    for (const std::string& choice : option.choices)
        if (choice == text) return {};
    return fmt::format("{} is '{}', it must be one of: {}", option.name, text, fmt::join(option.choices, ", "));
}

void add(CLI::App& app, const Option& option) {
    if (bool* const* flag = std::get_if<bool*>(&option.target)) {
        app.add_flag(option.name, **flag, option.help);
        return;
    }
    const auto take = [&option](const std::string& text) {
        std::string complaint = check_choice(option, text);
        if (auto* const* number = std::get_if<std::uint64_t*>(&option.target)) {
            complaint = check_number(option, text, **number);
        } else if (auto* const* real = std::get_if<double*>(&option.target)) {
            complaint = check_number(option, text, **real);
        } else if (complaint.empty()) {
            *std::get<std::string*>(option.target) = text;
        }
        if (text.empty() && complaint.empty() && !option.may_be_empty)
            complaint = fmt::format("{} is empty: leave it out, or say what it is", option.name);
        if (!complaint.empty()) throw CLI::ValidationError(complaint);
    };
    CLI::Option* added = app.add_option_function<std::string>(option.name, take, option.help);
    added->type_name(option.is_positional() ? "" : option.placeholder)->required(option.required)->take_last();
}

void add(CLI::App& app, const Command& command) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    sub->footer("\nExamples:\n" + command.examples);
    for (const Option& option : command.options) add(*sub, option);
}

std::vector<std::string_view> names_of(const std::vector<Command>& commands) {
    std::vector<std::string_view> names;
    for (const Command& command : commands) names.push_back(command.name);
    return names;
}

/// The parser would only say that something is left over; people mistype the command far more often.
std::optional<Error> unknown_command(const std::vector<Command>& commands, const std::vector<std::string>& arguments) {
    if (arguments.empty() || arguments.front().starts_with("-")) return std::nullopt;
    const auto names = names_of(commands);
    if (std::find(names.begin(), names.end(), arguments.front()) != names.end()) return std::nullopt;
    const auto meant = input::nearest_word(arguments.front(), names);
    return Error{Fault::usage, fmt::format("there is no command '{}'", arguments.front()),
                 meant ? fmt::format("did you mean 'switchyard {}'?", *meant)
                       : fmt::format("commands: {}; 'switchyard --help' tells more", fmt::join(names, ", "))};
}

/// What stands after `--` is not ours to parse.
void set_rest_aside(const std::vector<Command>& commands, std::vector<std::string>& arguments) {
    for (const Command& command : commands) {
        if (arguments.empty() || command.name != arguments.front() || command.rest == nullptr) continue;
        const auto mark = std::find(arguments.begin(), arguments.end(), "--");
        if (mark == arguments.end()) return;
        command.rest->assign(mark + 1, arguments.end());
        arguments.erase(mark, arguments.end());
        return;
    }
}

std::vector<std::string> long_options(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

/// The parser calls everything it has no use for unexpected; a mistyped option deserves its name.
Error unexpected(const CLI::App& command, const std::string& word, const std::string& help) {
    if (!word.starts_with("-")) return {Fault::usage, fmt::format("'{}' is one argument too many", word), help};
    const std::string option = word.substr(0, word.find('='));
    const auto names = long_options(command);
    const auto meant = input::nearest_word(option, {names.begin(), names.end()});
    return {Fault::usage, fmt::format("there is no option '{}'", option),
            meant ? fmt::format("did you mean '{}'? {}", *meant, help) : help};
}

Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    const CLI::App& command = chosen.empty() ? app : *chosen.front();
    const std::string help =
        fmt::format("'switchyard{} --help' shows what it takes", chosen.empty() ? "" : " " + command.get_name());
    const auto left = command.remaining();
    const bool is_left_over = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr || chosen.empty();
    if (is_left_over && !left.empty()) {
        const auto option = std::find_if(left.begin(), left.end(), [](const auto& w) { return w.starts_with("-"); });
        return unexpected(command, option == left.end() ? left.front() : *option, help);
    }
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
        const std::string what = error.what();
        return {Fault::usage, what.substr(0, what.find(':')) + " wants a value after it", help};
    }
    return {Fault::usage, error.what(), help};
}

}  // namespace

Exit run_command_line(const std::vector<Command>& commands, std::vector<std::string> arguments) {
    if (const auto error = unknown_command(commands, arguments)) return complain(*error);
    set_rest_aside(commands, arguments);

    CLI::App app(kIntroduction, "switchyard");
    app.set_version_flag("--version", std::string("switchyard ") + kVersion);
    app.require_subcommand(1);
    for (const Command& command : commands) add(app, command);
    if (arguments.empty()) {
        fmt::print("{}", app.help());
        return Exit::usage;
    }
    try {
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // the parser wants them reversed
    } catch (const CLI::Success& help) {
        app.exit(help);
        return Exit::done;
    } catch (const CLI::ParseError& error) {
        return complain(usage_error(app, error));
    }
    const std::string chosen = app.get_subcommands().front()->get_name();
    for (const Command& command : commands)
        if (command.name == chosen) return command.run();
    return Exit::usage;
}

}  // namespace sy::cli
