// The intake's face to JavaScript: argument checks and conversions around Sources, HandleTable and
// Filler. Main thread only. What it is for and why it is safe stands in README.md.
#include <nan.h>
#include <node.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arguments.h"
#include "buffers.h"
#include "filler.h"
#include "handle-table.h"
#include "layout.h"
#include "peek.h"
#include "rows.h"
#include "sources.h"
#include "to-js.h"

namespace tidemark {
namespace {

using v8::Local;
using v8::Object;
using v8::Value;

class Intake : public Nan::ObjectWrap {
 public:
  static NAN_MODULE_INIT(Init);

 private:
  Intake(Local<Object> client, NodeKafka::KafkaConsumer* consumer, Local<v8::Function> onWake,
         int32_t handleLimit)
      : consumer_(consumer),
        client_(client),
        onWake_(onWake),
        resource_("tidemark:intake"),
        handles_(handleLimit),
        filler_(handles_, buffers_) {}

  ~Intake() override = default;

  bool Start() {
    rd_kafka_t* rk = Peek::Client(consumer_)->c_ptr();
    bell_ = new uv_async_t;
    uv_async_init(Nan::GetCurrentEventLoop(), bell_, OnBell);
    bell_->data = this;
    // Waiting for records alone must not keep the process alive; the runtime has other reasons to live.
    uv_unref(reinterpret_cast<uv_handle_t*>(bell_));
    sources_ = std::make_unique<Sources>(rk, bell_);
    // If the process ends without close(), librdkafka's threads must not ring a bell whose loop is gone.
    node::AddEnvironmentCleanupHook(v8::Isolate::GetCurrent(), OnEnvironmentEnd, this);
    return sources_->IsOpen();
  }

  void Stop() {
    if (sources_ == nullptr) return;
    node::RemoveEnvironmentCleanupHook(v8::Isolate::GetCurrent(), OnEnvironmentEnd, this);
    handles_.Clear();
    sources_.reset();
    buffers_.Clear();
    client_.Reset();
    consumer_ = nullptr;
    bell_->data = nullptr;
    uv_close(reinterpret_cast<uv_handle_t*>(bell_),
             [](uv_handle_t* handle) { delete reinterpret_cast<uv_async_t*>(handle); });
    bell_ = nullptr;
  }

  static void OnEnvironmentEnd(void* self) { static_cast<Intake*>(self)->sources_->Silence(); }

  static void OnBell(uv_async_t* bell) {
    auto* self = static_cast<Intake*>(bell->data);
    if (self == nullptr) return;
    Nan::HandleScope scope;
    self->onWake_.Call(0, nullptr, &self->resource_);
  }

  // The intake that the call is about; throws and returns null when it is closed.
  static Intake* Open(const Nan::FunctionCallbackInfo<Value>& info) {
    auto* self = Unwrap<Intake>(info.This());
    if (self->sources_ != nullptr) return self;
    Nan::ThrowError("the intake is closed");
    return nullptr;
  }

  // As Open, for calls that reach the client. Disconnecting destroys it on another thread: this check
  // cannot win every race, but it turns the usual mistake into an error.
  static Intake* Connected(const Nan::FunctionCallbackInfo<Value>& info) {
    Intake* self = Open(info);
    if (self == nullptr) return nullptr;
    if (Peek::Client(self->consumer_) != nullptr && !Peek::IsClosing(self->consumer_)) return self;
    Nan::ThrowError("the consumer is disconnecting: close the intake before it");
    return nullptr;
  }

  // A split partition's index from the first argument.
  bool GetPartition(Local<Value> value, int32_t* partition) const {
    int64_t number = 0;
    if (!GetInteger(value, "partition", 0, Sources::kMostPartitions - 1, &number)) return false;
    *partition = static_cast<int32_t>(number);
    if (sources_->IsSplit(*partition)) return true;
    Nan::ThrowRangeError(("partition " + std::to_string(number) + " is not split").c_str());
    return false;
  }

  static void ThrowUnknown(const char* what, int64_t value) {
    Nan::ThrowRangeError((std::string(what) + " " + std::to_string(value) + " is not known").c_str());
  }

  static bool GetId(Local<Value> value, const char* name, int64_t* out) {
    return GetInteger(value, name, -1, INT32_MAX, out);
  }

  static NAN_METHOD(New) {
    if (!info.IsConstructCall()) return Nan::ThrowTypeError("Intake is a class");
    // The caller has checked that this is an instance of node-rdkafka's class; what is checked here is
    // that it is a whole one, not an object that only inherits from its prototype.
    if (!info[0]->IsObject() || info[0].As<Object>()->InternalFieldCount() != 1 ||
        Nan::GetInternalFieldPointer(info[0].As<Object>(), 0) == nullptr)
      return Nan::ThrowTypeError("client must be node-rdkafka's native consumer");
    if (!info[1]->IsFunction()) return Nan::ThrowTypeError("onWake must be a function");
    int64_t limit = 0;
    if (!GetInteger(info[2], "handleLimit", 1, HandleTable::kMostHandles, &limit)) return;
    auto* consumer = Nan::ObjectWrap::Unwrap<NodeKafka::KafkaConsumer>(info[0].As<Object>());
    if (Peek::Client(consumer) == nullptr || Peek::IsClosing(consumer))
      return Nan::ThrowError("the consumer is not connected");
    if (rd_kafka_type(Peek::Client(consumer)->c_ptr()) != RD_KAFKA_CONSUMER)
      return Nan::ThrowError("the client is not a consumer");
    auto* self = new Intake(info[0].As<Object>(), consumer, info[1].As<v8::Function>(),
                            static_cast<int32_t>(limit));
    self->Wrap(info.This());
    if (!self->Start()) {
      self->Stop();
      return Nan::ThrowError("the consumer is in no group");
    }
    // Until it is closed the bell points here: the object must not be collected.
    self->Ref();
    info.GetReturnValue().Set(info.This());
  }

  static NAN_METHOD(RegisterBuffer) {
    Intake* self = Open(info);
    if (self == nullptr) return;
    if (!info[0]->IsSharedArrayBuffer())
      return Nan::ThrowTypeError("memory must be a SharedArrayBuffer");
    Buffer buffer;
    buffer.store = info[0].As<v8::SharedArrayBuffer>()->GetBackingStore();
    buffer.bytes = static_cast<int64_t>(buffer.store->ByteLength());
    if (buffer.bytes == 0) return Nan::ThrowRangeError("memory must not be empty");
    if (!GetInteger(info[1], "slotsAt", 0, buffer.bytes, &buffer.slotsAt)) return;
    if (!GetInteger(info[2], "slotBytes", 0, buffer.bytes, &buffer.slotBytes)) return;
    if (buffer.slotsAt % 8 != 0 || buffer.slotBytes % 8 != 0 ||
        (buffer.slotBytes != 0 && buffer.slotBytes < kSlotHeaderBytes))
      return Nan::ThrowRangeError("slotsAt and slotBytes must be multiples of 8 and hold a header");
    info.GetReturnValue().Set(self->buffers_.Add(std::move(buffer)));
  }

  static NAN_METHOD(UnregisterBuffer) {
    Intake* self = Open(info);
    int64_t id = 0;
    if (self == nullptr || !GetId(info[0], "buffer", &id)) return;
    if (!self->buffers_.Remove(id))
      ThrowUnknown("buffer", id);
  }

  static NAN_METHOD(Split) {
    Intake* self = Connected(info);
    int64_t partition = 0;
    int64_t id = 0;
    if (self == nullptr) return;
    if (!GetInteger(info[0], "partition", 0, Sources::kMostPartitions - 1, &partition)) return;
    if (!info[1]->IsString()) return Nan::ThrowTypeError("topic must be a string");
    if (!GetInteger(info[2], "partitionId", 0, INT32_MAX, &id)) return;
    const Nan::Utf8String name(info[1]);
    const std::string topic(*name, static_cast<size_t>(name.length()));
    // Asking librdkafka for a name that Kafka does not allow would create a topic it can never fetch.
    if (topic.empty() || topic.size() > 249 || topic.find('\0') != std::string::npos)
      return Nan::ThrowRangeError("topic must have 1 to 249 bytes, none of them zero");
    const auto index = static_cast<int32_t>(partition);
    const int32_t holder = self->sources_->IndexOf(topic, static_cast<int32_t>(id));
    if (self->sources_->IsSplit(index) || holder >= 0)
      return Nan::ThrowRangeError(
          ("partition " + std::to_string(holder >= 0 ? holder : index) + " is split already").c_str());
    if (!self->sources_->Split(index, topic, static_cast<int32_t>(id)))
      Nan::ThrowError(("librdkafka has no queue for " + topic + "/" + std::to_string(id)).c_str());
  }

  static NAN_METHOD(Unsplit) {
    Intake* self = Open(info);
    int32_t partition = 0;
    if (self == nullptr || !self->GetPartition(info[0], &partition)) return;
    self->sources_->Unsplit(partition);
  }

  static NAN_METHOD(PollMain) {
    Intake* self = Connected(info);
    if (self == nullptr) return;
    const std::vector<MainError> errors = self->sources_->PollMain();
    // Undefined for none: the usual case builds no object.
    if (errors.empty()) return;
    info.GetReturnValue().Set(ErrorList(errors));
  }

  static NAN_METHOD(Ready) {
    Intake* self = Open(info);
    Elements<int32_t> out;
    if (self == nullptr || !GetInts(info[0], "out", &out)) return;
    const auto max = static_cast<int32_t>(std::min(out.length, size_t{Sources::kMostPartitions}));
    info.GetReturnValue().Set(self->sources_->Ready(out.data, max));
  }

  static NAN_METHOD(QueueLength) {
    Intake* self = Connected(info);
    int32_t partition = 0;
    if (self == nullptr || !self->GetPartition(info[0], &partition)) return;
    info.GetReturnValue().Set(static_cast<double>(self->sources_->Length(partition)));
  }

  static NAN_METHOD(Take) {
    Intake* self = Connected(info);
    int32_t partition = 0;
    int64_t max = 0;
    Elements<double> rows;
    if (self == nullptr || !self->GetPartition(info[0], &partition)) return;
    if (!GetDoubles(info[2], "rows", &rows)) return;
    const int64_t room = std::min<int64_t>(static_cast<int64_t>(rows.length) / kRowStride, INT32_MAX);
    if (!GetInteger(info[1], "max", 0, room, &max)) return;
    if (max > self->handles_.Available())
      return Nan::ThrowRangeError(
          RangeText("max", 0, self->handles_.Available(), static_cast<double>(max)).c_str());
    const auto [messages, count] = self->sources_->Take(partition, static_cast<int32_t>(max));
    for (int32_t i = 0; i < count; i++)
      WriteRow(messages[i], rows.data + int64_t{i} * kRowStride, &self->handles_);
    info.GetReturnValue().Set(count);
  }

  static NAN_METHOD(Fill) {
    Intake* self = Open(info);
    Elements<int32_t> handles;
    Elements<int32_t> buffers;
    Elements<int32_t> narrow;
    Elements<double> wide;
    Elements<int32_t> payloadBuffers;
    int64_t count = 0;
    if (self == nullptr || !GetInts(info[1], "handles", &handles) ||
        !GetInts(info[2], "buffers", &buffers) ||
        !GetInts(info[4], "payloadBuffers", &payloadBuffers))
      return;
    const bool isWide = info[3]->IsFloat64Array();
    if (!(isWide ? GetDoubles(info[3], "offsets", &wide) : GetInts(info[3], "offsets", &narrow)))
      return;
    const size_t most = std::min({handles.length, buffers.length, payloadBuffers.length,
                                  isWide ? wide.length : narrow.length});
    if (!GetInteger(info[0], "count", 0, static_cast<int64_t>(most), &count)) return;
    self->filler_.Begin(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; i++) {
      const double offset = isWide ? wide.data[i] : narrow.data[i];
      const std::string problem =
          self->filler_.Add(handles.data[i], buffers.data[i], offset, payloadBuffers.data[i]);
      if (!problem.empty())
        return Nan::ThrowRangeError(("row " + std::to_string(i) + ": " + problem).c_str());
    }
    self->filler_.Write();
  }

  static NAN_METHOD(Free) {
    auto* self = Unwrap<Intake>(info.This());
    // Closing has freed every handle; whoever still holds one may say so late.
    if (self->sources_ == nullptr) return;
    int64_t handle = 0;
    if (!GetId(info[0], "handle", &handle)) return;
    if (!self->handles_.Free(handle))
      ThrowUnknown("handle", handle);
  }

  static NAN_METHOD(Park) {
    Intake* self = Open(info);
    int64_t handle = 0;
    if (self == nullptr || !GetId(info[0], "handle", &handle)) return;
    if (self->handles_.Find(handle) == nullptr)
      return ThrowUnknown("handle", handle);
    if (!self->handles_.Park(handle)) Nan::ThrowError("no memory to park a record");
  }

  static NAN_METHOD(ParkFromSlot) {
    Intake* self = Open(info);
    int64_t buffer = 0;
    int64_t payloadBuffer = 0;
    if (self == nullptr || !GetId(info[0], "buffer", &buffer)) return;
    if (!info[1]->IsNumber()) return Nan::ThrowTypeError("slotOffset must be a number");
    if (!GetId(info[2], "payloadBuffer", &payloadBuffer)) return;
    int32_t handle = -1;
    const std::string problem = self->filler_.Copy(buffer, info[1].As<v8::Number>()->Value(),
                                                   payloadBuffer, &handle);
    if (!problem.empty()) return Nan::ThrowRangeError(problem.c_str());
    info.GetReturnValue().Set(handle);
  }

  static NAN_METHOD(AssignmentLost) {
    Intake* self = Connected(info);
    if (self == nullptr) return;
    rd_kafka_t* rk = Peek::Client(self->consumer_)->c_ptr();
    info.GetReturnValue().Set(rd_kafka_assignment_lost(rk) != 0);
  }

  static NAN_METHOD(Watermarks) {
    Intake* self = Connected(info);
    int32_t partition = 0;
    if (self == nullptr || !self->GetPartition(info[0], &partition)) return;
    int64_t ends[2] = {-1, -1};
    if (!self->sources_->Watermarks(partition, &ends[0], &ends[1])) ends[0] = ends[1] = -1;
    Local<v8::Array> pair = Nan::New<v8::Array>(2);
    for (uint32_t i = 0; i < 2; i++)
      Nan::Set(pair, i,
               ends[i] < 0 ? Nan::Null().As<Value>()
                           : Nan::New(static_cast<double>(ends[i])).As<Value>());
    info.GetReturnValue().Set(pair);
  }

  static NAN_METHOD(RestorePositions) {
    Intake* self = Connected(info);
    if (self != nullptr) self->sources_->RestorePositions();
  }

  static NAN_METHOD(Counts) {
    auto* self = Unwrap<Intake>(info.This());
    Local<Object> counts = Nan::New<Object>();
    const int32_t queues = self->sources_ == nullptr ? 0 : self->sources_->Count();
    SetNumber(counts, "handles", self->handles_.Live());
    SetNumber(counts, "parked", self->handles_.Parked());
    SetNumber(counts, "queues", queues);
    SetNumber(counts, "buffers", self->buffers_.Count());
    info.GetReturnValue().Set(counts);
  }

  static NAN_METHOD(Close) {
    auto* self = Unwrap<Intake>(info.This());
    if (self->sources_ == nullptr) return;
    self->Stop();
    self->Unref();
  }

  // Ends the process without destructors: those of librdkafka wait for threads that may never end.
  static NAN_METHOD(ExitNow) {
    int64_t code = 0;
    if (GetInteger(info[0], "code", 0, 255, &code)) _exit(static_cast<int>(code));
  }

  NodeKafka::KafkaConsumer* consumer_;
  // Keeps node-rdkafka's object, and with it `consumer_`, alive.
  Nan::Persistent<Object> client_;
  Nan::Callback onWake_;
  Nan::AsyncResource resource_;
  uv_async_t* bell_ = nullptr;
  // Null once closed.
  std::unique_ptr<Sources> sources_;
  BufferTable buffers_;
  HandleTable handles_;
  Filler filler_;
};

NAN_MODULE_INIT(Intake::Init) {
  Local<v8::FunctionTemplate> type = Nan::New<v8::FunctionTemplate>(New);
  type->SetClassName(Str("Intake"));
  type->InstanceTemplate()->SetInternalFieldCount(1);
  const std::pair<const char*, Nan::FunctionCallback> methods[] = {
      {"registerBuffer", RegisterBuffer}, {"unregisterBuffer", UnregisterBuffer}, {"split", Split},
      {"unsplit", Unsplit}, {"pollMain", PollMain}, {"ready", Ready}, {"queueLength", QueueLength},
      {"take", Take}, {"fill", Fill}, {"free", Free}, {"park", Park},
      {"parkFromSlot", ParkFromSlot}, {"assignmentLost", AssignmentLost},
      {"watermarks", Watermarks}, {"restorePositions", RestorePositions},
      {"counts", Counts}, {"close", Close}, {"exitNow", ExitNow}};
  for (const auto& [name, method] : methods) Nan::SetPrototypeMethod(type, name, method);
  Nan::Set(target, Str("Intake"), Nan::GetFunction(type).ToLocalChecked());
  Nan::Set(target, Str("layout"), LayoutObject());
  Nan::Set(target, Str("nodeRdkafkaVersion"), Str(TIDEMARK_NODE_RDKAFKA_VERSION));
  SetNumber(target, "librdkafkaBuilt", RD_KAFKA_VERSION);
  SetNumber(target, "librdkafkaLoaded", rd_kafka_version());
  Nan::Set(target, Str("librdkafkaLoadedText"), Str(rd_kafka_version_str()));
}

}  // namespace

NODE_MODULE(intake, Intake::Init)

}  // namespace tidemark
