// Where records come from: the consumer's main queue and one queue per split partition. Everything runs
// on the main thread except the two event callbacks, which run on librdkafka's threads while the queue's
// lock is held: they set one bit and ring the bell, and call nothing of librdkafka.
#pragma once

#include <rdkafka.h>
#include <uv.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ready-set.h"

namespace tidemark {

// An error that came through the main queue.
struct MainError {
  rd_kafka_resp_err_t error;
  bool hasTopic;
  std::string topic;
  int32_t partition;
  std::string message;
};

class Sources {
 public:
  // One million: far above any assignment, and bounds the ready set against a wrong argument.
  static constexpr int32_t kMostPartitions = 1 << 20;

  // `bell` must outlive this object, or at least Silence().
  Sources(rd_kafka_t* client, uv_async_t* bell);
  ~Sources() { Close(); }
  Sources(const Sources&) = delete;
  Sources& operator=(const Sources&) = delete;

  // False for a client that is in no consumer group; nothing else may be called then.
  bool IsOpen() const { return main_ != nullptr; }

  bool IsSplit(int32_t partition) const;
  // The index under which a partition is split, -1 when it is not.
  int32_t IndexOf(const std::string& topic, int32_t partitionId) const;
  // False when librdkafka has no queue for it. Neither index nor name may be split already.
  bool Split(int32_t partition, const std::string& topic, int32_t partitionId);
  void Unsplit(int32_t partition);
  int32_t Count() const { return static_cast<int32_t>(byName_.size()); }

  // Serves callbacks, sorts out strays, and hands over the errors that came since the last call.
  std::vector<MainError> PollMain();
  int32_t Ready(int32_t* out, int32_t max) { return ready_.Drain(out, max); }
  int64_t Length(int32_t partition) const;
  // At most `max` messages of a split partition, in order; the caller owns them. The view is good until
  // the next call. Fewer than `max` means that the queue is empty or the partition is marked again.
  std::pair<rd_kafka_message_t**, int32_t> Take(int32_t partition, int32_t max);
  bool Watermarks(int32_t partition, int64_t* low, int64_t* high) const;
  // Makes the client go on where it stands in truth; see "Positions" in README.md.
  void RestorePositions();

  // No callback of librdkafka's runs when this returns, and none comes after.
  void Silence();
  // Frees everything; idempotent.
  void Close();

 private:
  struct Queue {
    rd_kafka_queue_t* queue;
    std::string topic;
    int32_t id;
    ReadySet::Bit ready;
    uv_async_t* bell;
    // Records that reached the main queue before forwarding was switched off: older than the queue's.
    std::deque<rd_kafka_message_t*> strays;
    // The offset behind what the client has handed over; -1 before the first.
    int64_t next = -1;
    // The client's own idea of it is one too far.
    bool isAhead = false;
  };

  static void OnQueueEvent(rd_kafka_t*, void* opaque);
  static void OnMainEvent(rd_kafka_t*, void* opaque);
  void ServeMain();
  void Sort(rd_kafka_message_t* message);
  static void Note(const rd_kafka_message_t& message, Queue* queue);

  rd_kafka_t* client_;
  uv_async_t* bell_;
  rd_kafka_queue_t* main_;
  ReadySet ready_;
  std::vector<std::unique_ptr<Queue>> queues_;
  std::map<std::pair<std::string, int32_t>, int32_t> byName_;
  // A split happened since the main queue was served: it may hold records older than the new queue's.
  bool mayHoldStrays_ = false;
  std::vector<MainError> errors_;
  std::vector<rd_kafka_message_t*> batch_;
};

}  // namespace tidemark
