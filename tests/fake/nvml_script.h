// Script: what the fake cards are like right now, from the file that SWITCHYARD_FAKE_NVML names, read anew at each
// call.
//
//     cards 3                  how many; 2 where not said
//     0 used 5000000000        a value of card 0: used, utilization, temperature, power (mW), clock, ecc
//     0 process 4242 1000000   a process and its memory in bytes; "unknown" where the driver does not tell
//     0 xid 79                 an event; each line is told once
//     0 mig MIG-a              a slice
//     0 fails temperature 3    a call answers with this status; "all" for every call about the card
#pragma once

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace fake {

struct Card {
    std::map<std::string, unsigned long long> values;
    std::map<std::string, int> failures;
    std::vector<std::pair<unsigned, unsigned long long>> processes;
    std::vector<std::string> slices;
};

struct Script {
    unsigned cards = 2;
    std::map<unsigned, Card> card;
    std::vector<std::pair<unsigned, unsigned long long>> xids;
};

inline void read_line(std::istringstream& words, unsigned index, Script& script) {
    Card& card = script.card[index];
    std::string key;
    words >> key;
    if (key == "process") {
        unsigned pid = 0;
        std::string memory;
        words >> pid >> memory;
        card.processes.emplace_back(pid, memory == "unknown" ? ~0ULL : std::stoull(memory));
    } else if (key == "xid") {
        unsigned long long number = 0;
        words >> number;
        script.xids.emplace_back(index, number);
    } else if (key == "mig") {
        words >> card.slices.emplace_back();
    } else if (key == "fails") {
        words >> key;
        words >> card.failures[key];
    } else {
        words >> card.values[key];
    }
}

inline Script read_script() {
    Script script;
    const char* path = std::getenv("SWITCHYARD_FAKE_NVML");  // NOLINT(concurrency-mt-unsafe): one thread
    if (path == nullptr) return script;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string first;
        if (!(words >> first) || first.starts_with('#')) continue;
        if (first == "cards")
            words >> script.cards;
        else
            read_line(words, static_cast<unsigned>(std::stoul(first)), script);
    }
    return script;
}

}  // namespace fake
