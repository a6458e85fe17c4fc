// ByTask: something for each task that is alive, by id.
//
// Ids are given out one after another, so a task lies in the page of its number: finding it is two array steps and
// visiting all of them goes in order of acceptance. A page whose tasks have all gone is freed; what remains of it is
// one pointer, so a task that lives for months among millions of short ones costs little.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/ids.h"

namespace sy {

template <class T>
class ByTask {
public:
    std::size_t size() const { return size_; }

    /// One that must not be there. Ids may come back, though mostly they grow.
    T& add(TaskId id, T value) {
        SY_CHECK(find(id) == nullptr, "task {} is there already", id.value());
        const std::uint64_t number = id.value() / kPage;
        if (pages_.empty()) first_page_ = number;
        for (; number < first_page_; --first_page_) pages_.push_front(nullptr);
        while (number - first_page_ >= pages_.size()) pages_.push_back(nullptr);
        auto& page = pages_[number - first_page_];
        if (!page) page = std::make_unique<Page>();
        const std::size_t slot = id.value() % kPage;
        page->alive[slot] = true;
        ++page->count;
        ++size_;
        return page->values[slot] = std::move(value);
    }

    void remove(TaskId id) {
        Page* page = page_of(id);
        const std::size_t slot = id.value() % kPage;
        SY_CHECK(page != nullptr && page->alive[slot], "task {} is not there", id.value());
        page->alive[slot] = false;
        --size_;
        if (--page->count > 0) return;
        pages_[id.value() / kPage - first_page_].reset();
        while (!pages_.empty() && !pages_.front()) {
            pages_.pop_front();
            ++first_page_;
        }
    }

    T* find(TaskId id) { return find_in(page_of(id), id); }
    const T* find(TaskId id) const { return find_in(page_of(id), id); }
    /// One that must be there.
    T& at(TaskId id) {
        T* found = find(id);
        SY_CHECK(found != nullptr, "task {} is not there", id.value());
        return *found;
    }
    const T& at(TaskId id) const {
        const T* found = find(id);
        SY_CHECK(found != nullptr, "task {} is not there", id.value());
        return *found;
    }

    /// Calls visit(id, value) for each, in order of id.
    template <class Visit>
    void for_each(Visit visit) const {
        each(*this, visit);
    }
    template <class Visit>
    void for_each(Visit visit) {
        each(*this, visit);
    }

private:
    template <class Self, class Visit>
    static void each(Self& self, Visit& visit) {
        for (std::size_t p = 0; p < self.pages_.size(); ++p) {
            if (!self.pages_[p]) continue;
            for (std::size_t i = 0; i < kPage; ++i)
                if (self.pages_[p]->alive[i])
                    visit(TaskId((self.first_page_ + p) * kPage + i), self.pages_[p]->values[i]);
        }
    }

    static constexpr std::size_t kPage = 64;

    struct Page {
        std::array<T, kPage> values{};
        std::bitset<kPage> alive;
        std::size_t count = 0;
    };

    Page* page_of(TaskId id) const {
        const std::uint64_t number = id.value() / kPage;
        if (number < first_page_ || number - first_page_ >= pages_.size()) return nullptr;
        return pages_[number - first_page_].get();
    }
    static T* find_in(Page* page, TaskId id) {
        return page != nullptr && page->alive[id.value() % kPage] ? &page->values[id.value() % kPage] : nullptr;
    }

    std::deque<std::unique_ptr<Page>> pages_;
    std::uint64_t first_page_ = 0;  ///< Number of pages_.front().
    std::size_t size_ = 0;
};

}  // namespace sy
