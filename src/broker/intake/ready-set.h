// The set of partitions that became ready. Marked on librdkafka's threads, drained on the main thread.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <deque>

namespace tidemark {

class ReadySet {
 public:
  // One partition's bit. Its address stays good while the set lives: a deque does not move its elements.
  struct Bit {
    std::atomic<uint64_t>* word = nullptr;
    uint64_t mask = 0;

    // Any thread. What was enqueued before is visible to whoever sees the mark: both sides also take
    // the lock of librdkafka's queue, so this only has to be atomic.
    void Mark() const { word->fetch_or(mask, std::memory_order_release); }
    void Clear() const { word->fetch_and(~mask, std::memory_order_acquire); }
  };

  Bit BitOf(int32_t partition) {
    const auto word = static_cast<size_t>(partition) / 64;
    while (words_.size() <= word) words_.emplace_back(0);
    return {&words_[word], uint64_t{1} << (partition % 64)};
  }

  // Moves at most `max` partitions into `out`; the rest stays. Begins where the last drain ended, so
  // that a short `out` is fair.
  int32_t Drain(int32_t* out, int32_t max) {
    int32_t count = 0;
    for (size_t i = 0; i < words_.size() && count < max; i++) {
      const size_t index = (next_ + i) % words_.size();
      std::atomic<uint64_t>& word = words_[index];
      // A plain look first: most words are empty, and an exchange would fetch the line for writing.
      if (word.load(std::memory_order_relaxed) == 0) continue;
      uint64_t bits = word.exchange(0, std::memory_order_acquire);
      for (; bits != 0 && count < max; bits &= bits - 1)
        out[count++] = static_cast<int32_t>(index * 64) + std::countr_zero(bits);
      if (bits != 0) word.fetch_or(bits, std::memory_order_relaxed);
      if (count == max) next_ = (index + (bits == 0 ? 1 : 0)) % words_.size();
    }
    return count;
  }

 private:
  std::deque<std::atomic<uint64_t>> words_;
  size_t next_ = 0;
};

}  // namespace tidemark
