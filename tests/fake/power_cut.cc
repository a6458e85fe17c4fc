// A power cut, to be loaded before a program's own libraries (LD_PRELOAD). Whatever the program does to a file whose
// name begins as POWER_CUT_FILES says is counted: writes, cuts and syncs. At the number POWER_CUT_AT the power goes,
// and of all that was written since each file's last sync is left what POWER_CUT_LEAVES says: `all` (only the process
// is lost), `none`, or with a number as its seed some of it, as a disk may write in any order. With `error` the power
// stays, and from that number on every sync fails.
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

template <class Call>
Call real(const char* name) {
    return reinterpret_cast<Call>(::dlsym(RTLD_NEXT, name));
}

/// What a file was before a write, and the write itself.
struct Unsynced {
    off_t at = 0;
    std::string bytes;  ///< Of a cut: none.
    std::string before;
    off_t size_before = 0;
};

struct File {
    int fd = -1;  ///< Of our own: the program may close its.
    std::vector<Unsynced> unsynced;
};

class Disk {
public:
    static Disk& get() {
        static Disk disk;
        return disk;
    }

    /// Before anything is done to this descriptor's file: its number has come, or it goes on the list.
    void before_write(int fd, off_t at, const void* bytes, std::size_t size) {
        const std::lock_guard lock(mutex_);
        File* file = find(fd);
        if (file == nullptr) return;
        count();
        file->unsynced.push_back(
            {at, std::string(static_cast<const char*>(bytes), size), read(*file, at, size), size_of(*file)});
    }
    void before_cut(int fd, off_t size) {
        const std::lock_guard lock(mutex_);
        File* file = find(fd);
        if (file == nullptr) return;
        count();
        const off_t was = size_of(*file);
        const auto lost = was > size ? static_cast<std::size_t>(was - size) : 0;
        file->unsynced.push_back({size, {}, read(*file, size, lost), was});
    }
    /// Whether it may be done.
    bool before_sync(int fd) {
        const std::lock_guard lock(mutex_);
        if (find(fd) == nullptr) return true;
        count();
        return !(fails_ && done_ >= at_);
    }
    void after_sync(int fd) {
        const std::lock_guard lock(mutex_);
        if (File* file = find(fd)) file->unsynced.clear();
    }

private:
    Disk()
        : prefix_(word("POWER_CUT_FILES")),
          at_(std::strtoull(word("POWER_CUT_AT").c_str(), nullptr, 10)),
          leaves_(word("POWER_CUT_LEAVES")),
          fails_(leaves_ == "error"),
          chance_(std::strtoull(leaves_.c_str(), nullptr, 10)) {}

    static std::string word(const char* name) {
        const char* value = std::getenv(name);
        return value == nullptr ? "" : value;
    }

    File* find(int fd) {
        char name[4096];
        const ssize_t length = ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), name, sizeof name);
        if (prefix_.empty() || length <= 0) return nullptr;
        const std::string path(name, static_cast<std::size_t>(length));
        if (!path.starts_with(prefix_)) return nullptr;
        struct stat there {};
        if (::fstat(fd, &there) != 0) return nullptr;
        File& file = files_[there.st_ino];
        if (file.fd < 0) file.fd = ::dup(fd);
        return &file;
    }

    static off_t size_of(const File& file) {
        struct stat there {};
        return ::fstat(file.fd, &there) == 0 ? there.st_size : 0;
    }
    static std::string read(const File& file, off_t at, std::size_t size) {
        std::string bytes(size, '\0');
        const ssize_t n = ::pread(file.fd, bytes.data(), size, at);
        bytes.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
        return bytes;
    }

    void count() {
        if (++done_ == at_ && !fails_) cut();
    }

    [[noreturn]] void cut() {
        if (leaves_ != "all")
            for (auto& [inode, file] : files_) lose(file);
        ::kill(::getpid(), SIGKILL);
        for (;;) ::pause();
    }

    void lose(File& file) {
        static const auto write = real<ssize_t (*)(int, const void*, std::size_t, off_t)>("pwrite");
        static const auto resize = real<int (*)(int, off_t)>("ftruncate");
        const off_t size = size_of(file);
        for (auto last = file.unsynced.rbegin(); last != file.unsynced.rend(); ++last) {
            static_cast<void>(write(file.fd, last->before.data(), last->before.size(), last->at));
            static_cast<void>(resize(file.fd, last->size_before));
        }
        if (leaves_ == "none") return;
        for (const Unsynced& again : file.unsynced)
            if (!again.bytes.empty() && coin())
                static_cast<void>(write(file.fd, again.bytes.data(), again.bytes.size(), again.at));
        if (coin() && size_of(file) < size) static_cast<void>(resize(file.fd, size));
    }

    bool coin() {
        chance_ = chance_ * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
        return (chance_ >> 63U) != 0;
    }

    std::mutex mutex_;
    std::string prefix_;
    std::uint64_t at_;
    std::string leaves_;
    bool fails_;
    std::uint64_t chance_;
    std::uint64_t done_ = 0;
    std::map<ino_t, File> files_;
};

int synced(int fd, int (*call)(int)) {
    if (!Disk::get().before_sync(fd)) {
        errno = EIO;
        return -1;
    }
    const int done = call(fd);
    if (done == 0) Disk::get().after_sync(fd);
    return done;
}

}  // namespace

extern "C" {

ssize_t pwrite(int fd, const void* bytes, std::size_t size, off_t at) {
    static const auto call = real<ssize_t (*)(int, const void*, std::size_t, off_t)>("pwrite");
    Disk::get().before_write(fd, at, bytes, size);
    return call(fd, bytes, size, at);
}
ssize_t pwrite64(int fd, const void* bytes, std::size_t size, off_t at) {
    return pwrite(fd, bytes, size, at);
}

int ftruncate(int fd, off_t size) noexcept {
    static const auto call = real<int (*)(int, off_t)>("ftruncate");
    Disk::get().before_cut(fd, size);
    return call(fd, size);
}
int ftruncate64(int fd, off_t size) noexcept {
    return ftruncate(fd, size);
}

int fsync(int fd) {
    static const auto call = real<int (*)(int)>("fsync");
    return synced(fd, call);
}
int fdatasync(int fd) {
    static const auto call = real<int (*)(int)>("fdatasync");
    return synced(fd, call);
}

}  // extern "C"
