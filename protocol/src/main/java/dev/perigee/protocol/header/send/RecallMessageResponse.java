package dev.perigee.protocol.header.send;

import dev.perigee.protocol.header.Key;
import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Answer header of RECALL_MESSAGE (370).
 *
 * @param msgId the unique key of the message that was taken back; null when none was
 * @param outcome what became of it, see {@link RecallOutcome}; Perigee's own, unknown to other peers
 */
public record RecallMessageResponse(
        @OptionalField @Nullable String msgId,
        @Key("RECALL_OUTCOME") @OptionalField @Nullable String outcome,
        @Key("MSG_REGION") @OptionalField @Nullable String region) {}
