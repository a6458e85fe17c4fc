#include "service/auth/token_file.h"

#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "service/auth/failures.h"
#include "service/auth/gate.h"
#include "service/auth/sha256.h"
#include "service/test_folder.h"

namespace sy::auth {
namespace {

using service_test::TestFolder;

constexpr UnixTime kNow = 1'800'000'000;

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Sha256, IsTheOneEverybodyKnows) {
    EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
    EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
    EXPECT_FALSE(equal_in_constant_time("abc", "ab"));
}

TEST(Tokens, AreKnownByTheirHashAlone) {
    const TestFolder folder;
    const std::string path = folder.path() + "/tokens.json";
    const auto anna = create_token(path, Role::submit, "anna", kNow, std::nullopt);
    const auto ben = create_token(path, Role::read, "ben", kNow, kNow + 10);
    ASSERT_TRUE(anna && ben);
    EXPECT_EQ(anna->token.size(), 3U + 64U);
    EXPECT_NE(anna->token, ben->token);
    EXPECT_EQ(text_of(path).find(anna->token.substr(3)), std::string::npos) << "the token itself is kept nowhere";
    struct stat there {};
    ASSERT_EQ(::stat(path.c_str(), &there), 0);
    EXPECT_EQ(there.st_mode & 0777U, 0600U);
    const auto records = read_tokens(path);
    ASSERT_TRUE(records);
    EXPECT_EQ(find_token(*records, anna->token, kNow)->owner, "anna");
    EXPECT_EQ(find_token(*records, anna->token + "0", kNow), nullptr);
    EXPECT_EQ(find_token(*records, "", kNow), nullptr);
    EXPECT_EQ(find_token(*records, anna->record.sha256, kNow), nullptr) << "the hash opens nothing";
}

TEST(Tokens, ExpireAndCanBeRevoked) {
    const TestFolder folder;
    const std::string path = folder.path() + "/tokens.json";
    const auto ben = create_token(path, Role::read, "ben", kNow, kNow + 10);
    EXPECT_NE(find_token(*read_tokens(path), ben->token, kNow + 9), nullptr);
    EXPECT_EQ(find_token(*read_tokens(path), ben->token, kNow + 10), nullptr);
    ASSERT_TRUE(revoke_token(path, ben->record.id, kNow + 1));
    EXPECT_EQ(find_token(*read_tokens(path), ben->token, kNow + 2), nullptr);
    EXPECT_EQ(revoke_token(path, "nobody", kNow).error().message, "there is no token nobody");
}

TEST(Tokens, AFileThatOthersCanReadIsRefused) {
    const TestFolder folder;
    const std::string path = folder.path() + "/tokens.json";
    ASSERT_TRUE(create_token(path, Role::read, "ben", kNow, std::nullopt));
    ::chmod(path.c_str(), 0640);
    EXPECT_EQ(read_tokens(path).error().message, path + " can be read by others");
    ::chmod(path.c_str(), 0600);
    for (const char* text : {"", "{}", "[]", R"({"tokens": [{}]})", R"({"tokens": [{"id": "x", "role": "king"}]})"}) {
        std::ofstream(path) << text;
        EXPECT_EQ(read_tokens(path).error().message, path + " is no file of tokens") << text;
    }
    EXPECT_FALSE(create_token(path, Role::read, "ben", kNow, std::nullopt)) << "what cannot be read is not overwritten";
    EXPECT_FALSE(create_token(folder.path() + "/other", Role::read, "", kNow, std::nullopt));
    EXPECT_FALSE(create_token(folder.path() + "/other", Role::read, "a\nb", kNow, std::nullopt));
}

TEST(Failures, TenASecondAndNoMore) {
    Failures failures;
    for (unsigned i = 0; i < Failures::kMostInASecond; ++i) EXPECT_TRUE(failures.note("10.0.0.1", kStart));
    EXPECT_FALSE(failures.note("10.0.0.1", kStart + 999ms));
    EXPECT_TRUE(failures.note("10.0.0.2", kStart + 999ms));
    EXPECT_TRUE(failures.note("10.0.0.1", kStart + 1s));
}

TEST(Failures, RemembersOnlySoManyPeers) {
    Failures failures;
    for (std::size_t i = 0; i < Failures::kMostPeers; ++i) EXPECT_TRUE(failures.note(std::to_string(i), kStart));
    EXPECT_FALSE(failures.note("one more", kStart));
    EXPECT_TRUE(failures.note("one more", kStart + 1s));
    EXPECT_EQ(failures.peer_count(), 1U);
}

/// A gate whose clocks stand still.
struct Yard {
    TestFolder folder;
    std::string path = folder.path() + "/tokens.json";
    std::vector<std::string> said;
    Gate gate{{.tokens_file = path,
               .tokens_needed = false,
               .uid = 1000,
               .clock = [] { return kStart; },
               .wall = [] { return kNow; },
               .say = [this](const std::string& text) { said.push_back(text); }}};

    std::string ask(const http::Peer& peer, const std::string& authorization = "") {
        http::Request request;
        request.peer = peer;
        if (!authorization.empty()) request.headers["authorization"] = authorization;
        const auto known = gate.identify(request);
        if (const auto* caller = std::get_if<Caller>(&known)) return name_of(caller->role) + (" " + caller->who);
        return std::to_string(std::get<http::Response>(known).status);
    }
};

const http::Peer kLoopback{"127.0.0.1", std::nullopt};

TEST(Gate, TheSocketIsForItsOwnerAndRoot) {
    Yard yard;
    EXPECT_EQ(yard.ask({"", 1000}), "admin uid 1000");
    EXPECT_EQ(yard.ask({"", 0}), "admin uid 0");
    EXPECT_EQ(yard.ask({"", 1001}), "403");
    const auto token = create_token(yard.path, Role::admin, "eve", kNow, std::nullopt);
    EXPECT_EQ(yard.ask({"", 1001}, "Bearer " + token->token), "403") << "a token does not change who asks there";
}

TEST(Gate, OnceThereAreTokensTcpNeedsOneForGood) {
    Yard yard;
    EXPECT_EQ(yard.ask(kLoopback), "admin somebody at 127.0.0.1");
    const auto token = create_token(yard.path, Role::submit, "anna", kNow, std::nullopt);
    EXPECT_EQ(yard.ask(kLoopback), "401");
    EXPECT_EQ(yard.ask(kLoopback, "Bearer " + token->token), "submit token " + token->record.id + " (anna)");
    EXPECT_EQ(yard.ask(kLoopback, "Basic " + token->token), "401");
    ASSERT_TRUE(revoke_token(yard.path, token->record.id, kNow));
    EXPECT_EQ(yard.ask(kLoopback, "Bearer " + token->token), "401") << "the file is read again when it changes";
    std::filesystem::remove(yard.path);
    EXPECT_EQ(yard.ask(kLoopback), "401");
    std::ofstream(yard.path) << "nonsense";
    EXPECT_EQ(yard.ask(kLoopback), "401");
    EXPECT_EQ(yard.said.size(), 2U);
}

TEST(Gate, WhoGuessesIsToldToWaitAndOthersAreNot) {
    Yard yard;
    const auto token = create_token(yard.path, Role::read, "anna", kNow, std::nullopt);
    for (unsigned i = 0; i < Failures::kMostInASecond; ++i) EXPECT_EQ(yard.ask(kLoopback, "Bearer sy_0"), "401");
    EXPECT_EQ(yard.ask(kLoopback, "Bearer sy_0"), "429");
    EXPECT_EQ(yard.ask(kLoopback, "Bearer " + token->token).substr(0, 4), "read");
}

TEST(Gate, EachRoleMayWhatTheLesserMay) {
    for (const Role has : kRoles)
        for (const Role needed : kRoles) {
            const auto refusal = Gate::why_not({has, "x"}, needed);
            if (needed == Role::work) continue;
            EXPECT_EQ(refusal.has_value(), has < needed) << name_of(has) << " " << name_of(needed);
            const std::string wanted = std::string("the role ") + name_of(needed);
            EXPECT_EQ(refusal && refusal->body.find(wanted) != std::string::npos, has < needed);
        }
}

TEST(Gate, OnlyAHostOrAnAdminMayPassForAHost) {
    for (const Role has : kRoles)
        EXPECT_EQ(!Gate::why_not({has, "x"}, Role::work), has == Role::work || has == Role::admin) << name_of(has);
}

}  // namespace
}  // namespace sy::auth
