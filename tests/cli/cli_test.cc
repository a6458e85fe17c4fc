// What every command prints, where, and the exit code.
#include "cli/cli.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include <nlohmann/json.hpp>

namespace sy::cli {
namespace {

TEST_F(Cli, WithoutACommandHelpsAndSaysUsage) {
    const Outcome result = run("");
    EXPECT_EQ(result.exit, 2);
    EXPECT_NE(result.out.find("drill"), std::string::npos);
}

TEST_F(Cli, HelpIsNoError) {
    EXPECT_EQ(run("--help").exit, 0);
    for (const char* command : {"audit", "completion", "config", "convert", "doctor", "drill", "generate", "plan",
                                "serve", "token", "validate", "verify", "version"}) {
        const Outcome result = run(std::string(command) + " --help");
        EXPECT_EQ(result.exit, 0) << command;
        EXPECT_NE(result.out.find("Examples:"), std::string::npos) << command;
    }
}

TEST_F(Cli, UnknownCommandNamesTheOneThatWasMeant) {
    const Outcome result = run("dril");
    EXPECT_EQ(result.exit, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "switchyard: there is no command 'dril'\n  fix: did you mean 'switchyard drill'?\n");
}

TEST_F(Cli, WrongOptionsAreUsageErrors) {
    for (const char* arguments :
         {"drill --sede 1", "drill --seed", "drill --seed x", "drill --seed -1", "drill --runs 0",
          "drill --runs 99999999999999999999", "completion", "completion tcsh", "version extra"}) {
        const Outcome result = run(arguments);
        EXPECT_EQ(result.exit, 2) << arguments;
        EXPECT_NE(result.err.find("switchyard: "), std::string::npos) << arguments;
        EXPECT_EQ(result.out, "") << arguments;
    }
}

TEST_F(Cli, NumberErrorsNameOptionValueAndLimit) {
    const auto complaint = [this](const std::string& arguments) {
        const Outcome result = run(arguments);
        EXPECT_EQ(result.exit, 2) << arguments;
        return result.err.substr(0, result.err.find('\n'));
    };
    EXPECT_EQ(complaint("drill --seed many"), "switchyard: --seed is 'many', it must be a whole number from 0");
    EXPECT_EQ(complaint("plan x --threads 0"), "switchyard: --threads is '0', it must be a whole number from 1 to 256");
    EXPECT_EQ(complaint("generate --load 0"), "switchyard: --load is '0', it must be a number from 0.001 to 1000");
    for (const char* nothing :
         {"generate --jobs 0", "generate --hours 0", "plan x --passes 0", "submit --array 0", "submit --gpus 0",
          "ps --limit 0", "ps --limit 1001", "layers x --simulate 0", "layers x --rate 0", "move 3 --before 0"})
        EXPECT_NE(complaint(nothing).find("it must be a"), std::string::npos) << "0 is not 'none': " << nothing;
}

TEST_F(Cli, AnEmptyWordIsRefusedAndNotTakenForNone) {
    for (const char* arguments : {"submit --key '' -- true", "submit --kind '' -- true", "plan x -o ''"}) {
        const Outcome result = run(arguments);
        EXPECT_EQ(result.exit, 2) << arguments;
        EXPECT_NE(result.err.find("is empty: leave it out, or say what it is"), std::string::npos) << result.err;
    }
}

TEST_F(Cli, WaysToMoveATaskExcludeEachOther) {
    EXPECT_NE(run("move 3 --front --back").err.find("--front and --back exclude each other"), std::string::npos);
    EXPECT_NE(run("move 3 --back --anywhere").err.find("--back and --anywhere exclude each other"), std::string::npos);
    EXPECT_NE(run("move 3").err.find("where to move task 3?"), std::string::npos);
}

TEST_F(Cli, NamesThatNoHostOrGpuCanHaveAreRefusedBeforeAnybodyIsAsked) {
    EXPECT_NE(run("hosts forget 'a b'").err.find("'a b' is no name of a host"), std::string::npos);
    EXPECT_NE(run("worker --name a/b --server http://127.0.0.1:1").err.find("'a/b' is no name of a host"),
              std::string::npos);
    EXPECT_NE(run("gpus drain x").err.find("'x' is no number of a GPU"), std::string::npos);
}

TEST_F(Cli, AMistypedOptionIsNamedWithTheOneThatWasMeant) {
    EXPECT_EQ(run("plan batch.yaml --sedonds 2").err,
              "switchyard: there is no option '--sedonds'\n"
              "  fix: did you mean '--seconds'? 'switchyard plan --help' shows what it takes\n");
    EXPECT_EQ(run("plan batch.yaml --html").err,
              "switchyard: --html wants a value after it\n  fix: 'switchyard plan --help' shows what it takes\n");
    EXPECT_EQ(run("--hlep").err,
              "switchyard: there is no option '--hlep'\n"
              "  fix: did you mean '--help'? 'switchyard --help' shows what it takes\n");
    EXPECT_EQ(run("version extra").err,
              "switchyard: 'extra' is one argument too many\n  fix: 'switchyard version --help' shows what it takes\n");
}

TEST_F(Cli, ASummaryOfManyGpusFitsAScreen) {
    file("wide.yaml",
         "cluster: {gpus: [{kind: a, memory_gb: 80, count: 100}], switch: {gb_per_s: 16, overhead_s: 2}}\n"
         "models: {m: {memory_gb: 16}}\nworkflows: {w: {only: {model: m, seconds: 3}}}\n"
         "requests: [{workflow: w, count: 100}]\n");
    const std::string out = run("plan wide.yaml --passes 1").out;
    EXPECT_NE(out.find("no plan is shorter: this one is optimal"), std::string::npos) << out;
    EXPECT_NE(out.find("\n  gpu0-3   ####"), std::string::npos) << out;
    EXPECT_NE(out.find("\n  gpu96-99 ####"), std::string::npos) << out;
    EXPECT_NE(out.find(" 50.0 %  4 switches\n"), std::string::npos) << out;
    EXPECT_LT(std::count(out.begin(), out.end(), '\n'), 42);
}

TEST_F(Cli, VersionAndDoctorAndDrillPrintOneJsonDocument) {
    EXPECT_EQ(nlohmann::json::parse(run("version --json").out).at("version"), "0.1.0");
    EXPECT_GT(nlohmann::json::parse(run("doctor --json").out).at("findings").size(), 5U);
    const auto drill = nlohmann::json::parse(run("drill --runs 3 --json").out);
    EXPECT_TRUE(drill.at("passed"));
    EXPECT_TRUE(drill.at("simulated"));
}

TEST_F(Cli, DoctorGivesARemedyForWhateverIsMissing) {
    const auto document = nlohmann::json::parse(run("doctor --json").out);
    for (const auto& finding : document.at("findings"))
        EXPECT_EQ(finding.at("state") == "ok", finding.at("remedy") == "") << finding;
}

TEST_F(Cli, TheSameSeedGivesTheSameDigest) {
    const auto digest = [&](const std::string& arguments) {
        return nlohmann::json::parse(run("drill --runs 5 --json " + arguments).out).at("digest").get<std::string>();
    };
    EXPECT_EQ(digest("--seed 9"), digest("--seed 9"));
    EXPECT_NE(digest("--seed 9"), digest("--seed 10"));
}

TEST_F(Cli, CompletionScriptsNameEveryCommandAndParse) {
    for (const char* shell : {"bash", "zsh", "fish"}) {
        const Outcome result = run(std::string("completion ") + shell);
        EXPECT_EQ(result.exit, 0);
        for (const char* command : {"completion", "doctor", "drill", "plan", "verify", "version"})
            EXPECT_NE(result.out.find(command), std::string::npos) << shell << " " << command;
    }
    const std::string script = file("completion.bash", run("completion bash").out);
    const std::string probe = "bash -c 'source \"" + script +
                              "\"; COMP_WORDS=(switchyard drill --se); COMP_CWORD=2; _switchyard; "
                              "[ \"${COMPREPLY[*]}\" = --seed ]'";
    EXPECT_EQ(std::system(probe.c_str()), 0);  // NOLINT(concurrency-mt-unsafe): one thread
}

TEST_F(Cli, AWeatherFileFixesWhatItNames) {
    file("calm.yaml", "tasks: 5\nloss: 0\nfailing: 0\n");
    const auto result = nlohmann::json::parse(run("drill --runs 1 --json --weather calm.yaml").out);
    EXPECT_EQ(result.at("tasks").at("submitted"), 5);
    EXPECT_EQ(run("drill --runs 1 --weather - < calm.yaml").exit, 0);
}

struct BadFile {
    const char* what;
    std::string text;
    const char* complaint;
};

TEST_F(Cli, BadWeatherFilesAreRefusedWithPlaceRuleAndFix) {
    const std::vector<BadFile> table{
        {"unknown key", "loss: 0\nlos: 1\n", "storm.yaml:2:1: unknown key 'los'\n  fix: did you mean loss?"},
        {"wrong type", "tasks: [1, 2]\n",
         "storm.yaml:1:8: tasks is a list, it must be a whole number from 0 to 100000"},
        {"huge number", "tasks: 99999999999999999999\n", "storm.yaml:1:8: tasks is '99999999999999999999', it must be"},
        {"no number", "loss: nan\n", "storm.yaml:1:7: loss is 'nan', it must be a number from 0 to 1"},
        {"negative", "delay: -5s\n", "storm.yaml:1:8: delay is '-5s', it must be a duration from 1ms to 1min"},
        {"a key twice", "loss: 0\nloss: 1\n", "storm.yaml:2:1: the key 'loss' stands here twice"},
        {"no map", "- 1\n", "storm.yaml:1:1: the document is a list, it must be a map"},
        {"broken", "loss: [1\n", "storm.yaml:2:1: not valid YAML"},
        {"binary", std::string("loss: \0\1", 8), "storm.yaml:1:7: byte 0x00 does not belong in a text file"},
        {"a line of 10 MB", std::string(10'000'000, 'a'), "storm.yaml:1:1: the document is 'aaaa"},
    };
    for (const BadFile& bad : table) {
        const Outcome result = drill_in(bad.text);
        EXPECT_EQ(result.exit, 3) << bad.what;
        EXPECT_EQ(result.out, "") << bad.what;
        EXPECT_NE(result.err.find(bad.complaint), std::string::npos) << bad.what << "\n" << result.err;
        EXPECT_NE(result.err.find("fix: "), std::string::npos) << bad.what;
    }
}

const std::string kRag = "'" SWITCHYARD_SOURCE_DIR "/examples/rag.yaml' ";

TEST_F(Cli, PlansTheExamplesAndVerifiesThem) {
    for (const char* name : {"rag", "agents", "mixed-cluster"}) {
        const std::string batch = "'" SWITCHYARD_SOURCE_DIR "/examples/" + std::string(name) + ".yaml' ";
        EXPECT_EQ(run("validate " + batch).exit, 0) << name;
        EXPECT_EQ(run("plan " + batch + "--passes 20 -o plan.json").exit, 0) << name;
        const Outcome verified = run("verify " + batch + "plan.json");
        EXPECT_EQ(verified.exit, 0) << verified.err;
    }
}

TEST_F(Cli, APlanHasABoundAndTheSamePassesGiveTheSamePlan) {
    const auto plan = [&](const std::string& more) {
        auto document = nlohmann::json::parse(run("plan " + kRag + "--passes 30 --json " + more).out);
        document.erase("planning_s");
        return document;
    };
    const auto one = plan("--seed 3");
    EXPECT_EQ(one, plan("--seed 3"));
    EXPECT_LE(one.at("lower_bound_s"), one.at("makespan_s"));
    EXPECT_EQ(one.at("tasks").size(), 804U);
    for (const char* strategy : {"batch", "dynamic", "exact", "heft", "search"})
        EXPECT_LE(one.at("makespan_s"), plan(std::string("--seed 3 --strategy ") + strategy).at("makespan_s"));
}

TEST_F(Cli, SeveralThreadsGiveTheSamePlanEveryTimeAndNoneThatIsLonger) {
    const auto plan = [&](const std::string& threads) {
        auto document = nlohmann::json::parse(run("plan " + kRag + "--passes 30 --json --threads " + threads).out);
        document.erase("planning_s");
        return document;
    };
    const auto by_three = plan("3");
    EXPECT_EQ(by_three, plan("3"));
    EXPECT_LE(by_three.at("makespan_s"), plan("1").at("makespan_s"));
    EXPECT_EQ(run("plan " + kRag + "--threads 257").exit, 2);
}

TEST_F(Cli, TheWeightOfBusyTimeIsANumberOrAdapts) {
    const std::string plan = "plan " + kRag + "--strategy dynamic --balance ";
    for (const char* weight : {"0", "0.25", "1", "adaptive"}) EXPECT_EQ(run(plan + weight).exit, 0) << weight;
    for (const char* weight : {"-1", "1.01", "0.125", "much"}) EXPECT_EQ(run(plan + weight).exit, 2) << weight;
}

TEST_F(Cli, WritesEveryPictureOfAPlan) {
    ASSERT_EQ(run("plan " + kRag + "--passes 1 -o p.csv --trace t.json --svg p.svg --html p.html").exit, 0);
    EXPECT_EQ(made("p.csv").substr(0, 24), "request,node,model,gpus,");
    EXPECT_GT(nlohmann::json::parse(made("t.json")).at("traceEvents").size(), 804U);
    EXPECT_NE(made("p.svg").find("</svg>"), std::string::npos);
    EXPECT_NE(made("p.html").find("</html>"), std::string::npos);
}

TEST_F(Cli, APlanThatIsNotValidFailsWithTheFirstViolation) {
    ASSERT_EQ(run("plan " + kRag + "--passes 1 -o plan.json").exit, 0);
    auto plan = nlohmann::json::parse(made("plan.json"));
    plan.at("tasks").erase(5);
    file("broken.json", plan.dump());
    const Outcome result = run("verify " + kRag + "broken.json --json");
    EXPECT_EQ(result.exit, 1);
    EXPECT_FALSE(nlohmann::json::parse(result.out).at("valid"));
    EXPECT_NE(result.err.find("is not planned"), std::string::npos);
}

TEST_F(Cli, APlanThatStatesAnotherMakespanThanItsTasksHaveIsRefused) {
    ASSERT_EQ(run("plan " + kRag + "--passes 1 -o plan.json").exit, 0);
    auto plan = nlohmann::json::parse(made("plan.json"));
    const double makespan = plan.at("makespan_s");
    for (const auto& stated : {nlohmann::json(makespan - 1), nlohmann::json(-1), nlohmann::json("soon")}) {
        plan["makespan_s"] = stated;
        file("praised.json", plan.dump());
        const Outcome result = run("verify " + kRag + "praised.json");
        EXPECT_EQ(result.exit, 3) << stated;
        EXPECT_NE(result.err.find("makespan_s is"), std::string::npos) << result.err;
    }
    plan.erase("makespan_s");
    file("silent.json", plan.dump());
    EXPECT_EQ(run("verify " + kRag + "silent.json").exit, 0) << "it need not be stated";
}

TEST_F(Cli, WhatCannotBeCheckedByItselfIsToldWhereItIs) {
    ASSERT_EQ(run("plan " + kRag + "--passes 1 -o plan.json").exit, 0);
    EXPECT_NE(run("validate plan.json").err.find("is a plan, which is checked against its batch"), std::string::npos);
    file("scene.yaml", "events:\n  - {at_s: 1, leave: a}\n");
    EXPECT_NE(run("validate scene.yaml").err.find("is a scene, which is checked with its mesh"), std::string::npos);
    file("storm.yaml", "nodes: 1\ngpus_per_node: 8\nstorm: 20min\n");
    EXPECT_EQ(run("validate storm.yaml").out, "valid weather: 1 nodes, 80 tasks\n");
    file("storm.yaml", "storm: soon\n");
    EXPECT_EQ(run("validate storm.yaml").exit, 3);
}

TEST_F(Cli, BatchesThatCannotBePlannedSayWhyAndWhere) {
    const std::string cluster =
        "cluster: {gpus: [{memory_gb: 80, count: 2}]}\nmodels: {m: {memory_gb: 10}, big: {memory_gb: 90}}\n";
    file("cycle.yaml", cluster +
                           "workflows: {w: {a: {model: m, seconds: 1, needs: [b]}, b: {model: m, seconds: 1, needs: "
                           "[a]}}}\nrequests: []\n");
    file("big.yaml", cluster + "workflows: {w: {a: {model: big, seconds: 1}}}\nrequests: []\n");
    file("empty.yaml", cluster + "workflows: {}\nrequests: []\n");
    const Outcome cycle = run("plan cycle.yaml");
    EXPECT_EQ(cycle.exit, 3);
    EXPECT_NE(cycle.err.find("cycle.yaml:3:17: workflow w runs in a circle: a needs b needs a"), std::string::npos)
        << cycle.err;
    const Outcome big = run("plan big.yaml");
    EXPECT_EQ(big.exit, 6);
    EXPECT_NE(big.err.find("model big fits nowhere"), std::string::npos) << big.err;
    EXPECT_EQ(run("plan empty.yaml").exit, 0);
    EXPECT_EQ(run("plan empty.yaml --strategy best").exit, 2);
    EXPECT_EQ(run("plan empty.yaml --method bees").exit, 2);
}

/// The reader's own list of keys, from its complaint about one that resembles none.
std::vector<std::string> keys_the_reader_knows(const std::string& complaint) {
    std::vector<std::string> keys;
    std::istringstream words(complaint.substr(complaint.find("known keys: ") + 12));
    for (std::string word; words >> word;) keys.push_back(word.substr(0, word.find(',')));
    std::sort(keys.begin(), keys.end());
    return keys;
}

TEST_F(Cli, TheWeatherSchemaNamesExactlyTheKeysThatAreRead) {
    const auto schema = nlohmann::json::parse(contents(SWITCHYARD_SOURCE_DIR "/docs/schema/weather.schema.json"));
    std::vector<std::string> in_schema;
    for (const auto& [key, rule] : schema.at("properties").items()) in_schema.push_back(key);
    EXPECT_EQ(in_schema, keys_the_reader_knows(drill_in("zzzzzzzzzzzz: 1\n").err));
}

TEST_F(Cli, GeneratesTheExampleTraceAndValidatesIt) {
    const std::string example = SWITCHYARD_SOURCE_DIR "/examples/day.csv";
    const Outcome made_again =
        run("generate --hours 24 --load 0.8 --cluster 2x8 --arrivals diurnal --seed 2 -o day.csv");
    EXPECT_EQ(made_again.exit, 0) << made_again.err;
    EXPECT_EQ(made("day.csv"), contents(example));
    const Outcome valid = run("validate '" + example + "'");
    EXPECT_EQ(valid.exit, 0);
    EXPECT_EQ(valid.out.rfind("valid trace: ", 0), 0U) << valid.out;
}

TEST_F(Cli, GenerateWritesTheTraceToStdoutAndTalksToStderr) {
    const Outcome plain = run("generate --jobs 20");
    EXPECT_EQ(plain.exit, 0);
    EXPECT_EQ(plain.out.rfind("job_id,submit_s,duration_s,gpus", 0), 0U);
    EXPECT_EQ(std::count(plain.out.begin(), plain.out.end(), '\n'), 21);
    EXPECT_NE(plain.err.find("generated, seed 1"), std::string::npos);
    EXPECT_EQ(run("generate --jobs 20 -o -").out, plain.out);
    EXPECT_NE(run("generate --jobs 20 --seed 2").out, plain.out);
    const auto document = nlohmann::json::parse(run("generate --jobs 20 --json").out);
    EXPECT_EQ(document.at("jobs"), 20);
}

TEST_F(Cli, GenerateRefusesWhatItCannotDraw) {
    for (const char* arguments : {"--lengths weibull", "--lengths fixed:2", "--lengths pareto:1", "--lengths pareto:x",
                                  "--gpus x", "--gpus 1:-1", "--gpus 256", "--gpus ''", "--mix bach", "--mix batch:0",
                                  "--cluster 64", "--cluster 0x8", "--jobs 99999999", "--jobs 5 --hours 5 --load 1",
                                  "--load 0.0001", "--arrivals often", "--hours 0.000001", "--users 0"}) {
        const Outcome result = run(std::string("generate ") + arguments);
        EXPECT_EQ(result.exit, 2) << arguments;
        EXPECT_EQ(result.out, "") << arguments;
        EXPECT_NE(result.err.find("fix: "), std::string::npos) << arguments;
    }
    EXPECT_EQ(run("generate -o nowhere/trace.csv").exit, 1);
    EXPECT_EQ(run("generate --cluster nowhere.yaml").exit, 3);
}

TEST_F(Cli, ConvertsALogAndSaysWhatItLeftOut) {
    file("m.swf",
         "; MaxProcs: 128\n1 0 5 60 8 -1 -1 8 120 -1 1 3 1 7 1 1 -1 -1\n2 9 -1 0 -1 -1 -1 4 60 -1 5 3 1 -1 1 1 -1 -1\n"
         "3 7 1 30.5 2 -1 -1 -1 -1 -1 1 4 1 -1 1 1 -1 -1\n");
    const Outcome result = run("convert m.swf m.csv");
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_EQ(made("m.csv"),
              "job_id,submit_s,duration_s,gpus,user,estimate_s,name\n1,0,60,8,user-3,120,app-7\n3,7,30.5,2,user-4,,\n");
    EXPECT_NE(result.out.find("1 job left out: ended before they ran"), std::string::npos) << result.out;
    EXPECT_EQ(run("convert - - --from swf < m.swf").out, made("m.csv"));
    EXPECT_EQ(nlohmann::json::parse(run("convert m.swf m.csv --json").out).at("never_ran"), 1);
    EXPECT_EQ(run("validate m.csv").exit, 0);
    EXPECT_EQ(run("convert m.swf - --json").exit, 2);
    EXPECT_EQ(run("convert m.log m.csv").exit, 2);
    EXPECT_EQ(run("convert m.swf.gz m.csv").exit, 2);
    EXPECT_EQ(run("convert nowhere.swf m.csv").exit, 3);
    EXPECT_EQ(run("convert m.csv out.csv --from swf").exit, 3);
}

TEST_F(Cli, BadTracesAndClustersAreRefusedWithPlaceRuleAndFix) {
    const std::string header = "job_id,submit_s,duration_s,gpus\n";
    const std::vector<BadFile> table{
        {"empty", "", "t.csv:1:1: the file is empty\n  fix: "},
        {"no header", "1,0,61,1\n",
         "t.csv:1:1: the header lacks job_id, submit_s, duration_s, gpus\n  fix: the first line"},
        {"negative", header + "a,-1,1,1\n", "t.csv:2:3: submit_s is '-1', it must be a number of seconds from 0"},
        {"no GPUs", header + "a,0,1,0\n", "t.csv:2:7: gpus is '0', it must be a whole number from 1 to 1048576"},
        {"unsorted", header + "a,5,1,1\nb,4,1,1\n", "t.csv:3:3: submit_s is '4', before the 5 of line 2"},
        {"twins", header + "a,0,1,1\na,0,1,1\n", "t.csv:3:1: job_id 'a' stands here again, first in line 2"},
        {"binary", header + std::string("\0", 1), "t.csv:2:1: byte 0x00 does not belong in a text file"},
    };
    for (const BadFile& bad : table) {
        file("t.csv", bad.text);
        const Outcome result = run("validate t.csv");
        EXPECT_EQ(result.exit, 3) << bad.what;
        EXPECT_NE(result.err.find(bad.complaint), std::string::npos) << bad.what << "\n" << result.err;
        EXPECT_NE(result.err.find("fix: "), std::string::npos) << bad.what;
    }
    file("c.yaml", "nodes:\n  - {gpus: 8, count: 4}\n");
    EXPECT_EQ(run("validate c.yaml").out, "valid cluster: 4 nodes, 32 GPUs, 0 kinds\n");
    file("c.yaml", "nodes:\n  - {gpus: none}\n");
    EXPECT_NE(run("validate c.yaml").err.find("c.yaml:2:12: gpus of this entry of nodes is 'none'"), std::string::npos);
}

TEST_F(Cli, TheClusterSchemaNamesExactlyTheKeysThatAreRead) {
    const auto schema = nlohmann::json::parse(contents(SWITCHYARD_SOURCE_DIR "/docs/schema/cluster.schema.json"));
    std::vector<std::string> in_schema;
    for (const auto& [key, rule] :
         schema.at("oneOf").at(0).at("properties").at("nodes").at("items").at("properties").items())
        in_schema.push_back(key);
    file("c.yaml", "nodes: [{zzzzzzzzzzzz: 1}]\n");
    EXPECT_EQ(in_schema, keys_the_reader_knows(run("validate c.yaml").err));
}

TEST_F(Cli, TheExampleStormIsSurvived) {
    EXPECT_EQ(run("drill --runs 2 --weather '" SWITCHYARD_SOURCE_DIR "/examples/storm.yaml'").exit, 0);
}

TEST_F(Cli, AnEmptyWeatherFileChangesNothing) {
    EXPECT_EQ(drill_in("").exit, 0);
    EXPECT_EQ(drill_in("").out, run("drill --runs 1").out);
}

constexpr const char* kThreeJobs =
    "job_id,submit_s,duration_s,gpus,deadline_s\n"
    "long,0,10,3,\n"
    "short,0,2,3,\n"
    "small,1,4,1,\n";

TEST_F(Cli, OptimumProvesTheBestScheduleWithBothSolvers) {
    file("trace.csv", kThreeJobs);
    const Outcome text = run("optimum trace.csv --cluster 1x4 --solver both");
    EXPECT_EQ(text.exit, 0) << text.err;
    EXPECT_NE(text.out.find("branch and bound     6.000 s, proven to be the best"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("CBC                  6.000 s, proven to be the best"), std::string::npos) << text.out;
    const auto json = nlohmann::json::parse(run("optimum trace.csv --cluster 1x4 --objective makespan --json").out);
    EXPECT_EQ(json["solvers"][0]["cost_s"], 12);
    EXPECT_EQ(json["schedule"].size(), 3U);
    EXPECT_EQ(json["schedule"][0]["id"], "long");
}

TEST_F(Cli, OptimumProvesThatDeadlinesCannotBeKept) {
    file("trace.csv", "job_id,submit_s,duration_s,gpus,deadline_s\na,0,10,3,11\nb,0,10,3,11\n");
    for (const char* solver : {"branch", "cbc", "both"})
        EXPECT_EQ(run(std::string("optimum trace.csv --cluster 1x4 --solver ") + solver).exit, 6) << solver;
    EXPECT_EQ(run("optimum trace.csv --cluster 1x4 --objective tardiness").exit, 0) << "there they are due dates";
}

TEST_F(Cli, OptimumLeavesOutWhatIsLargerThanTheCluster) {
    file("trace.csv", kThreeJobs);
    const Outcome outcome = run("optimum trace.csv --cluster 1x2");
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("left out 2 larger than the cluster"), std::string::npos) << outcome.out;
}

TEST_F(Cli, OptimumRefusesWhatItCannotRead) {
    file("trace.csv", kThreeJobs);
    EXPECT_EQ(run("optimum trace.csv").exit, 2) << "no cluster";
    EXPECT_EQ(run("optimum trace.csv --cluster 1x4 --objective fastest").exit, 2);
    EXPECT_EQ(run("optimum missing.csv --cluster 1x4").exit, 3);
}

TEST_F(Cli, AFileThatIsNotThereIsInvalidInput) {
    const Outcome result = run("drill --weather nowhere.yaml");
    EXPECT_EQ(result.exit, 3);
    EXPECT_NE(result.err.find("nowhere.yaml: cannot be opened: No such file or directory"), std::string::npos);
}

}  // namespace
}  // namespace sy::cli
