package dev.perigee.client.query;

import dev.perigee.client.codec.MessageReader;
import dev.perigee.client.error.Answered;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.call.Deadline;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Walks through one queue, a small page at a time, up to where it ended when the walk began. Blocking. */
@OwnedBy("browsing thread")
final class QueueCursor {
    private final MessageQueue queue;
    private final String address;
    private final BrowseRange range;
    private final QueueReads reads;
    private final QueueReads.Limits page;
    private final MessageReader reader = new MessageReader();
    private final Deque<MessageExt> ahead = new ArrayDeque<>();

    private long nextOffset;
    /** Exclusive. */
    private long endOffset;

    private boolean hasBegun;

    QueueCursor(MessageQueue queue, String address, BrowseRange range, QueueReads reads, QueueReads.Limits page) {
        this.queue = queue;
        this.address = address;
        this.range = range;
        this.reads = reads;
        this.page = page;
        this.nextOffset = range.fromOffset();
        this.endOffset = range.endOffset();
    }

    MessageQueue queue() {
        return queue;
    }

    /** The message the walk has come to; null when it is over, or {@link #advance} was not called yet. */
    @Nullable
    MessageExt head() {
        return ahead.peekFirst();
    }

    /** Goes one message further, and asks the broker when it knows no more. Blocks for at most so long for each question. */
    void advance(long timeoutMs) throws ClientException {
        ahead.pollFirst();
        if (!hasBegun) {
            if (range.beginMs() > 0) {
                long first = reads.firstOffset(address, queue, range.beginMs(), deadline(timeoutMs));
                nextOffset = Math.max(nextOffset, first);
            }
            hasBegun = true; // after an interrupt it begins again
        }
        while (ahead.isEmpty() && nextOffset < endOffset) {
            fill(timeoutMs);
        }
    }

    /** Asks the broker no more: the walk ends with what is known. */
    void stop() {
        hasBegun = true;
        endOffset = Math.min(endOffset, nextOffset);
    }

    private Deadline deadline(long timeoutMs) {
        ClientInstance instance = reads.instance();
        return Deadline.after(instance.clock(), timeoutMs);
    }

    private void fill(long timeoutMs) throws ClientException {
        Answered<PullMessageResponse> answered = reads.pull(address, queue, nextOffset, page, deadline(timeoutMs));
        switch (answered.code()) {
            case ResponseCode.SUCCESS -> take(answered);
            case ResponseCode.PULL_NOT_FOUND -> endOffset = nextOffset;
            case ResponseCode.PULL_RETRY_IMMEDIATELY, ResponseCode.PULL_OFFSET_MOVED ->
                moveTo(answered.answer().require());
            default -> throw answered.refused(false);
        }
    }

    private void take(Answered<PullMessageResponse> answered) throws ClientException {
        PullMessageResponse header = answered.answer().require();
        long askedOffset = nextOffset;
        for (MessageExt message : reader.stored(answered.answer().body(), queue.brokerName(), answered.site())) {
            if (message.storeTimestampMs() > range.endMs()) {
                endOffset = Math.min(endOffset, message.queueOffset());
            }
            if (message.queueOffset() >= nextOffset && message.queueOffset() < endOffset) {
                nextOffset = message.queueOffset() + 1;
                if (message.storeTimestampMs() >= range.beginMs()) {
                    ahead.add(reader.inflatedOrStored(message));
                }
            }
        }
        endOffset = Math.min(endOffset, header.maxOffset());
        if (nextOffset == askedOffset) {
            moveTo(header);
        }
    }

    /** Nothing to read lies here: goes on where the broker says, which is further on, or nowhere. */
    private void moveTo(PullMessageResponse header) {
        endOffset = Math.min(endOffset, header.maxOffset());
        if (header.nextBeginOffset() > nextOffset) {
            nextOffset = header.nextBeginOffset();
        } else {
            endOffset = Math.min(endOffset, nextOffset);
        }
    }
}
