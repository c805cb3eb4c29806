// One record's bytes: measured and hashed when it is taken, written into a slot, or copied aside.
#pragma once

#include <rdkafka.h>

#include <cstdint>
#include <memory>

namespace tidemark {

// What a slot's header says about its record.
struct Shape {
  int64_t offset = 0;
  int64_t timestamp = -1;
  int32_t timestampType = 0;
  int32_t keyBytes = -1;
  int32_t valueBytes = -1;
  int32_t headerCount = 0;
  int32_t headersBytes = 0;

  // Each part is below 2 GiB, their sum need not be.
  int64_t PayloadBytes() const;
};

// The bytes live either in librdkafka's message or, once parked, in a copy laid out as in a slot.
// Owns whichever it is. An empty record has neither.
struct Record {
  Shape shape;
  rd_kafka_message_t* message = nullptr;
  std::unique_ptr<uint8_t[]> parked;

  // Gives the bytes up, whichever they are.
  void Release();
};

// Reads the shape of a message without error. False when the record cannot be represented: headers
// that do not parse, an offset that is no safe integer, or headers above 2 GiB.
bool Measure(const rd_kafka_message_t* message, Shape* shape);

// Spreads similar keys over all 64 bits; the same for the same bytes on every machine.
uint64_t HashKey(const void* key, size_t bytes);

// `slot` points to at least kSlotHeaderBytes, 8-byte aligned.
void WriteHeader(const Shape& shape, uint8_t* slot);

// `at` points to at least PayloadBytes() of memory.
void WritePayload(const Record& record, uint8_t* at);

// The shape that a slot's header claims; false when it contradicts itself.
bool ReadHeader(const uint8_t* slot, Shape* shape);

// False when memory is short; nothing has changed then.
bool Park(Record* record);

}  // namespace tidemark
