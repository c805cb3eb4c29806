// The numbers of src/ring/layout.ts and of `Row` in src/core/ports.ts, as far as the intake writes or
// reads them. They are exported under the names used there and compared at start and by a test.
#pragma once

#include <bit>
#include <cstdint>

namespace tidemark {

static_assert(std::endian::native == std::endian::little, "slots are little-endian");

inline constexpr int kLayoutVersion = 1;

// A slot's header, as Int32 words.
enum SlotWord : int {
  kTimestampType = 7,
  kKeyBytes = 8,
  kValueBytes = 9,
  kHeaderCount = 10,
  kHeadersBytes = 11,
};

// A slot's header, as Float64 words.
enum SlotFloat : int {
  kOffset = 8,
  kTimestamp = 9,
};

inline constexpr int64_t kSlotHeaderBytes = 128;
// Per header: u32 name bytes, name, i32 value bytes (-1 for null), value.
inline constexpr int64_t kHeaderEntryFixedBytes = 8;

// A taken row, as Float64 words.
enum Row : int {
  kRowHandle = 0,
  kRowOffset = 1,
  kRowTimestamp = 2,
  kRowKeyHashLow = 3,
  kRowKeyHashHigh = 4,
  kRowKeyBytes = 5,
  kRowPayloadBytes = 6,
  kRowError = 7,
  kRowStride = 8,
};

}  // namespace tidemark
