// Names records by small numbers until their bytes lie in a slot. A handle is an index with a count of
// how often that index was used before, so that a handle freed twice, or used after it was freed, is
// told from the record that has its place now.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "record.h"

namespace tidemark {

class HandleTable {
 public:
  static constexpr int kIndexBits = 22;
  static constexpr int32_t kMostHandles = int32_t{1} << kIndexBits;

  explicit HandleTable(int32_t limit) : limit_(limit) {}
  ~HandleTable() { Clear(); }
  HandleTable(const HandleTable&) = delete;
  HandleTable& operator=(const HandleTable&) = delete;

  int32_t Live() const { return live_; }
  int32_t Parked() const { return parked_; }
  int32_t Limit() const { return limit_; }
  int32_t Available() const { return limit_ - live_; }

  // Only while Available() is not zero. The table owns the record's bytes from here on.
  int32_t Add(Record&& record) {
    int32_t index;
    if (free_.empty()) {
      index = static_cast<int32_t>(entries_.size());
      entries_.emplace_back();
    } else {
      index = free_.back();
      free_.pop_back();
    }
    Entry& entry = entries_[static_cast<size_t>(index)];
    if (record.message == nullptr) parked_++;
    entry.record = std::move(record);
    entry.live = true;
    live_++;
    return (entry.uses << kIndexBits) | index;
  }

  // Null when the handle names no record.
  Record* Find(int64_t handle) {
    Entry* entry = EntryOf(handle);
    return entry == nullptr ? nullptr : &entry->record;
  }

  // True the first time it is called for a live handle within the same `pass`; passes count from 1.
  bool FirstInPass(int64_t handle, uint64_t pass) {
    Entry* entry = EntryOf(handle);
    if (entry == nullptr || entry->pass == pass) return false;
    entry->pass = pass;
    return true;
  }

  // False when memory is short. Only for a live handle.
  bool Park(int64_t handle) {
    Record* record = Find(handle);
    const bool was = record->message == nullptr;
    if (!tidemark::Park(record)) return false;
    if (!was) parked_++;
    return true;
  }

  // False when the handle names no record.
  bool Free(int64_t handle) {
    Entry* entry = EntryOf(handle);
    if (entry == nullptr) return false;
    if (entry->record.message == nullptr) parked_--;
    entry->record.Release();
    entry->live = false;
    entry->uses = (entry->uses + 1) & kMostUses;
    live_--;
    free_.push_back(static_cast<int32_t>(entry - entries_.data()));
    return true;
  }

  void Clear() {
    for (Entry& entry : entries_) entry.record.Release();
    entries_.clear();
    free_.clear();
    live_ = 0;
    parked_ = 0;
  }

 private:
  // Keeps handles within 31 bits: they travel in Int32Arrays, where -1 means none.
  static constexpr int32_t kMostUses = (int32_t{1} << (31 - kIndexBits)) - 1;

  struct Entry {
    Record record;
    uint64_t pass = 0;
    int32_t uses = 0;
    bool live = false;
  };

  Entry* EntryOf(int64_t handle) {
    if (handle < 0 || handle > INT32_MAX) return nullptr;
    const auto index = static_cast<size_t>(handle & (kMostHandles - 1));
    if (index >= entries_.size()) return nullptr;
    Entry& entry = entries_[index];
    return entry.live && entry.uses == (handle >> kIndexBits) ? &entry : nullptr;
  }

  const int32_t limit_;
  int32_t live_ = 0;
  int32_t parked_ = 0;
  std::vector<Entry> entries_;
  std::vector<int32_t> free_;
};

}  // namespace tidemark
