// TaskTable: the tasks that have been accepted and have not ended, by id.
//
// Ids are given out one after another, so a task lies in the page of its number: finding it is two array steps and
// visiting all of them goes in order of acceptance. A page whose tasks have all ended is freed; what remains of it is
// one pointer, so a task that lives for months among millions of short ones costs little.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "base/ids.h"
#include "core/model/task.h"

namespace sy::control {

class TaskTable {
public:
    std::size_t size() const { return size_; }

    /// `id` must be above every id added before.
    Task& add(TaskId id, const Task& task);
    void remove(TaskId id);

    Task* find(TaskId id);
    const Task* find(TaskId id) const;

    /// Calls visit(id, task) for each, in order of id.
    template <class Visit>
    void for_each(Visit visit) const {
        for (std::size_t p = 0; p < pages_.size(); ++p) {
            if (!pages_[p]) continue;
            for (std::size_t i = 0; i < kPage; ++i)
                if (pages_[p]->alive[i]) visit(TaskId((first_page_ + p) * kPage + i), pages_[p]->tasks[i]);
        }
    }

private:
    static constexpr std::size_t kPage = 64;

    struct Page {
        std::array<Task, kPage> tasks{};
        std::array<bool, kPage> alive{};
        std::size_t count = 0;
    };

    Page* page_of(TaskId id) const;

    std::deque<std::unique_ptr<Page>> pages_;
    TaskId last_;                   ///< Added; ids only grow.
    std::uint64_t first_page_ = 0;  ///< Number of pages_.front().
    std::size_t size_ = 0;
};

}  // namespace sy::control
