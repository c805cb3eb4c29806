#include "record.h"

#include <cstring>
#include <limits>
#include <new>

#include "layout.h"

namespace tidemark {
namespace {

constexpr int64_t kMaxSafeInteger = (int64_t{1} << 53) - 1;

template <typename T>
void Put(uint8_t* base, int word, T value) {
  std::memcpy(base + word * static_cast<int>(sizeof(T)), &value, sizeof(T));
}

template <typename T>
T Get(const uint8_t* base, int word) {
  T value;
  std::memcpy(&value, base + word * static_cast<int>(sizeof(T)), sizeof(T));
  return value;
}

int64_t AtLeastZero(int32_t bytes) { return bytes < 0 ? 0 : bytes; }

uint8_t* Append(uint8_t* at, const void* bytes, int64_t count) {
  // memcpy must not be given a null pointer, not even for no bytes.
  if (count > 0) std::memcpy(at, bytes, static_cast<size_t>(count));
  return at + (count > 0 ? count : 0);
}

uint8_t* AppendInt(uint8_t* at, int32_t value) { return Append(at, &value, sizeof(value)); }

// Calls `visit(name, nameBytes, value, valueBytes)` in the record's order. False when the record has
// headers that do not parse. Messages without headers cost one look at a length.
template <typename Visit>
bool EachHeader(const rd_kafka_message_t* message, Visit visit) {
  rd_kafka_headers_t* headers = nullptr;
  const rd_kafka_resp_err_t error = rd_kafka_message_headers(message, &headers);
  if (error == RD_KAFKA_RESP_ERR__NOENT) return true;
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return false;
  const char* name = nullptr;
  const void* value = nullptr;
  size_t bytes = 0;
  for (size_t i = 0; rd_kafka_header_get_all(headers, i, &name, &value, &bytes) ==
                     RD_KAFKA_RESP_ERR_NO_ERROR;
       i++)
    visit(name, static_cast<int64_t>(std::strlen(name)), value,
          value == nullptr ? -1 : static_cast<int64_t>(bytes));
  return true;
}

// The two halves of a 128-bit product, folded: every input bit reaches every output bit.
uint64_t Mix(uint64_t a, uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

}  // namespace

int64_t Shape::PayloadBytes() const {
  return AtLeastZero(keyBytes) + AtLeastZero(valueBytes) + headersBytes;
}

void Record::Release() {
  if (message != nullptr) rd_kafka_message_destroy(message);
  message = nullptr;
  parked.reset();
}

bool Measure(const rd_kafka_message_t* message, Shape* shape) {
  constexpr size_t most = std::numeric_limits<int32_t>::max();
  if (message->offset < 0 || message->offset > kMaxSafeInteger) return false;
  if (message->key_len > most || message->len > most) return false;
  int64_t count = 0;
  int64_t bytes = 0;
  const bool parsed = EachHeader(
      message, [&](const char*, int64_t nameBytes, const void*, int64_t valueBytes) {
        count++;
        bytes += kHeaderEntryFixedBytes + nameBytes + (valueBytes < 0 ? 0 : valueBytes);
      });
  if (!parsed || bytes > static_cast<int64_t>(most)) return false;
  rd_kafka_timestamp_type_t type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
  shape->timestamp = rd_kafka_message_timestamp(message, &type);
  shape->timestampType = static_cast<int32_t>(type);
  shape->offset = message->offset;
  // A null pointer means null; an empty key or value has a pointer and no length.
  shape->keyBytes = message->key == nullptr ? -1 : static_cast<int32_t>(message->key_len);
  shape->valueBytes = message->payload == nullptr ? -1 : static_cast<int32_t>(message->len);
  shape->headerCount = static_cast<int32_t>(count);
  shape->headersBytes = static_cast<int32_t>(bytes);
  return true;
}

uint64_t HashKey(const void* key, size_t bytes) {
  const auto* at = static_cast<const uint8_t*>(key);
  // The length goes in first, so that a key and the same key with zeros behind it differ.
  uint64_t hash = Mix(bytes + 0x243f6a8885a308d3u, 0x9e3779b97f4a7c15u);
  for (; bytes >= 8; at += 8, bytes -= 8)
    hash = Mix(hash ^ Get<uint64_t>(at, 0), 0xd6e8feb86659fd93u);
  uint64_t rest = 0;
  if (bytes > 0) std::memcpy(&rest, at, bytes);
  hash = Mix(hash ^ rest, 0xa0761d6478bd642fu);
  hash ^= hash >> 32;
  hash *= 0xe7037ed1a0b428dbu;
  return hash ^ (hash >> 29);
}

void WriteHeader(const Shape& shape, uint8_t* slot) {
  Put<int32_t>(slot, kTimestampType, shape.timestampType);
  Put<int32_t>(slot, kKeyBytes, shape.keyBytes);
  Put<int32_t>(slot, kValueBytes, shape.valueBytes);
  Put<int32_t>(slot, kHeaderCount, shape.headerCount);
  Put<int32_t>(slot, kHeadersBytes, shape.headersBytes);
  Put<double>(slot, kOffset, static_cast<double>(shape.offset));
  Put<double>(slot, kTimestamp, static_cast<double>(shape.timestamp));
}

void WritePayload(const Record& record, uint8_t* at) {
  if (record.message == nullptr) {
    Append(at, record.parked.get(), record.shape.PayloadBytes());
    return;
  }
  at = Append(at, record.message->key, record.shape.keyBytes);
  at = Append(at, record.message->payload, record.shape.valueBytes);
  if (record.shape.headerCount == 0) return;
  // Measured once already with the same result: the message cannot change in between.
  EachHeader(record.message,
             [&](const char* name, int64_t nameBytes, const void* value, int64_t valueBytes) {
               at = AppendInt(at, static_cast<int32_t>(nameBytes));
               at = Append(at, name, nameBytes);
               at = AppendInt(at, static_cast<int32_t>(valueBytes));
               at = Append(at, value, valueBytes);
             });
}

bool ReadHeader(const uint8_t* slot, Shape* shape) {
  const double offset = Get<double>(slot, kOffset);
  const double timestamp = Get<double>(slot, kTimestamp);
  // Written so that NaN fails too.
  if (!(offset >= 0 && offset <= static_cast<double>(kMaxSafeInteger))) return false;
  if (!(timestamp >= -static_cast<double>(kMaxSafeInteger) &&
        timestamp <= static_cast<double>(kMaxSafeInteger)))
    return false;
  shape->offset = static_cast<int64_t>(offset);
  shape->timestamp = static_cast<int64_t>(timestamp);
  shape->timestampType = Get<int32_t>(slot, kTimestampType);
  shape->keyBytes = Get<int32_t>(slot, kKeyBytes);
  shape->valueBytes = Get<int32_t>(slot, kValueBytes);
  shape->headerCount = Get<int32_t>(slot, kHeaderCount);
  shape->headersBytes = Get<int32_t>(slot, kHeadersBytes);
  return shape->keyBytes >= -1 && shape->valueBytes >= -1 && shape->headerCount >= 0 &&
         shape->headersBytes >= 0;
}

bool Park(Record* record) {
  if (record->message == nullptr) return true;
  const auto bytes = static_cast<size_t>(record->shape.PayloadBytes());
  std::unique_ptr<uint8_t[]> copy;
  if (bytes > 0) {
    copy.reset(new (std::nothrow) uint8_t[bytes]);
    if (copy == nullptr) return false;
    WritePayload(*record, copy.get());
  }
  record->Release();
  record->parked = std::move(copy);
  return true;
}

}  // namespace tidemark
