// Conversions to JavaScript objects: only what is rare may become one.
#pragma once

#include <nan.h>

#include <string>
#include <vector>

#include "layout.h"
#include "sources.h"

namespace tidemark {

inline v8::Local<v8::String> Str(const std::string& text) {
  return Nan::New(text).ToLocalChecked();
}

inline void SetNumber(v8::Local<v8::Object> target, const char* name, int value) {
  Nan::Set(target, Str(name), Nan::New(value));
}

// The numbers compiled in, under the names of src/ring/layout.ts and of Row in src/core/ports.ts.
inline v8::Local<v8::Object> LayoutObject() {
  v8::Local<v8::Object> word = Nan::New<v8::Object>();
  SetNumber(word, "timestampType", kTimestampType);
  SetNumber(word, "keyBytes", kKeyBytes);
  SetNumber(word, "valueBytes", kValueBytes);
  SetNumber(word, "headerCount", kHeaderCount);
  SetNumber(word, "headersBytes", kHeadersBytes);
  v8::Local<v8::Object> number = Nan::New<v8::Object>();
  SetNumber(number, "offset", kOffset);
  SetNumber(number, "timestamp", kTimestamp);
  v8::Local<v8::Object> row = Nan::New<v8::Object>();
  SetNumber(row, "handle", kRowHandle);
  SetNumber(row, "offset", kRowOffset);
  SetNumber(row, "timestamp", kRowTimestamp);
  SetNumber(row, "keyHashLow", kRowKeyHashLow);
  SetNumber(row, "keyHashHigh", kRowKeyHashHigh);
  SetNumber(row, "keyBytes", kRowKeyBytes);
  SetNumber(row, "payloadBytes", kRowPayloadBytes);
  SetNumber(row, "error", kRowError);
  v8::Local<v8::Object> layout = Nan::New<v8::Object>();
  SetNumber(layout, "version", kLayoutVersion);
  SetNumber(layout, "slotHeaderBytes", kSlotHeaderBytes);
  SetNumber(layout, "headerEntryFixedBytes", kHeaderEntryFixedBytes);
  SetNumber(layout, "rowStride", kRowStride);
  Nan::Set(layout, Str("slotWord"), word);
  Nan::Set(layout, Str("slotFloat"), number);
  Nan::Set(layout, Str("row"), row);
  return layout;
}

inline v8::Local<v8::Array> ErrorList(const std::vector<MainError>& errors) {
  v8::Local<v8::Array> list = Nan::New<v8::Array>();
  for (const MainError& error : errors) {
    v8::Local<v8::Value> topic = Nan::Null();
    if (error.hasTopic) topic = Str(error.topic);
    v8::Local<v8::Object> item = Nan::New<v8::Object>();
    SetNumber(item, "error", error.error);
    Nan::Set(item, Str("topic"), topic);
    SetNumber(item, "partitionId", error.partition);
    Nan::Set(item, Str("message"), Str(error.message));
    Nan::Set(list, list->Length(), item);
  }
  return list;
}

}  // namespace tidemark
