// Database: the one door to SQLite. Statements are prepared once and used again; every failure is an Error in words.
//
// One connection, one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace sy::store {

/// How a statement went, apart from its rows.
enum class Trouble { none, disk_full, io_error, busy, corrupt, other };

class Statement {
public:
    Statement(Statement&&) = default;
    Statement& operator=(Statement&&) = default;

    /// Parameters count from 1. Texts and bytes must live until the statement is run.
    Statement& bind(int at, std::uint64_t number);
    Statement& bind_bytes(int at, std::string_view bytes);

    /// Runs it to its end; rows, if any, are passed over.
    Result<void> run();
    /// The next row; false at the end, after which it can be bound and run again.
    Result<bool> next();
    std::uint64_t number(int column) const;
    std::string bytes(int column) const;

private:
    friend class Database;
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const;
    };
    Statement(sqlite3* database, sqlite3_stmt* statement) : database_(database), statement_(statement) {}

    sqlite3* database_;
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
public:
    /// Makes the file where there is none.
    static Result<Database> open(const std::string& path);

    Result<void> execute(const std::string& sql);
    Result<Statement> prepare(std::string_view sql);
    /// What the last failure was, for those who can do something about it.
    Trouble trouble() const;

private:
    struct Close {
        void operator()(sqlite3* database) const;
    };
    explicit Database(sqlite3* database) : database_(database) {}

    std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace sy::store
