#include "filler.h"

#include <cstring>
#include <new>

#include "arguments.h"
#include "layout.h"

namespace tidemark {
namespace {

std::string Unknown(const char* what, int64_t value) {
  return std::string(what) + " " + std::to_string(value) + " is not known";
}

std::string TooLong(int64_t bytes, int64_t room) {
  return "a payload of " + std::to_string(bytes) + " bytes does not fit into " +
         std::to_string(room);
}

}  // namespace

void Filler::Begin(size_t count) {
  places_.clear();
  places_.reserve(count);
  pass_++;
}

std::string Filler::Locate(int64_t bufferId, double slotOffset, int64_t payloadBuffer,
                           Place* place, int64_t* room) const {
  const Buffer* buffer = buffers_.Find(bufferId);
  if (buffer == nullptr) return Unknown("buffer", bufferId);
  const int64_t last = buffer->bytes - (buffer->slotBytes > 0 ? buffer->slotBytes : kSlotHeaderBytes);
  if (!IsIntegerIn(slotOffset, 0, static_cast<double>(last)))
    return RangeText("slot offset", 0, static_cast<double>(last), slotOffset);
  const auto offset = static_cast<int64_t>(slotOffset);
  const bool isSlot = buffer->slotBytes > 0
                          ? offset >= buffer->slotsAt &&
                                (offset - buffer->slotsAt) % buffer->slotBytes == 0
                          : offset % 8 == 0;
  if (!isSlot) return "no slot begins at offset " + std::to_string(offset);
  place->slot = buffer->At(offset);
  if (payloadBuffer == -1) {
    const int64_t end = buffer->slotBytes > 0 ? offset + buffer->slotBytes : buffer->bytes;
    place->payload = place->slot + kSlotHeaderBytes;
    *room = end - offset - kSlotHeaderBytes;
    return "";
  }
  const Buffer* overflow = buffers_.Find(payloadBuffer);
  if (overflow == nullptr) return Unknown("payload buffer", payloadBuffer);
  place->payload = overflow->At(0);
  *room = overflow->bytes;
  return "";
}

std::string Filler::Add(int64_t handle, int64_t buffer, double slotOffset, int64_t payloadBuffer) {
  const Record* record = handles_.Find(handle);
  if (record == nullptr) return Unknown("handle", handle);
  if (!handles_.FirstInPass(handle, pass_))
    return "handle " + std::to_string(handle) + " is named twice";
  Place place{handle, nullptr, nullptr};
  int64_t room = 0;
  std::string problem = Locate(buffer, slotOffset, payloadBuffer, &place, &room);
  if (!problem.empty()) return problem;
  if (record->shape.PayloadBytes() > room) return TooLong(record->shape.PayloadBytes(), room);
  places_.push_back(place);
  return "";
}

void Filler::Write() {
  for (const Place& place : places_) {
    const Record& record = *handles_.Find(place.handle);
    WriteHeader(record.shape, place.slot);
    WritePayload(record, place.payload);
    handles_.Free(place.handle);
  }
}

std::string Filler::Copy(int64_t buffer, double slotOffset, int64_t payloadBuffer, int32_t* handle) {
  Place place{-1, nullptr, nullptr};
  int64_t room = 0;
  std::string problem = Locate(buffer, slotOffset, payloadBuffer, &place, &room);
  if (!problem.empty()) return problem;
  Record record;
  if (!ReadHeader(place.slot, &record.shape)) return "the slot holds no record";
  const int64_t bytes = record.shape.PayloadBytes();
  if (bytes > room) return TooLong(bytes, room);
  if (handles_.Available() == 0)
    return "all " + std::to_string(handles_.Limit()) + " handles are in use";
  if (bytes > 0) {
    record.parked.reset(new (std::nothrow) uint8_t[static_cast<size_t>(bytes)]);
    if (record.parked == nullptr) return "no memory for " + std::to_string(bytes) + " bytes";
    std::memcpy(record.parked.get(), place.payload, static_cast<size_t>(bytes));
  }
  *handle = handles_.Add(std::move(record));
  return "";
}

}  // namespace tidemark
