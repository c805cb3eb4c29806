#include "sources.h"

namespace tidemark {
namespace {

constexpr size_t kMainBatch = 256;
// One call serves at most this many batches and rings for the rest, so that it always ends.
constexpr int kMainRounds = 64;

}  // namespace

Sources::Sources(rd_kafka_t* client, uv_async_t* bell)
    : client_(client), bell_(bell), main_(rd_kafka_queue_get_consumer(client)) {
  if (main_ == nullptr) return;
  rd_kafka_queue_cb_event_enable(main_, OnMainEvent, bell_);
  // Callbacks that were queued before raise no event any more.
  uv_async_send(bell_);
}

void Sources::OnQueueEvent(rd_kafka_t*, void* opaque) {
  const auto* queue = static_cast<const Queue*>(opaque);
  queue->ready.Mark();
  uv_async_send(queue->bell);
}

void Sources::OnMainEvent(rd_kafka_t*, void* opaque) {
  uv_async_send(static_cast<uv_async_t*>(opaque));
}

bool Sources::IsSplit(int32_t partition) const {
  return partition >= 0 && static_cast<size_t>(partition) < queues_.size() &&
         queues_[static_cast<size_t>(partition)] != nullptr;
}

int32_t Sources::IndexOf(const std::string& topic, int32_t partitionId) const {
  const auto found = byName_.find({topic, partitionId});
  return found == byName_.end() ? -1 : found->second;
}

bool Sources::Split(int32_t partition, const std::string& topic, int32_t partitionId) {
  rd_kafka_queue_t* handle = rd_kafka_queue_get_partition(client_, topic.c_str(), partitionId);
  if (handle == nullptr) return false;
  // The order matters: first records stop going to the main queue, then the event is switched on, then
  // the partition is marked by hand, because an event comes only when an empty queue gets something.
  rd_kafka_queue_forward(handle, nullptr);
  auto queue = std::make_unique<Queue>(
      Queue{handle, topic, partitionId, ready_.BitOf(partition), bell_, {}});
  rd_kafka_queue_cb_event_enable(handle, OnQueueEvent, queue.get());
  OnQueueEvent(client_, queue.get());
  const auto index = static_cast<size_t>(partition);
  if (queues_.size() <= index) queues_.resize(index + 1);
  queues_[index] = std::move(queue);
  byName_.insert_or_assign({topic, partitionId}, partition);
  mayHoldStrays_ = true;
  return true;
}

void Sources::Unsplit(int32_t partition) {
  std::unique_ptr<Queue> queue = std::move(queues_[static_cast<size_t>(partition)]);
  // This takes the lock under which the callback runs: afterwards nobody uses the queue's memory.
  rd_kafka_queue_cb_event_enable(queue->queue, nullptr, nullptr);
  queue->ready.Clear();
  rd_kafka_queue_destroy(queue->queue);
  for (rd_kafka_message_t* message : queue->strays) rd_kafka_message_destroy(message);
  byName_.erase({queue->topic, queue->id});
}

std::vector<MainError> Sources::PollMain() {
  ServeMain();
  return std::exchange(errors_, {});
}

void Sources::ServeMain() {
  mayHoldStrays_ = false;
  if (batch_.size() < kMainBatch) batch_.resize(kMainBatch);
  for (int round = 0; round < kMainRounds; round++) {
    const ssize_t count = rd_kafka_consume_batch_queue(main_, 0, batch_.data(), kMainBatch);
    for (ssize_t i = 0; i < count; i++) Sort(batch_[static_cast<size_t>(i)]);
    // A short batch does not prove that the queue is empty: some operations end a batch early.
    if (rd_kafka_queue_length(main_) == 0) return;
  }
  mayHoldStrays_ = true;
  uv_async_send(bell_);
}

void Sources::Sort(rd_kafka_message_t* message) {
  const char* topic = message->rkt == nullptr ? nullptr : rd_kafka_topic_name(message->rkt);
  const int32_t index = topic == nullptr ? -1 : IndexOf(topic, message->partition);
  if (index >= 0) {
    Queue& queue = *queues_[static_cast<size_t>(index)];
    Note(*message, &queue);
    queue.strays.push_back(message);
    OnQueueEvent(client_, &queue);
    return;
  }
  if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
    const char* text = rd_kafka_message_errstr(message);
    errors_.push_back({message->err, topic != nullptr, topic == nullptr ? "" : topic,
                       message->partition, text == nullptr ? "" : text});
  }
  rd_kafka_message_destroy(message);
}

int64_t Sources::Length(int32_t partition) const {
  const Queue& queue = *queues_[static_cast<size_t>(partition)];
  return static_cast<int64_t>(rd_kafka_queue_length(queue.queue) + queue.strays.size());
}

std::pair<rd_kafka_message_t**, int32_t> Sources::Take(int32_t partition, int32_t max) {
  if (mayHoldStrays_) ServeMain();
  Queue& queue = *queues_[static_cast<size_t>(partition)];
  const auto wanted = static_cast<size_t>(max);
  if (batch_.size() < wanted) batch_.resize(wanted);
  size_t count = 0;
  for (; count < wanted && !queue.strays.empty(); queue.strays.pop_front())
    batch_[count++] = queue.strays.front();
  // While the main queue may still hold older records of this partition, its own queue has to wait.
  if (mayHoldStrays_) OnQueueEvent(client_, &queue);
  if (mayHoldStrays_ || count == wanted) return {batch_.data(), static_cast<int32_t>(count)};
  const ssize_t more =
      rd_kafka_consume_batch_queue(queue.queue, 0, batch_.data() + count, wanted - count);
  for (ssize_t i = 0; i < more; i++) Note(*batch_[count++], &queue);
  // As above: a short batch may have ended early, and then no event would come for what is left.
  if (count < wanted && rd_kafka_queue_length(queue.queue) > 0) OnQueueEvent(client_, &queue);
  return {batch_.data(), static_cast<int32_t>(count)};
}

bool Sources::Watermarks(int32_t partition, int64_t* low, int64_t* high) const {
  const Queue& queue = *queues_[static_cast<size_t>(partition)];
  return rd_kafka_get_watermark_offsets(client_, queue.topic.c_str(), queue.id, low, high) ==
         RD_KAFKA_RESP_ERR_NO_ERROR;
}

void Sources::Note(const rd_kafka_message_t& message, Queue* queue) {
  queue->isAhead = message.err != RD_KAFKA_RESP_ERR_NO_ERROR;
  if (!queue->isAhead) queue->next = message.offset + 1;
  if (message.err == RD_KAFKA_RESP_ERR__PARTITION_EOF) queue->next = message.offset;
}

void Sources::RestorePositions() {
  rd_kafka_topic_partition_list_t* ahead = rd_kafka_topic_partition_list_new(0);
  for (const auto& queue : queues_) {
    if (queue == nullptr || !queue->isAhead || queue->next < 0) continue;
    queue->isAhead = false;
    rd_kafka_topic_partition_list_add(ahead, queue->topic.c_str(), queue->id)->offset = queue->next;
  }
  // With a timeout of 0 it does not block, and reports nothing.
  if (ahead->cnt > 0) rd_kafka_error_destroy(rd_kafka_seek_partitions(client_, ahead, 0));
  rd_kafka_topic_partition_list_destroy(ahead);
}

void Sources::Silence() {
  if (main_ != nullptr) rd_kafka_queue_cb_event_enable(main_, nullptr, nullptr);
  for (const auto& queue : queues_)
    if (queue != nullptr) rd_kafka_queue_cb_event_enable(queue->queue, nullptr, nullptr);
}

void Sources::Close() {
  if (main_ == nullptr) return;
  for (size_t i = 0; i < queues_.size(); i++)
    if (queues_[i] != nullptr) Unsplit(static_cast<int32_t>(i));
  rd_kafka_queue_cb_event_enable(main_, nullptr, nullptr);
  rd_kafka_queue_destroy(main_);
  main_ = nullptr;
}

}  // namespace tidemark
