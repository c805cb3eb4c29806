// The way from node-rdkafka's JavaScript object to librdkafka's client.
#pragma once

#include <nan.h>

#include "src/kafka-consumer.h"

namespace tidemark {

// node-rdkafka keeps its client in protected members. Its own accessors are compiled into its addon,
// whose symbols are not visible here; a member pointer taken in a subclass is the legal way in.
struct Peek : NodeKafka::KafkaConsumer {
  static RdKafka::Handle* Client(NodeKafka::KafkaConsumer* consumer) {
    return consumer->*(&Peek::m_client);
  }
  static bool IsClosing(NodeKafka::KafkaConsumer* consumer) {
    return consumer->*(&Peek::m_is_closing);
  }
};

}  // namespace tidemark
