// switchyard completion: tab completion for the shells people use, made from the same descriptions as the help.
#include <memory>

#include <fmt/format.h>

#include "cli/commands.h"

namespace sy::cli {

namespace {

std::string words_after(const Command& command) {
    std::string words = "--help";
    for (const Option& option : command.options) {
        if (!option.is_positional()) words += " " + option.name;
        if (option.is_positional())
            for (const std::string& choice : option.choices) words += " " + choice;
    }
    return words;
}

std::string names(const std::vector<Command>& commands) {
    std::string all;
    for (const Command& command : commands) all += (all.empty() ? "" : " ") + command.name;
    return all;
}

std::string bash(const std::vector<Command>& commands) {
    std::string cases;
    for (const Command& command : commands)
        cases += fmt::format("        {}) words=\"{}\" ;;\n", command.name, words_after(command));
    return fmt::format(R"(_switchyard() {{
    local words
    case "${{COMP_WORDS[1]}}" in
{}        *) words="{} --help --version" ;;
    esac
    [ "$COMP_CWORD" -eq 1 ] && words="{} --help --version"
    COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _switchyard switchyard
)",
                       cases, names(commands), names(commands));
}

std::string zsh(const std::vector<Command>& commands) {
    std::string described;
    std::string cases;
    for (const Command& command : commands) {
        described += fmt::format("        '{}:{}'\n", command.name, command.summary);
        cases += fmt::format("        {}) compadd -- {} ;;\n", command.name, words_after(command));
    }
    return fmt::format(R"(#compdef switchyard
_switchyard() {{
    local -a commands
    commands=(
{}    )
    if (( CURRENT == 2 )); then
        _describe 'command' commands
        return
    fi
    case "$words[2]" in
{}    esac
    _files
}}
compdef _switchyard switchyard
)",
                       described, cases);
}

std::string fish(const std::vector<Command>& commands) {
    std::string lines;
    for (const Command& command : commands) {
        lines += fmt::format("complete -c switchyard -n __fish_use_subcommand -f -a {} -d '{}'\n", command.name,
                             command.summary);
        const std::string when = fmt::format("-n '__fish_seen_subcommand_from {}'", command.name);
        for (const Option& option : command.options) {
            if (!option.is_positional()) {
                lines += fmt::format("complete -c switchyard {} -l {} -d '{}'{}\n", when, option.name.substr(2),
                                     option.help, option.placeholder.empty() ? "" : " -r");
            } else if (!option.choices.empty()) {
                lines += fmt::format("complete -c switchyard {} -f -a '{}'\n", when, fmt::join(option.choices, " "));
            }
        }
    }
    return lines;
}

}  // namespace

Command completion_command() {
    const auto shell = std::make_shared<std::string>();
    return {.name = "completion",
            .summary = "Print a tab completion script for a shell",
            .examples =
                "  switchyard completion bash > /etc/bash_completion.d/switchyard\n"
                "  switchyard completion zsh > ~/.zfunc/_switchyard\n"
                "  switchyard completion fish > ~/.config/fish/completions/switchyard.fish",
            .options = {{"SHELL", "SHELL", "bash, zsh or fish", shell.get(), {"bash", "zsh", "fish"}, true}},
            .run = [shell] {
                const auto commands = all_commands();
                fmt::print("{}", *shell == "bash" ? bash(commands) : *shell == "zsh" ? zsh(commands) : fish(commands));
                return Exit::done;
            }};
}

}  // namespace sy::cli
