// The manifests in deploy/kubernetes, read as a cluster would read them, as far as that can be done without one: what
// refers to something refers to something that is there, and every flag is one of the binary's.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "cli/cli.h"

namespace sy::cli {
namespace {

const fs::path kFolder = fs::path(SWITCHYARD_SOURCE_DIR) / "deploy" / "kubernetes";

using Labels = std::map<std::string, std::string>;

struct Object {
    std::string file;
    YAML::Node yaml;

    std::string kind() const { return yaml["kind"].as<std::string>(); }
    std::string name() const { return yaml["metadata"]["name"].as<std::string>(); }
    std::string title() const { return file + ": " + kind() + " " + name(); }
    YAML::Node pod() const { return yaml["spec"]["template"]["spec"]; }
    Labels pod_labels() const { return yaml["spec"]["template"]["metadata"]["labels"].as<Labels>(); }
};

std::vector<fs::path> files() {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(kFolder))
        if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    return paths;
}

std::vector<Object> objects() {
    std::vector<Object> all;
    for (const fs::path& path : files())
        for (const YAML::Node& document : YAML::LoadAllFromFile(path.string()))
            all.push_back({path.filename().string(), document});
    return all;
}

std::vector<Object> deployments() {
    std::vector<Object> all = objects();
    std::erase_if(all, [](const Object& object) { return object.kind() != "Deployment"; });
    return all;
}

/// What may be applied together: one of the two schedulers, and the workers.
std::vector<Object> applied_with(const Object& object) {
    std::vector<Object> all = objects();
    const std::string other = object.file == "scheduler.yaml" ? "scheduler-redis.yaml" : "scheduler.yaml";
    std::erase_if(all, [&](const Object& one) { return one.file == other; });
    return all;
}

bool selects(const Labels& selector, const Labels& labels) {
    return !selector.empty() && std::all_of(selector.begin(), selector.end(), [&](const auto& pair) {
        const auto found = labels.find(pair.first);
        return found != labels.end() && found->second == pair.second;
    });
}

std::set<std::string> names_in(const YAML::Node& list) {
    std::set<std::string> names;
    for (const YAML::Node& entry : list) names.insert(entry["name"].as<std::string>());
    return names;
}

std::string argument(const YAML::Node& container, const std::string& flag) {
    for (const YAML::Node& arg : container["args"])
        if (const auto text = arg.as<std::string>(); text.starts_with(flag + "=")) return text.substr(flag.size() + 1);
    return "";
}

class Kubernetes : public Cli {};

TEST_F(Kubernetes, EveryObjectIsOfAKindAndVersionThatThereIs) {
    static const std::map<std::string, std::string> kVersions{{"Deployment", "apps/v1"},
                                                              {"Service", "v1"},
                                                              {"PersistentVolumeClaim", "v1"},
                                                              {"PodDisruptionBudget", "policy/v1"}};
    std::set<std::string> seen;
    for (const Object& object : objects()) {
        ASSERT_TRUE(kVersions.contains(object.kind())) << object.title();
        EXPECT_EQ(object.yaml["apiVersion"].as<std::string>(), kVersions.at(object.kind())) << object.title();
        const std::string name = object.name();
        EXPECT_TRUE(std::all_of(name.begin(), name.end(), [](char c) { return std::islower(c) != 0 || c == '-'; }));
        EXPECT_TRUE(seen.insert(object.title()).second) << object.title() << " twice";
    }
    EXPECT_EQ(seen.size(), 7U);
}

TEST_F(Kubernetes, SelectorsSelectTheirPodsAndNoOthers) {
    for (const Object& one : deployments())
        for (const Object& other : applied_with(one)) {
            const YAML::Node spec = other.yaml["spec"];
            if (other.kind() == "PersistentVolumeClaim") continue;
            const YAML::Node selector = other.kind() == "Service" ? spec["selector"] : spec["selector"]["matchLabels"];
            const bool belongs = other.yaml["metadata"]["labels"].as<Labels>() == one.pod_labels();
            EXPECT_EQ(selects(selector.as<Labels>(), one.pod_labels()), belongs)
                << one.title() << ", " << other.title();
        }
}

TEST_F(Kubernetes, AServiceLeadsToAPortThatTheServerListensOn) {
    for (const Object& service : objects()) {
        if (service.kind() != "Service") continue;
        const YAML::Node port = service.yaml["spec"]["ports"][0];
        for (const Object& deployment : deployments()) {
            if (deployment.file != service.file) continue;
            const YAML::Node container = deployment.pod()["containers"][0];
            EXPECT_TRUE(names_in(container["ports"]).contains(port["targetPort"].as<std::string>())) << service.title();
            const auto number = container["ports"][0]["containerPort"].as<std::string>();
            EXPECT_EQ(argument(container, "--listen"), "0.0.0.0:" + number) << deployment.title();
        }
        for (const Object& worker : deployments()) {
            if (worker.file != "workers.yaml") continue;
            EXPECT_EQ(argument(worker.pod()["containers"][0], "--server"),
                      "http://" + service.name() + ":" + port["port"].as<std::string>());
        }
    }
}

TEST_F(Kubernetes, SchedulersAreProbed) {
    for (const Object& deployment : deployments()) {
        if (deployment.name() != "switchyard-scheduler") continue;
        const YAML::Node container = deployment.pod()["containers"][0];
        for (const auto& [probe, path] : std::map<std::string, std::string>{
                 {"startupProbe", "/healthz"}, {"livenessProbe", "/healthz"}, {"readinessProbe", "/readyz"}}) {
            ASSERT_TRUE(container[probe]) << deployment.title() << ": " << probe;
            EXPECT_EQ(container[probe]["httpGet"]["path"].as<std::string>(), path);
            EXPECT_TRUE(names_in(container["ports"]).contains(container[probe]["httpGet"]["port"].as<std::string>()));
        }
    }
}

TEST_F(Kubernetes, WhatIsMountedIsThereAndWhatIsThereIsMounted) {
    for (const Object& deployment : deployments()) {
        std::set<std::string> volumes = names_in(deployment.pod()["volumes"]);
        EXPECT_EQ(volumes, names_in(deployment.pod()["containers"][0]["volumeMounts"])) << deployment.title();
        for (const YAML::Node& volume : deployment.pod()["volumes"]) {
            if (!volume["persistentVolumeClaim"]) continue;
            const auto claim = volume["persistentVolumeClaim"]["claimName"].as<std::string>();
            const auto all = objects();
            EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Object& object) {
                return object.kind() == "PersistentVolumeClaim" && object.name() == claim &&
                       object.file == deployment.file;
            })) << claim;
        }
    }
}

TEST_F(Kubernetes, FilesThatFlagsNameLieInWhatIsMounted) {
    for (const Object& deployment : deployments()) {
        const YAML::Node container = deployment.pod()["containers"][0];
        for (const char* flag : {"--folder", "--tokens-file", "--token-file", "--store-password-file"}) {
            const std::string path = argument(container, flag);
            bool found = path.empty();
            for (const YAML::Node& mount : container["volumeMounts"])
                found = found || path.starts_with(mount["mountPath"].as<std::string>());
            EXPECT_TRUE(found) << deployment.title() << ": " << flag << " is " << path;
        }
    }
}

TEST_F(Kubernetes, NobodyHasRightsThatNobodyNeeds) {
    for (const Object& deployment : deployments()) {
        const YAML::Node pod = deployment.pod();
        EXPECT_FALSE(pod["automountServiceAccountToken"].as<bool>(true)) << deployment.title();
        EXPECT_TRUE(pod["securityContext"]["runAsNonRoot"].as<bool>(false)) << deployment.title();
        EXPECT_EQ(pod["securityContext"]["seccompProfile"]["type"].as<std::string>(), "RuntimeDefault");
        const YAML::Node rights = pod["containers"][0]["securityContext"];
        EXPECT_FALSE(rights["allowPrivilegeEscalation"].as<bool>(true)) << deployment.title();
        EXPECT_EQ(rights["capabilities"]["drop"][0].as<std::string>(), "ALL") << deployment.title();
        EXPECT_GT(pod["terminationGracePeriodSeconds"].as<int>(0), 0) << deployment.title();
    }
}

TEST_F(Kubernetes, NoSecretIsWrittenDown) {
    for (const Object& object : objects()) EXPECT_NE(object.kind(), "Secret") << object.title();
    for (const Object& deployment : deployments())
        for (const YAML::Node& variable : deployment.pod()["containers"][0]["env"])
            EXPECT_FALSE(variable["value"]) << deployment.title() << ": " << variable["name"].as<std::string>();
}

TEST_F(Kubernetes, WorkersAskForGpusAndNeverForTwoOnANode) {
    for (const Object& deployment : deployments()) {
        const YAML::Node resources = deployment.pod()["containers"][0]["resources"];
        const bool works = deployment.name() == "switchyard-workers";
        EXPECT_EQ(bool(resources["limits"]["nvidia.com/gpu"]), works) << deployment.title();
        if (!works) continue;
        EXPECT_EQ(resources["requests"]["nvidia.com/gpu"].as<int>(), resources["limits"]["nvidia.com/gpu"].as<int>());
        EXPECT_EQ(deployment.yaml["spec"]["strategy"]["rollingUpdate"]["maxSurge"].as<int>(), 0);
        const YAML::Node apart =
            deployment.pod()["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][0];
        EXPECT_EQ(apart["labelSelector"]["matchLabels"].as<Labels>(), deployment.pod_labels());
        EXPECT_EQ(argument(deployment.pod()["containers"][0], "--name"), "$(NODE_NAME)");
    }
}

TEST_F(Kubernetes, EveryFlagIsOneOfTheBinarys) {
    for (const Object& deployment : deployments()) {
        const YAML::Node container = deployment.pod()["containers"][0];
        ASSERT_EQ(container["command"][0].as<std::string>(), "switchyard");
        const Outcome help = run(container["command"][1].as<std::string>() + " --help");
        ASSERT_EQ(help.exit, 0) << help.err;
        for (const YAML::Node& arg : container["args"]) {
            const auto text = arg.as<std::string>();
            EXPECT_NE(help.out.find(text.substr(0, text.find('=')) + " "), std::string::npos)
                << deployment.title() << ": " << text;
        }
    }
}

TEST_F(Kubernetes, VariablesInArgumentsAreSet) {
    for (const Object& deployment : deployments()) {
        const YAML::Node container = deployment.pod()["containers"][0];
        const std::set<std::string> set = names_in(container["env"]);
        for (const YAML::Node& arg : container["args"]) {
            const auto text = arg.as<std::string>();
            const std::size_t at = text.find("$(");
            if (at == std::string::npos) continue;
            EXPECT_TRUE(set.contains(text.substr(at + 2, text.find(')', at) - at - 2))) << text;
        }
    }
}

}  // namespace
}  // namespace sy::cli
