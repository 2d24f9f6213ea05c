package dev.perigee.protocol.header.send;

import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of RECALL_MESSAGE (370).
 *
 * @param topic the topic the message is for
 * @param recallHandle what the send's answer said, see {@link dev.perigee.protocol.message.RecallHandle}
 */
public record RecallMessageHeader(@OptionalField @Nullable String producerGroup, String topic, String recallHandle) {}
