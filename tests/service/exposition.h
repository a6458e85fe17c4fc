// Exposition: a strict reader of Prometheus' text format, as much of it as we write. Every breach is a sentence.
#pragma once

#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace sy::service_test {

class Exposition {
public:
    explicit Exposition(const std::string& text) {
        if (!text.empty() && text.back() != '\n') complain("the page does not end its last line");
        std::stringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            ++number_;
            line.starts_with("#") ? read_comment(line) : read_sample(line);
        }
        close_family();
    }

    const std::string& complaints() const { return complaints_; }
    /// NaN where there is no such sample. The key is as it stands on the page: name{label="value"}.
    double value(const std::string& key) const {
        const auto found = samples_.find(key);
        return found == samples_.end() ? std::nan("") : found->second;
    }
    bool has_family(const std::string& name) const { return families_.contains(name); }

private:
    void complain(const std::string& what) { complaints_ += "line " + std::to_string(number_) + ": " + what + "\n"; }

    void read_comment(const std::string& line) {
        std::stringstream words(line);
        std::string hash, kind, name, rest;
        words >> hash >> kind >> name >> rest;
        if (kind == "HELP") {
            close_family();
            if (!families_.insert(name).second) complain("family " + name + " comes twice");
            if (rest.empty()) complain("family " + name + " has no help");
            family_ = name;
            type_.clear();
        } else if (kind == "TYPE") {
            if (name != family_) complain("the type of " + name + " stands with " + family_);
            if (rest != "counter" && rest != "gauge" && rest != "histogram") complain("no such type: " + rest);
            type_ = rest;
        } else {
            complain("a comment that says nothing");
        }
    }

    void read_sample(const std::string& line) {
        std::size_t at = line.find_first_of("{ ");
        const std::string name = line.substr(0, at);
        const std::string suffix = name.starts_with(family_) ? name.substr(family_.size()) : "?";
        const bool fits = type_ == "histogram" ? suffix == "_bucket" || suffix == "_sum" || suffix == "_count"
                                               : !type_.empty() && suffix.empty();
        if (!fits) complain(name + " stands in family " + family_);
        std::map<std::string, std::string> labels;
        if (at < line.size() && line[at] == '{') at = read_labels(line, at + 1, labels);
        if (at >= line.size() || line[at] != ' ') return complain("no value after " + name);
        const std::string key = line.substr(0, at);
        char* end = nullptr;
        const double value = std::strtod(line.c_str() + at + 1, &end);
        if (end == line.c_str() + at + 1 || *end != '\0') complain("no number: " + line.substr(at + 1));
        if (!samples_.emplace(key, value).second) complain(key + " comes twice");
        if (type_ == "counter" && !(value >= 0)) complain(key + " is a counter below zero");
        if (suffix == "_bucket") buckets_.push_back({labels["le"], value});
        if (suffix == "_count") check_buckets(value);
    }

    std::size_t read_labels(const std::string& line, std::size_t at, std::map<std::string, std::string>& labels) {
        for (;;) {
            const std::size_t equals = line.find("=\"", at);
            if (equals == std::string::npos) return complain("a label without a value"), line.size();
            const std::string name = line.substr(at, equals - at);
            std::string value;
            for (at = equals + 2; at < line.size() && line[at] != '"'; ++at) {
                if (line[at] == '\\' && ++at < line.size() && line[at] != 'n' && line[at] != '"' && line[at] != '\\')
                    complain("no such escape");
                value += line[at];
            }
            if (!labels.emplace(name, value).second) complain("label " + name + " comes twice");
            if (++at < line.size() && line[at] == '}') return at + 1;
            if (at >= line.size() || line[at++] != ',') return complain("labels that do not end"), line.size();
        }
    }

    void check_buckets(double count) {
        for (std::size_t i = 1; i < buckets_.size(); ++i)
            if (buckets_[i].second < buckets_[i - 1].second) complain("a bucket holds less than the one below it");
        if (buckets_.empty() || buckets_.back().first != "+Inf" || buckets_.back().second != count)
            complain("the last bucket is not all there is");
        buckets_.clear();
    }

    void close_family() {
        if (!buckets_.empty()) complain("a histogram without its count");
        buckets_.clear();
    }

    std::size_t number_ = 0;
    std::string complaints_, family_, type_;
    std::set<std::string> families_;
    std::map<std::string, double> samples_;
    std::vector<std::pair<std::string, double>> buckets_;
};

}  // namespace sy::service_test
