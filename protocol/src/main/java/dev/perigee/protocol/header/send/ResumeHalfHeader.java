package dev.perigee.protocol.header.send;

import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of RESUME_CHECK_HALF_MESSAGE (323).
 *
 * @param msgId the offset message id of a message that was set aside
 */
public record ResumeHalfHeader(@OptionalField @Nullable String topic, String msgId) {}
