#include "core/control/task_table.h"

#include "base/check.h"

namespace sy::control {

TaskTable::Page* TaskTable::page_of(TaskId id) const {
    const std::uint64_t number = id.value() / kPage;
    if (number < first_page_ || number - first_page_ >= pages_.size()) return nullptr;
    return pages_[number - first_page_].get();
}

Task& TaskTable::add(TaskId id, const Task& task) {
    SY_CHECK(id > last_, "task {} comes after task {}", id.value(), last_.value());
    last_ = id;
    const std::uint64_t number = id.value() / kPage;
    if (pages_.empty()) first_page_ = number;
    while (number - first_page_ >= pages_.size()) pages_.push_back(nullptr);
    auto& page = pages_[number - first_page_];
    if (!page) page = std::make_unique<Page>();
    const std::size_t slot = id.value() % kPage;
    page->alive[slot] = true;
    ++page->count;
    ++size_;
    return page->tasks[slot] = task;
}

void TaskTable::remove(TaskId id) {
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

Task* TaskTable::find(TaskId id) {
    Page* page = page_of(id);
    return page != nullptr && page->alive[id.value() % kPage] ? &page->tasks[id.value() % kPage] : nullptr;
}

const Task* TaskTable::find(TaskId id) const {
    const Page* page = page_of(id);
    return page != nullptr && page->alive[id.value() % kPage] ? &page->tasks[id.value() % kPage] : nullptr;
}

}  // namespace sy::control
