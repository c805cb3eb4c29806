// Checks of what JavaScript passes in. Each getter throws an error that names the argument, and returns
// false, when the value is not what it has to be.
#pragma once

#include <nan.h>

#include <cmath>
#include <cstdint>
#include <string>

namespace tidemark {

inline std::string Text(double value) {
  if (std::isfinite(value) && value == std::trunc(value) && std::abs(value) < 1e15)
    return std::to_string(static_cast<int64_t>(value));
  return std::to_string(value);
}

// "name must be an integer from low to high, not value".
inline std::string RangeText(const std::string& name, double low, double high, double value) {
  return name + " must be an integer from " + Text(low) + " to " + Text(high) + ", not " +
         Text(value);
}

inline bool IsIntegerIn(double value, double low, double high) {
  return value >= low && value <= high && value == std::trunc(value);
}

inline bool GetInteger(v8::Local<v8::Value> value, const char* name, int64_t low, int64_t high,
                       int64_t* out) {
  if (!value->IsNumber()) {
    Nan::ThrowTypeError((std::string(name) + " must be a number").c_str());
    return false;
  }
  const double number = value.As<v8::Number>()->Value();
  if (!IsIntegerIn(number, static_cast<double>(low), static_cast<double>(high))) {
    Nan::ThrowRangeError(RangeText(name, static_cast<double>(low), static_cast<double>(high), number)
                             .c_str());
    return false;
  }
  *out = static_cast<int64_t>(number);
  return true;
}

// The elements of a typed array. `data` points into memory of JavaScript's and is good until the call
// returns to it.
template <typename T>
struct Elements {
  T* data = nullptr;
  size_t length = 0;
};

template <typename T>
bool GetElements(v8::Local<v8::Value> value, const char* name, bool isRightType, const char* type,
                 Elements<T>* out) {
  if (!isRightType) {
    Nan::ThrowTypeError((std::string(name) + " must be " + type).c_str());
    return false;
  }
  const auto view = value.As<v8::ArrayBufferView>();
  auto* base = static_cast<uint8_t*>(view->Buffer()->GetBackingStore()->Data());
  // A zero-length or detached array may have no memory at all.
  out->length = base == nullptr ? 0 : view->ByteLength() / sizeof(T);
  out->data = base == nullptr ? nullptr : reinterpret_cast<T*>(base + view->ByteOffset());
  return true;
}

inline bool GetInts(v8::Local<v8::Value> value, const char* name, Elements<int32_t>* out) {
  return GetElements(value, name, value->IsInt32Array(), "an Int32Array", out);
}

inline bool GetDoubles(v8::Local<v8::Value> value, const char* name, Elements<double>* out) {
  return GetElements(value, name, value->IsFloat64Array(), "a Float64Array", out);
}

}  // namespace tidemark
