package dev.perigee.client.queue;

import dev.perigee.protocol.message.MessageExt;
import java.util.List;

/**
 * The answer to one pull.
 *
 * @param code the response code
 * @param remark the broker's text
 * @param messages decoded, inflated and matching by tag text; empty unless the code is 0
 * @param nextOffset where the next pull begins; meaningful for the codes 0, 19, 20 and 21
 * @param minOffset the first offset of the queue
 * @param maxOffset the end of the queue
 * @param suggestedBrokerId which member of the broker to ask next
 */
public record Pulled(
        int code,
        String remark,
        List<MessageExt> messages,
        long nextOffset,
        long minOffset,
        long maxOffset,
        long suggestedBrokerId) {}
