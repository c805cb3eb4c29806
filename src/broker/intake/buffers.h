// The shared memory that JavaScript has registered, by small ids. Holding the backing store keeps the
// memory alive whatever JavaScript does with its object.
#pragma once

#include <v8.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tidemark {

struct Buffer {
  std::shared_ptr<v8::BackingStore> store;
  // Where slots begin and how long each is; slotBytes is 0 for memory without slots.
  int64_t slotsAt = 0;
  int64_t slotBytes = 0;
  // A shared buffer may grow but never shrinks: the length at registration stays inside it.
  int64_t bytes = 0;

  uint8_t* At(int64_t offset) const { return static_cast<uint8_t*>(store->Data()) + offset; }
};

class BufferTable {
 public:
  int32_t Add(Buffer&& buffer) {
    live_++;
    if (free_.empty()) {
      buffers_.push_back(std::move(buffer));
      return static_cast<int32_t>(buffers_.size()) - 1;
    }
    const int32_t id = free_.back();
    free_.pop_back();
    buffers_[static_cast<size_t>(id)] = std::move(buffer);
    return id;
  }

  const Buffer* Find(int64_t id) const {
    if (id < 0 || id >= static_cast<int64_t>(buffers_.size())) return nullptr;
    const Buffer& buffer = buffers_[static_cast<size_t>(id)];
    return buffer.store == nullptr ? nullptr : &buffer;
  }

  bool Remove(int64_t id) {
    if (Find(id) == nullptr) return false;
    buffers_[static_cast<size_t>(id)] = Buffer();
    free_.push_back(static_cast<int32_t>(id));
    live_--;
    return true;
  }

  int32_t Count() const { return live_; }

  void Clear() {
    buffers_.clear();
    free_.clear();
    live_ = 0;
  }

 private:
  std::vector<Buffer> buffers_;
  std::vector<int32_t> free_;
  int32_t live_ = 0;
};

}  // namespace tidemark
