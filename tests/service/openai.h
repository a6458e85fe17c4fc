// OpenAi: a service with real runners, asked as OpenAI's clients ask, for the tests of that.
#pragma once

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "service/service.h"

namespace sy::service_test {

/// A service with models of openai_runner.py.
class OpenAi {
public:
    explicit OpenAi(unsigned gpus = 1, std::vector<std::string> more = {})
        : service(gpus, settings(models_folder.path(), std::move(more))) {}

    static std::vector<std::string> settings(const std::string& folder, std::vector<std::string> more) {
        const std::string runner = std::string(SWITCHYARD_SOURCE_DIR) + "/tests/service/openai_runner.py";
        const auto model = [&](const char* load) {
            return Json{{"command", {"python3", runner}},
                        {"memory_mb", 5000},
                        {"env", {{"LOAD_S", load}, {"STARTED", folder + "/started"}}}};
        };
        const std::string server = std::string(SWITCHYARD_SOURCE_DIR) + "/examples/runner/openai_server.py";
        const Json served{
            {"server", {"python3", server, "--port", "${PORT}"}}, {"memory_mb", 5000}, {"aliases", {"another name"}}};
        std::ofstream(folder + "/models.yaml")
            << Json{{"models",
                     {{"small", model("0")}, {"org/large:7b", model("0")}, {"slow", model("30")}, {"served", served}}}};
        more.insert(more.end(), {"--models-file", folder + "/models.yaml", "--retry-backoff-seconds", "0"});
        return more;
    }

    Json ask(const std::string& method, const std::string& path, const Json& body = nullptr) {
        const auto response = service.ask(method, path, body.is_null() ? "" : body.dump());
        if (!response) return {{"unreachable", response.error().message}};
        status = response->status;
        return Json::parse(response->body, nullptr, false);
    }
    Json chat(const std::string& wish, Json more = Json::object()) {
        return ask("POST", "/v1/chat/completions", chat_body(wish, std::move(more)));
    }
    static Json chat_body(const std::string& wish, Json more = Json::object()) {
        if (!more.contains("model")) more["model"] = "small";
        more["messages"] = Json::array({Json{{"role", "user"}, {"content", wish}}});
        return more;
    }
    std::string started() const {
        std::ifstream in(models_folder.path() + "/started");
        return {std::istreambuf_iterator<char>(in), {}};
    }
    bool wait_for_start(const std::string& what) const {
        for (int i = 0; i < 4000 && started().find(what) == std::string::npos; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return started().find(what) != std::string::npos;
    }

    /// The id of a file with these lines.
    std::string send_file(const std::string& content) {
        const std::string form =
            "--xYz\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n--xYz\r\n"
            "Content-Disposition: form-data; name=\"file\"; filename=\"in.jsonl\"\r\n\r\n" +
            content + "\r\n--xYz--\r\n";
        const std::string heard =
            service.say(fmt::format("POST /v1/files HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                                    "Content-Type: multipart/form-data; boundary=xYz\r\nContent-Length: {}\r\n\r\n{}",
                                    form.size(), form));
        const Json file = Json::parse(heard.substr(std::min(heard.size(), heard.find("\r\n\r\n"))), nullptr, false);
        return file.is_object() ? file.value("id", heard) : heard;
    }
    Json add_batch(const std::string& content, Json more = Json::object()) {
        Json wish{
            {"input_file_id", send_file(content)}, {"endpoint", "/v1/chat/completions"}, {"completion_window", "24h"}};
        wish.update(more);
        return ask("POST", "/v1/batches", wish);
    }
    static std::string line(const std::string& id, const std::string& wish, const Json& more = Json::object(),
                            Json body = Json::object()) {
        Json json{{"custom_id", id},
                  {"method", "POST"},
                  {"url", "/v1/chat/completions"},
                  {"body", chat_body(wish, std::move(body))}};
        json.update(more);
        return json.dump() + "\n";
    }
    Json wait_for_end(const std::string& id) {
        static const std::set<std::string> kEnds{"completed", "failed", "cancelled", "expired"};
        Json batch;
        for (int i = 0; i < 3000; ++i) {
            batch = ask("GET", "/v1/batches/" + id);
            if (kEnds.contains(batch.value("status", ""))) return batch;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return batch;
    }
    /// The lines of a file, by custom_id; a doubled one counts as a failure.
    std::map<std::string, Json> lines_of(const Json& file) {
        std::map<std::string, Json> lines;
        if (!file.is_string()) return lines;
        std::istringstream text(service.ask("GET", "/v1/files/" + file.get<std::string>() + "/content")->body);
        for (std::string one; std::getline(text, one);) {
            const Json json = Json::parse(one);
            EXPECT_TRUE(lines.emplace(json["custom_id"], json).second) << json["custom_id"] << " is there twice";
        }
        return lines;
    }
    static std::string said(const Json& answer) { return answer["choices"][0]["message"]["content"]; }

    TestFolder models_folder;
    Service service;
    unsigned status = 0;
};

}  // namespace sy::service_test
