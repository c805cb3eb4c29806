// Copies records into slots, all of a turn at once: first everything is checked, then everything is
// written, so that a bad argument changes nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "buffers.h"
#include "handle-table.h"

namespace tidemark {

class Filler {
 public:
  Filler(HandleTable& handles, const BufferTable& buffers) : handles_(handles), buffers_(buffers) {}

  // Forgets what was added.
  void Begin(size_t count);
  // Checks one row; returns what is wrong with it, empty when it is good. `payloadBuffer` -1 means that
  // the payload follows the slot's header.
  std::string Add(int64_t handle, int64_t buffer, double slotOffset, int64_t payloadBuffer);
  // Writes all added rows and frees their handles.
  void Write();

  // A copy of the record in a slot, as a new handle in `handle`. Returns what is wrong, else empty.
  std::string Copy(int64_t buffer, double slotOffset, int64_t payloadBuffer, int32_t* handle);

 private:
  struct Place {
    int64_t handle;
    uint8_t* slot;
    uint8_t* payload;
  };

  // Finds a slot; returns what is wrong, else empty.
  std::string Locate(int64_t buffer, double slotOffset, int64_t payloadBuffer, Place* place,
                     int64_t* room) const;

  HandleTable& handles_;
  const BufferTable& buffers_;
  std::vector<Place> places_;
  uint64_t pass_ = 0;
};

}  // namespace tidemark
