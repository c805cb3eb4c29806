// What the core sees of a message: one row of numbers.
#pragma once

#include <rdkafka.h>

#include <cstdint>
#include <utility>

#include "handle-table.h"
#include "layout.h"
#include "record.h"

namespace tidemark {

// Turns one message into a row; the message belongs to the table, or is gone, afterwards.
inline void WriteRow(rd_kafka_message_t* message, double* row, HandleTable* handles) {
  rd_kafka_resp_err_t error = message->err;
  Record record;
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR && !Measure(message, &record.shape))
    error = RD_KAFKA_RESP_ERR__BAD_MSG;
  row[kRowError] = error;
  row[kRowOffset] = static_cast<double>(message->offset);
  row[kRowTimestamp] = static_cast<double>(record.shape.timestamp);
  row[kRowKeyBytes] = record.shape.keyBytes;
  row[kRowPayloadBytes] = static_cast<double>(record.shape.PayloadBytes());
  row[kRowKeyHashLow] = 0;
  row[kRowKeyHashHigh] = 0;
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    row[kRowHandle] = -1;
    rd_kafka_message_destroy(message);
    return;
  }
  if (message->key != nullptr) {
    const uint64_t hash = HashKey(message->key, message->key_len);
    row[kRowKeyHashLow] = static_cast<int32_t>(hash);
    row[kRowKeyHashHigh] = static_cast<int32_t>(hash >> 32);
  }
  record.message = message;
  row[kRowHandle] = handles->Add(std::move(record));
}

}  // namespace tidemark
