#include "service/store/database.h"

#include <cerrno>

#include <fmt/format.h>
#include <sqlite3.h>

namespace sy::store {

namespace {

tl::unexpected<Error> failure(sqlite3* database, std::string_view doing) {
    const char* file = sqlite3_db_filename(database, "main");
    const std::string where = file != nullptr && *file != '\0' ? fmt::format(" ({})", file) : "";
    switch (sqlite3_errcode(database)) {
        case SQLITE_FULL:
            return fail(Fault::failed, fmt::format("the disk is full: could not {}{}", doing, where),
                        "make room on that disk");
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            return fail(Fault::failed, fmt::format("the store is damaged: could not {}{}", doing, where),
                        "restore the folder from a copy; do not delete it, it may hold the only record");
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return fail(Fault::failed, fmt::format("another process uses the store: could not {}{}", doing, where),
                        "stop the other server, or give this one another folder");
        default:
            return fail(Fault::failed,
                        fmt::format("the store failed: could not {}: {}{}", doing, sqlite3_errmsg(database), where));
    }
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
    sqlite3_finalize(statement);
}

Statement& Statement::bind(int at, std::uint64_t number) {
    sqlite3_bind_int64(statement_.get(), at, static_cast<sqlite3_int64>(number));
    return *this;
}

Statement& Statement::bind_bytes(int at, std::string_view bytes) {
    sqlite3_bind_blob64(statement_.get(), at, bytes.data(), bytes.size(), SQLITE_STATIC);
    return *this;
}

Result<void> Statement::run() {
    for (;;) {
        const auto row = next();
        if (!row) return tl::unexpected(row.error());
        if (!*row) return {};
    }
}

Result<bool> Statement::next() {
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) return true;
    auto outcome = code == SQLITE_DONE ? Result<bool>(false) : failure(database_, sqlite3_sql(statement_.get()));
    sqlite3_reset(statement_.get());
    return outcome;
}

std::uint64_t Statement::number(int column) const {
    return static_cast<std::uint64_t>(sqlite3_column_int64(statement_.get(), column));
}

std::string Statement::bytes(int column) const {
    const void* data = sqlite3_column_blob(statement_.get(), column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
    return data == nullptr ? std::string() : std::string(static_cast<const char*>(data), size);
}

void Database::Close::operator()(sqlite3* database) const {
    sqlite3_close_v2(database);
}

Result<Database> Database::open(const std::string& path) {
    sqlite3* raw = nullptr;
    constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    const int code = sqlite3_open_v2(path.c_str(), &raw, kFlags, nullptr);
    Database database(raw);
    if (code != SQLITE_OK)
        return fail(Fault::failed, fmt::format("{} cannot be opened: {}", path, sqlite3_errmsg(raw)),
                    "check that the folder exists and may be written");
    sqlite3_extended_result_codes(raw, 0);
    return database;
}

Result<void> Database::execute(const std::string& sql) {
    if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        return failure(database_.get(), sql);
    return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                           &statement, nullptr) != SQLITE_OK)
        return failure(database_.get(), sql);
    return Statement(database_.get(), statement);
}

Trouble Database::trouble() const {
    switch (sqlite3_errcode(database_.get())) {
        case SQLITE_OK:
        case SQLITE_ROW:
        case SQLITE_DONE: return Trouble::none;
        case SQLITE_FULL: return Trouble::disk_full;
        case SQLITE_IOERR:  // its index of the log has no word of its own for a full disk
            return sqlite3_system_errno(database_.get()) == ENOSPC ? Trouble::disk_full : Trouble::io_error;
        case SQLITE_BUSY:
        case SQLITE_LOCKED: return Trouble::busy;
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB: return Trouble::corrupt;
        default: return Trouble::other;
    }
}

}  // namespace sy::store
