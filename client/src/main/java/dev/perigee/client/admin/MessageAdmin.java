package dev.perigee.client.admin;

import dev.perigee.client.codec.MessageReader;
import dev.perigee.client.error.Answered;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.InvalidMessageException;
import dev.perigee.client.error.MalformedAnswerException;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.group.ExpressionType;
import dev.perigee.protocol.group.GroupName;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.pull.PullSysFlag;
import dev.perigee.protocol.header.query.QueryMessageHeader;
import dev.perigee.protocol.header.query.ViewMessageHeader;
import dev.perigee.protocol.message.MalformedMessageException;
import dev.perigee.protocol.message.MessageDecoder;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Looking up stored messages. All methods block up to the admin timeout. */
@ThreadSafe
public final class MessageAdmin {
    private static final int MAX_UNIQUE_KEY_HITS = 32;
    private static final int MAX_PULL_BYTES = 1 << 20;
    private static final byte[] NO_FRAMES = {};

    private final AdminCalls calls;
    private final MessageReader reader = new MessageReader();

    MessageAdmin(AdminCalls calls) {
        this.calls = calls;
    }

    /**
     * The message with this offset message id, read from the broker that stored it.
     *
     * @throws InvalidMessageException when the text is no such id
     */
    public Optional<MessageExt> byOffsetId(String offsetMessageId) throws ClientException {
        AdminOperation operation = calls.begin();
        MessageId id = operation.messageId(offsetMessageId);
        String address = AdminOperation.storeAddress(id);
        Answered<?> answered = operation.ask(
                address,
                Rpcs.VIEW_MESSAGE_BY_ID,
                new ViewMessageHeader(null, id.physicalOffset()),
                AdminOperation.NO_TOPIC);
        if (answered.code() == ResponseCode.SYSTEM_ERROR || answered.code() == ResponseCode.QUERY_NOT_FOUND) {
            return Optional.empty();
        }
        if (!answered.isOk()) {
            throw answered.refused(false);
        }
        return reader.read(answered.answer().body(), address, answered.site()).stream()
                .findFirst();
    }

    /**
     * Messages with an index key, from all brokers that hold the topic: the newest of all of them, newest first. A broker
     * gives at most 64 in one answer.
     *
     * @param max most messages given
     * @param beginMs earliest store time, milliseconds since 1970
     * @param endMs latest store time
     */
    public List<MessageExt> byKey(String topic, String key, int max, long beginMs, long endMs) throws ClientException {
        List<MessageExt> found = query(new QueryMessageHeader(topic, key, max, beginMs, endMs, false, null, null));
        // A stock broker compares hashes only: whatever shares the hash comes along.
        found.removeIf(
                message -> !message.topic().equals(topic) || !message.keys().contains(key));
        found.sort(Comparator.comparingLong(MessageExt::storeTimestampMs).reversed());
        return found.size() > max ? List.copyOf(found.subList(0, max)) : found;
    }

    /** The message with a unique key, the earliest stored when it was stored twice. */
    public Optional<MessageExt> byUniqueKey(String topic, String uniqueKey) throws ClientException {
        List<MessageExt> found = query(
                new QueryMessageHeader(topic, uniqueKey, MAX_UNIQUE_KEY_HITS, 0, Long.MAX_VALUE, true, null, null));
        return found.stream()
                .filter(message -> uniqueKey.equals(message.message().uniqueId()))
                .min(Comparator.comparingLong(MessageExt::storeTimestampMs));
    }

    private List<MessageExt> query(QueryMessageHeader header) throws ClientException {
        AdminOperation operation = calls.begin();
        List<MessageExt> found = new ArrayList<>();
        for (var broker : operation.route(header.topic()).brokers().values()) {
            String address = broker.masterAddress();
            if (address == null) {
                continue;
            }
            Answered<?> answered = operation.ask(address, Rpcs.QUERY_MESSAGE, header, header.topic());
            if (answered.isOk()) {
                found.addAll(reader.read(answered.answer().body(), broker.brokerName(), answered.site()));
            } else if (answered.code() != ResponseCode.QUERY_NOT_FOUND) {
                throw answered.refused(false);
            }
        }
        return found;
    }

    /** The message at one place of a queue. */
    public Optional<MessageExt> byQueueOffset(MessageQueue queue, long queueOffset) throws ClientException {
        return read(queue, queueOffset, 1).stream()
                .filter(message -> message.queueOffset() == queueOffset)
                .findFirst();
    }

    /** Messages of a queue from an offset on, without a group's position being touched; at most so many. */
    public List<MessageExt> read(MessageQueue queue, long fromOffset, int max) throws ClientException {
        Answered<PullMessageResponse> answered = pull(queue, fromOffset, max);
        byte[] frames = framesOf(answered);
        return frames.length == 0 ? List.of() : reader.read(frames, queue.brokerName(), answered.site());
    }

    /** The message at one place of a queue with its body as it is stored, compressed or not. */
    Optional<MessageExt> stored(MessageQueue queue, long queueOffset) throws ClientException {
        Answered<PullMessageResponse> answered = pull(queue, queueOffset, 1);
        try {
            return MessageDecoder.decodeAll(ByteBuffer.wrap(framesOf(answered)), queue.brokerName()).stream()
                    .filter(message -> message.queueOffset() == queueOffset)
                    .findFirst();
        } catch (MalformedMessageException e) {
            throw new MalformedAnswerException(String.valueOf(e.getMessage()), answered.site(), e);
        }
    }

    private Answered<PullMessageResponse> pull(MessageQueue queue, long fromOffset, int max) throws ClientException {
        AdminOperation operation = calls.begin();
        var header = new PullMessageHeader(
                GroupName.TOOLS_CONSUMER,
                queue.topic(),
                queue.queueId(),
                fromOffset,
                max,
                PullSysFlag.SUBSCRIPTION,
                0,
                0,
                SubscriptionData.ALL,
                calls.instance().clock().wallMs(),
                ExpressionType.TAG,
                MAX_PULL_BYTES,
                0,
                null,
                queue.brokerName());
        String address = operation.masterOf(queue.brokerName(), queue.topic());
        return operation.ask(address, Rpcs.PULL_MESSAGE, header, queue.topic());
    }

    /** The frames of an answer; no bytes when it has none. */
    private static byte[] framesOf(Answered<PullMessageResponse> answered) throws ClientException {
        return switch (answered.code()) {
            case ResponseCode.SUCCESS -> answered.answer().body();
            case ResponseCode.PULL_NOT_FOUND, ResponseCode.PULL_RETRY_IMMEDIATELY, ResponseCode.PULL_OFFSET_MOVED ->
                NO_FRAMES;
            default -> throw answered.refused(false);
        };
    }
}
