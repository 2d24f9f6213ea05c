package dev.perigee.client.admin;

import dev.perigee.client.codec.MessageReader;
import dev.perigee.client.error.Answered;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.InvalidMessageException;
import dev.perigee.client.query.BrowseRange;
import dev.perigee.client.query.Browser;
import dev.perigee.client.query.Found;
import dev.perigee.client.query.KeyQuery;
import dev.perigee.client.query.KeySearch;
import dev.perigee.client.query.MessageTrace;
import dev.perigee.client.query.Missing;
import dev.perigee.client.query.QueueReads;
import dev.perigee.client.route.TopicRoute;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.query.ViewMessageHeader;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.SystemTopic;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Looking up stored messages. All methods block up to the admin timeout. Bodies are inflated; one that cannot be is given as it is
 * stored, in a message that {@link MessageExt#isCompressed} still tells.
 */
@ThreadSafe
public final class MessageAdmin {
    /** What a broker says, with code 1, of an offset at which no message lies; with other words it failed. */
    private static final String NOTHING_THERE = "can not find message by the offset";

    /** Far more than a message has: each holds up to 20 notes. */
    private static final int MAX_TRACE_MESSAGES = 10_000;

    private static final int MAX_PULL_BYTES = 1 << 20;
    private static final byte[] NO_FRAMES = {};

    private final AdminCalls calls;
    private final MessageReader reader = new MessageReader();

    MessageAdmin(AdminCalls calls) {
        this.calls = calls;
    }

    /**
     * The message with this offset message id, read from the broker that stored it; empty when that broker says that it has none.
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
        if (answered.code() == ResponseCode.QUERY_NOT_FOUND
                || (answered.code() == ResponseCode.SYSTEM_ERROR
                        && answered.answer().remarkText().startsWith(NOTHING_THERE))) {
            return Optional.empty();
        }
        if (!answered.isOk()) {
            throw answered.refused(false);
        }
        return reader.stored(answered.answer().body(), address, answered.site()).stream()
                .findFirst()
                .map(reader::inflatedOrStored);
    }

    /**
     * Messages by key, from all brokers that hold the topic, each asked until it has no more. A broker that fails does not
     * take away what others gave: {@link Found#missing} names it.
     *
     * @throws ClientException when no broker could be asked
     */
    public Found byKey(KeyQuery query) throws ClientException {
        AdminOperation operation = calls.begin();
        return KeySearch.run(calls.instance(), operation.route(query.topic()), query, operation.deadline());
    }

    /** As {@link #byKey(KeyQuery)}: the newest messages with an index key, stored between these times (both inclusive). */
    public Found byKey(String topic, String key, int max, long beginMs, long endMs) throws ClientException {
        return byKey(new KeyQuery(topic, key, KeyQuery.Kind.INDEX_KEY, max, beginMs, endMs));
    }

    /**
     * The message with a unique key, the earliest stored of those that were found when it was stored more than once.
     *
     * @throws ClientException when it was not found, and a broker that may hold it was not heard to the end
     */
    public Optional<MessageExt> byUniqueKey(String topic, String uniqueKey) throws ClientException {
        Found found = byKey(KeyQuery.unique(topic, uniqueKey));
        List<MessageExt> copies = found.messages();
        if (!copies.isEmpty()) {
            return Optional.of(copies.get(copies.size() - 1));
        }
        ClientException first = null;
        for (Missing broker : found.missing()) {
            ClientException failure = broker.asFailure(topic);
            if (first == null) {
                first = failure;
            } else {
                first.addSuppressed(failure);
            }
        }
        if (first != null) {
            throw first;
        }
        return Optional.empty();
    }

    /** What clients noted about a message in {@code RMQ_SYS_TRACE_TOPIC}, see {@link #trace(String, String)}. */
    public MessageTrace trace(String messageId) throws ClientException {
        return trace(messageId, SystemTopic.TRACE);
    }

    /**
     * What clients, stock ones too, noted about a message, as far as they trace and the broker that took the notes still has them.
     *
     * @param messageId its unique key
     * @param traceTopic where they note it
     * @throws ClientException when no broker of the trace topic could be asked, or there is no such topic
     */
    public MessageTrace trace(String messageId, String traceTopic) throws ClientException {
        return MessageTrace.of(messageId, byKey(KeyQuery.of(traceTopic, messageId, MAX_TRACE_MESSAGES)));
    }

    /**
     * Begins to browse queues of a topic: their messages by store time, the oldest first, in bounded memory. Blocks for the
     * search of a route; no broker is asked yet.
     *
     * @param queues which of its queues
     */
    public Browser browse(String topic, Predicate<MessageQueue> queues, BrowseRange range) throws ClientException {
        TopicRoute route = calls.begin().route(topic);
        List<MessageQueue> chosen =
                route.subscribeQueues().stream().filter(queues).toList();
        return Browser.of(calls.instance(), chosen, route, range, calls.timeoutMs());
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
        return reader.stored(framesOf(answered), queue.brokerName(), answered.site()).stream()
                .map(reader::inflatedOrStored)
                .toList();
    }

    /** The message at one place of a queue with its body as it is stored, compressed or not. */
    Optional<MessageExt> stored(MessageQueue queue, long queueOffset) throws ClientException {
        Answered<PullMessageResponse> answered = pull(queue, queueOffset, 1);
        return reader.stored(framesOf(answered), queue.brokerName(), answered.site()).stream()
                .filter(message -> message.queueOffset() == queueOffset)
                .findFirst();
    }

    private Answered<PullMessageResponse> pull(MessageQueue queue, long fromOffset, int max) throws ClientException {
        AdminOperation operation = calls.begin();
        String address = operation.addressToRead(queue.brokerName(), queue.topic());
        return new QueueReads(calls.instance())
                .pull(address, queue, fromOffset, new QueueReads.Limits(max, MAX_PULL_BYTES), operation.deadline());
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
