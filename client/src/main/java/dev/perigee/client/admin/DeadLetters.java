package dev.perigee.client.admin;

import dev.perigee.client.error.Answered;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.InvalidMessageException;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.QueueStats;
import dev.perigee.protocol.topic.TopicName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Messages that a group failed to consume too often. They stay where they are, whatever is done with them here. All methods
 * block up to the admin timeout per call.
 */
@ThreadSafe
public final class DeadLetters {
    /** Where a dead letter is sent to again. */
    public enum Target {
        /** The retry topic of its group: nobody else gets it. */
        GROUP,
        /** The topic it was sent to first: every group of that topic gets it. */
        TOPIC
    }

    private static final long NEVER_MS = -1;

    private final AdminCalls calls;
    private final TopicAdmin topics;
    private final MessageAdmin messages;

    DeadLetters(AdminCalls calls, TopicAdmin topics, MessageAdmin messages) {
        this.calls = calls;
        this.topics = topics;
        this.messages = messages;
    }

    /** The dead letters of every group that ever had some, by group and broker. */
    public List<DeadLetterQueue> list() throws ClientException {
        List<DeadLetterQueue> all = new ArrayList<>();
        for (String topic : topics.list()) {
            if (TopicName.isDlq(topic)) {
                all.addAll(ofTopic(topic));
            }
        }
        return all;
    }

    /** The dead letters of one group, by broker; empty when it never had some. */
    public List<DeadLetterQueue> of(String group) throws ClientException {
        String topic = TopicName.dlq(group);
        return topics.exists(topic) ? ofTopic(topic) : List.of();
    }

    private List<DeadLetterQueue> ofTopic(String topic) throws ClientException {
        List<DeadLetterQueue> queues = new ArrayList<>();
        Map<MessageQueue, QueueStats> stats = new TreeMap<>(topics.stats(topic).offsetTable());
        for (Map.Entry<MessageQueue, QueueStats> each : stats.entrySet()) {
            QueueStats ends = each.getValue();
            boolean isEmpty = ends.maxOffset() <= ends.minOffset();
            queues.add(new DeadLetterQueue(
                    topic.substring(TopicName.DLQ_PREFIX.length()),
                    each.getKey(),
                    ends.minOffset(),
                    ends.maxOffset(),
                    isEmpty ? NEVER_MS : topics.earliestStoreTimeMs(each.getKey()),
                    isEmpty ? NEVER_MS : ends.lastUpdateTimestamp()));
        }
        return queues;
    }

    /** Entries from an offset on with their bodies inflated, at most so many; fewer when they are large. */
    public List<MessageExt> read(MessageQueue queue, long fromOffset, int max) throws ClientException {
        return messages.read(queue, fromOffset, max);
    }

    /**
     * Sends one entry again, with its count of retries at 0, to its group alone or to its first topic. The entry stays.
     *
     * @return the offset message id of the new message; empty when there is no entry at that offset
     * @throws InvalidMessageException when nothing on the entry says which topic it came from
     */
    public Optional<String> replay(DeadLetterQueue letters, long offset, Target target) throws ClientException {
        AdminOperation operation = calls.begin();
        Optional<MessageExt> found = messages.stored(letters.queue(), offset);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        MessageExt entry = found.get();
        String origin = Replay.originTopic(entry);
        if (origin == null) {
            throw new InvalidMessageException(
                    "property " + PropertyKey.RETRY_TOPIC,
                    "absent at offset " + offset,
                    "the topic the entry was sent to first",
                    operation.untried(letters.queue().topic()));
        }
        return Optional.of(
                target == Target.GROUP
                        ? send(
                                operation,
                                new Replay(entry, TopicName.retry(letters.group()), origin),
                                operation.masterOf(
                                        entry.brokerName(), letters.queue().topic()))
                        : send(
                                operation,
                                new Replay(entry, origin, origin),
                                anyMasterOf(operation, origin, entry.brokerName())));
    }

    /** The broker that has the entry, when it holds the topic too, else any that does. */
    private static String anyMasterOf(AdminOperation operation, String topic, String preferred) throws ClientException {
        List<MessageQueue> writable = operation.route(topic).publishQueues();
        String broker = writable.stream().anyMatch(queue -> queue.brokerName().equals(preferred)) || writable.isEmpty()
                ? preferred
                : writable.get(0).brokerName();
        return operation.masterOf(broker, topic);
    }

    private static String send(AdminOperation operation, Replay replay, String address) throws ClientException {
        Answered<SendMessageResponse> answered = operation.ask(
                address, Rpcs.SEND_MESSAGE_V2, replay.header(), replay.entry().body(), replay.topic());
        return switch (answered.code()) {
            case ResponseCode.SUCCESS,
                    ResponseCode.FLUSH_DISK_TIMEOUT,
                    ResponseCode.FLUSH_SLAVE_TIMEOUT,
                    ResponseCode.SLAVE_NOT_AVAILABLE ->
                String.valueOf(answered.answer().require().msgId());
            default -> throw answered.refused(false);
        };
    }
}
