#include "service/store/sqlite_store.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "service/store/folder_lock.h"
#include "service/store/log_tail.h"
#include "service/store/reserve.h"

namespace sy::store {

namespace {

constexpr std::uint64_t kFormat = 6;

using Say = std::function<void(const std::string&)>;

constexpr const char* kMeta =
    "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID";
constexpr const char* kSchema = R"sql(
CREATE TABLE IF NOT EXISTS journal (number INTEGER PRIMARY KEY, digest INTEGER NOT NULL, packed BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS snapshot (covers INTEGER PRIMARY KEY, state BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS record (task INTEGER PRIMARY KEY, bytes BLOB NOT NULL, shelf INTEGER NOT NULL DEFAULT 0,
                                   ended INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS shelved ON record (shelf, task) WHERE shelf > 0;
CREATE TABLE IF NOT EXISTS key (word TEXT PRIMARY KEY, task INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS key_of ON key (task);
CREATE TABLE IF NOT EXISTS name (number INTEGER PRIMARY KEY, name TEXT NOT NULL);
)sql";

Result<std::unique_ptr<Reader>> make_reader(const std::string& path);

class SqliteStore final : public Store {
public:
    static Result<std::unique_ptr<Store>> open(const std::string& path, FolderLock lock, Reserve reserve,
                                               const Say& say) {
        const auto unfinished = unfinished_bytes(path + "-wal");  // SQLite would pass over it in silence
        if (!unfinished) return tl::unexpected(unfinished.error());
        auto database = Database::open(path);
        if (!database) return tl::unexpected(database.error());
        for (const char* sql : {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA busy_timeout = 2000",
                                "PRAGMA wal_autocheckpoint = 4000", kMeta})
            if (auto done = database->execute(sql); !done) return tl::unexpected(done.error());
        auto store = std::unique_ptr<SqliteStore>(
            new SqliteStore(path, std::move(lock), std::move(*database), std::move(reserve)));
        if (const auto fine = store->check_format(); !fine) return tl::unexpected(fine.error());
        if (const auto made = store->database_.execute(kSchema); !made) return tl::unexpected(made.error());
        if (const auto fine = store->prepare(); !fine) return tl::unexpected(fine.error());
        if (const auto cut = store->cut_off(*unfinished, say); !cut) return tl::unexpected(cut.error());
        return store;
    }

    Result<Recovered> recover() override {
        Recovered recovered;
        std::uint64_t expected = 1;
        auto latest = database_.prepare("SELECT covers, state FROM snapshot ORDER BY covers DESC LIMIT 1");
        if (!latest) return tl::unexpected(latest.error());
        const auto has_snapshot = latest->next();
        if (!has_snapshot) return tl::unexpected(has_snapshot.error());
        if (*has_snapshot) {
            expected = latest->number(0) + 1;
            recovered.snapshot = latest->bytes(1);
        }
        auto rows = database_.prepare("SELECT number, digest, packed FROM journal WHERE number >= ? ORDER BY number");
        if (!rows) return tl::unexpected(rows.error());
        rows->bind(1, expected);
        for (;; ++expected) {
            const auto row = rows->next();
            if (!row) return tl::unexpected(row.error());
            if (!*row) break;
            std::string packed = rows->bytes(2);
            if (rows->number(0) != expected || rows->number(1) != digest_of(packed))
                return fail(Fault::failed, fmt::format("{}: the journal is damaged at group {}", path_, expected),
                            "restore the folder from a copy; do not delete it, it may hold the only record");
            recovered.journals.push_back(std::move(packed));
        }
        last_ = expected - 1;
        if (auto read = read_names(recovered.names); !read) return tl::unexpected(read.error());
        return recovered;
    }

    Result<void> commit(const std::vector<Group>& groups) override {
        return in_transaction([&]() -> Result<void> {
                   std::uint64_t number = last_;
                   for (const Group& group : groups) {
                       auto entered = add_journal_->bind(1, ++number)
                                          .bind(2, digest_of(group.journal))
                                          .bind_bytes(3, group.journal)
                                          .run();
                       if (!entered) return entered;
                       if (auto kept = keep(group); !kept) return kept;
                   }
                   return {};
               })
            .map([&] { last_ += groups.size(); });
    }

    /// The snapshot before this one stays, with the journal after it: if the new one cannot be read, all is not lost.
    Result<void> keep_snapshot(const std::string& snapshot) override {
        return in_transaction([&]() -> Result<void> {
            auto oldest = database_.prepare("SELECT max(covers) FROM snapshot WHERE covers < ?");
            if (!oldest) return tl::unexpected(oldest.error());
            const auto row = oldest->bind(1, last_).next();
            if (!row) return tl::unexpected(row.error());
            const std::uint64_t keep_from = oldest->number(0);
            for (auto& [sql, bound] : {std::pair{"DELETE FROM journal WHERE number <= ?", keep_from},
                                       std::pair{"DELETE FROM snapshot WHERE covers < ?", keep_from}}) {
                auto drop = database_.prepare(sql);
                if (!drop) return tl::unexpected(drop.error());
                if (auto dropped = drop->bind(1, bound).run(); !dropped) return dropped;
            }
            auto put = database_.prepare("INSERT OR REPLACE INTO snapshot (covers, state) VALUES (?, ?)");
            if (!put) return tl::unexpected(put.error());
            return put->bind(1, last_).bind_bytes(2, snapshot).run();
        });
    }

    /// Walks along the records instead of keeping them sorted by their end: tasks end much more often than somebody
    /// looks.
    Result<Old> find_old(std::int64_t ended_before, TaskId after, std::uint32_t most) override {
        Old old;
        std::uint32_t looked = 0;
        walk_->bind(1, after.value()).bind(2, most);
        for (;;) {
            const auto row = walk_->next();
            if (!row) return tl::unexpected(row.error());
            if (!*row) break;
            ++looked;
            old.up_to = TaskId(walk_->number(0));
            const auto ended = static_cast<std::int64_t>(walk_->number(1));
            if (ended != 0 && ended < ended_before) old.records.push_back({old.up_to, walk_->bytes(2)});
        }
        if (looked < most) old.up_to = TaskId{};
        return old;
    }

    Result<void> forget(const std::vector<TaskId>& tasks) override {
        return in_transaction([&]() -> Result<void> {
            for (const TaskId task : tasks)
                for (auto* drop : {&drop_record_, &drop_keys_})
                    if (auto dropped = (*drop)->bind(1, task.value()).run(); !dropped) return dropped;
            return {};
        });
    }

    bool use_reserve() override { return reserve_.give_up(); }
    bool keep_reserve() override { return reserve_.keep(); }

    Result<std::unique_ptr<Reader>> reader() override { return make_reader(path_); }

    bool is_full() const override { return full_; }

private:
    SqliteStore(std::string path, FolderLock lock, Database database, Reserve reserve)
        : path_(std::move(path)),
          lock_(std::move(lock)),
          database_(std::move(database)),
          reserve_(std::move(reserve)) {}

    Result<void> keep(const Group& group) {
        for (const Record& record : group.records) {
            auto kept = put_record_->bind(1, record.task.value())
                            .bind_bytes(2, record.bytes)
                            .bind(3, static_cast<std::uint64_t>(record.shelf))
                            .bind(4, static_cast<std::uint64_t>(record.ended))
                            .run();
            if (!kept) return kept;
        }
        for (const Key& key : group.keys)
            if (auto kept = put_key_->bind_bytes(1, key.word).bind(2, key.task.value()).run(); !kept) return kept;
        for (const std::string& name : group.names)
            if (auto kept = put_name_->bind_bytes(1, name).run(); !kept) return kept;
        return {};
    }

    Result<void> read_names(std::vector<std::string>& names) {
        auto rows = database_.prepare("SELECT name FROM name ORDER BY number");
        if (!rows) return tl::unexpected(rows.error());
        for (;;) {
            const auto row = rows->next();
            if (!row) return tl::unexpected(row.error());
            if (!*row) return {};
            names.push_back(rows->bytes(0));
        }
    }

    template <class Work>
    Result<void> in_transaction(Work work) {
        if (const auto begun = begin_->run(); !begun) return noted(begun);
        auto done = work();
        if (done) done = commit_->run();
        if (!done) {
            done = noted(done);
            static_cast<void>(database_.execute("ROLLBACK"));
        }
        return done;
    }

    Result<void> noted(Result<void> done) {
        full_ = !done && database_.trouble() == Trouble::disk_full;
        return done;
    }

    /// So that the next look at the log does not find what this one has spoken of.
    Result<void> cut_off(std::uint64_t unfinished, const Say& say) {
        if (unfinished == 0) return {};
        if (say)
            say(fmt::format(
                "{}-wal ended with {} bytes of a commit that did not come to its end: they are cut off, and "
                "nobody was answered",
                path_, unfinished));
        return database_.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    }

    Result<void> check_format() {
        auto put = database_.prepare("INSERT OR IGNORE INTO meta (key, value) VALUES ('format', ?)");
        if (!put) return tl::unexpected(put.error());
        if (auto done = put->bind(1, kFormat).run(); !done) return done;
        auto get = database_.prepare("SELECT value FROM meta WHERE key = 'format'");
        if (!get) return tl::unexpected(get.error());
        const auto row = get->next();
        if (!row) return tl::unexpected(row.error());
        if (!*row || get->number(0) != kFormat)
            return fail(Fault::failed,
                        fmt::format("{} has format {}, this program writes {}", path_, get->number(0), kFormat),
                        "use the version that wrote it");
        return {};
    }

    Result<void> prepare() {
        for (const auto& [statement, sql] :
             {std::pair{&begin_, "BEGIN IMMEDIATE"}, std::pair{&commit_, "COMMIT"},
              std::pair{&add_journal_, "INSERT INTO journal (number, digest, packed) VALUES (?, ?, ?)"},
              std::pair{&put_record_, "INSERT OR REPLACE INTO record (task, bytes, shelf, ended) VALUES (?, ?, ?, ?)"},
              std::pair{&put_key_, "INSERT OR IGNORE INTO key (word, task) VALUES (?, ?)"},
              std::pair{&put_name_, "INSERT INTO name (name) VALUES (?)"},
              std::pair{&walk_, "SELECT task, ended, bytes FROM record WHERE task > ? ORDER BY task LIMIT ?"},
              std::pair{&drop_record_, "DELETE FROM record WHERE task = ?"},
              std::pair{&drop_keys_, "DELETE FROM key WHERE task = ?"}}) {
            auto prepared = database_.prepare(sql);
            if (!prepared) return tl::unexpected(prepared.error());
            statement->emplace(std::move(*prepared));
        }
        return {};
    }

    std::string path_;
    FolderLock lock_;
    Database database_;
    Reserve reserve_;
    std::optional<Statement> begin_;
    std::optional<Statement> commit_;
    std::optional<Statement> add_journal_;
    std::optional<Statement> put_record_;
    std::optional<Statement> put_key_;
    std::optional<Statement> put_name_;
    std::optional<Statement> walk_;
    std::optional<Statement> drop_record_;
    std::optional<Statement> drop_keys_;
    std::uint64_t last_ = 0;  ///< The number of the last group.
    bool full_ = false;
};

class SqliteReader final : public Reader {
public:
    explicit SqliteReader(Database database) : database_(std::move(database)) {}

    Result<void> prepare() {
        for (const auto& [statement, sql] :
             {std::pair{&find_, "SELECT bytes FROM record WHERE task = ?"},
              std::pair{&before_, "SELECT task, bytes, shelf FROM record WHERE task < ? ORDER BY task DESC LIMIT ?"},
              std::pair{&shelf_,
                        "SELECT task, bytes, shelf FROM record WHERE task < ? AND shelf > 0 AND shelf = ?3 "
                        "ORDER BY task DESC LIMIT ?2"},
              std::pair{&find_key_, "SELECT task FROM key WHERE word = ?"}}) {
            auto prepared = database_.prepare(sql);
            if (!prepared) return tl::unexpected(prepared.error());
            statement->emplace(std::move(*prepared));
        }
        return {};
    }

    Result<std::optional<std::string>> find(TaskId task) override {
        find_->bind(1, task.value());
        return one(*find_, [](Statement& row) { return row.bytes(0); });
    }

    Result<std::vector<std::optional<std::string>>> find_all(const std::vector<TaskId>& tasks) override {
        std::vector<std::optional<std::string>> all;
        for (const TaskId task : tasks) {
            auto bytes = find(task);
            if (!bytes) return tl::unexpected(bytes.error());
            all.push_back(std::move(*bytes));
        }
        return all;
    }

    Result<std::vector<Record>> before(TaskId task, std::uint32_t most) override {
        before_->bind(1, task.value()).bind(2, most);
        return all(*before_);
    }

    Result<std::vector<Record>> on_shelf(Shelf shelf, TaskId before, std::uint32_t most) override {
        shelf_->bind(1, before.value()).bind(2, most).bind(3, static_cast<std::uint64_t>(shelf));
        return all(*shelf_);
    }

    Result<std::optional<TaskId>> find_key(const std::string& word) override {
        find_key_->bind_bytes(1, word);
        return one(*find_key_, [](Statement& row) { return TaskId(row.number(0)); });
    }

private:
    template <class Take>
    static auto one(Statement& rows, Take take) -> Result<std::optional<decltype(take(rows))>> {
        const auto row = rows.next();
        if (!row) return tl::unexpected(row.error());
        if (!*row) return std::nullopt;
        auto taken = take(rows);
        if (const auto end = rows.next(); !end) return tl::unexpected(end.error());
        return taken;
    }

    static Result<std::vector<Record>> all(Statement& rows) {
        std::vector<Record> records;
        for (;;) {
            const auto row = rows.next();
            if (!row) return tl::unexpected(row.error());
            if (!*row) return records;
            records.push_back({TaskId(rows.number(0)), rows.bytes(1), static_cast<Shelf>(rows.number(2))});
        }
    }

    Database database_;
    std::optional<Statement> find_;
    std::optional<Statement> before_;
    std::optional<Statement> shelf_;
    std::optional<Statement> find_key_;
};

Result<std::unique_ptr<Reader>> make_reader(const std::string& path) {
    auto database = Database::open(path);
    if (!database) return tl::unexpected(database.error());
    if (const auto done = database->execute("PRAGMA busy_timeout = 2000"); !done) return tl::unexpected(done.error());
    auto reader = std::make_unique<SqliteReader>(std::move(*database));
    if (const auto ready = reader->prepare(); !ready) return tl::unexpected(ready.error());
    return reader;
}

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite_store(const std::string& folder, Bytes reserve,
                                                 const std::function<void(const std::string&)>& say) {
    std::error_code trouble;
    std::filesystem::create_directories(folder, trouble);
    if (trouble)
        return fail(Fault::failed, fmt::format("{} cannot be made: {}", folder, trouble.message()),
                    "name a folder that may be written");
    auto lock = FolderLock::take(folder);
    if (!lock) return tl::unexpected(lock.error());
    return SqliteStore::open(folder + "/switchyard.db", std::move(*lock), Reserve(folder + "/reserve", reserve), say);
}

}  // namespace sy::store
