package dev.perigee.cli;

import dev.perigee.cli.session.Absences;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.pull.PullConsumer;
import dev.perigee.client.queue.Pulled;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.ResponseCode;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Reads all queues of a topic without a group, from positions of its own. One that follows outlasts restarts of brokers. */
@OwnedBy("command thread")
final class Reading {
    private static final int BATCH = 32;

    private final PullConsumer reader;
    private final String topic;
    private final String tags;
    private final ConsumeCommand.Start from;
    private final @Nullable Absences absences;
    private final Map<MessageQueue, Long> positions = new TreeMap<>();

    /**
     * @param reader started, and closed by whoever opened it
     * @param tags what is shown; {@code *} for all
     * @param absences told of brokers that are away; null when such a broker ends the reading
     */
    Reading(PullConsumer reader, String topic, String tags, ConsumeCommand.Start from, @Nullable Absences absences) {
        this.reader = reader;
        this.topic = topic;
        this.tags = tags;
        this.from = from;
        this.absences = absences;
    }

    /** Finds the queues. Blocks. */
    void begin() throws ClientException, CommandException {
        for (MessageQueue queue : ConsumeCommand.queues(reader, topic)) {
            if (!positions.containsKey(queue)) {
                positions.put(
                        queue, from == ConsumeCommand.Start.LATEST ? reader.maxOffset(queue) : reader.minOffset(queue));
            }
        }
    }

    /** Finds queues that came later. Blocks. */
    void addNewQueues() throws ClientException, CommandException {
        try {
            begin();
        } catch (ClientException e) {
            if (absences == null || !e.isRetryable()) {
                throw e;
            } // those that are known go on, and the others are looked for again
        }
    }

    /**
     * One look at every queue. Blocks.
     *
     * @param sink takes each message, and says whether it takes more
     * @return whether any of the queues moved on
     */
    boolean readOnce(Predicate<MessageExt> sink) throws ClientException, CommandException {
        boolean moved = false;
        for (Map.Entry<MessageQueue, Long> entry : positions.entrySet()) {
            Optional<Pulled> answer = pull(entry.getKey(), entry.getValue());
            if (answer.isEmpty()) {
                continue;
            }
            Pulled pulled = answer.get();
            for (MessageExt message : pulled.messages()) {
                if (!sink.test(message)) {
                    return true;
                }
            }
            moved |= pulled.nextOffset() != entry.getValue();
            entry.setValue(pulled.nextOffset());
        }
        return moved;
    }

    /** What there is at a place; empty when its broker is away and is waited for. */
    private Optional<Pulled> pull(MessageQueue queue, long offset) throws ClientException, CommandException {
        Pulled pulled;
        try {
            pulled = reader.pull(queue, tags, offset, BATCH);
        } catch (ClientException e) {
            if (absences == null || !e.isRetryable()) {
                throw e;
            }
            absences.isAway(broker(queue), e.sentence());
            return Optional.empty();
        }
        if (absences != null && passes(pulled.code())) {
            absences.isAway(broker(queue), "code " + pulled.code() + " " + pulled.remark());
            return Optional.empty();
        }
        if (!isPlace(pulled.code())) {
            throw new CommandException(
                    ExitCode.FAILED, "reading " + queue + " failed: code " + pulled.code() + " " + pulled.remark());
        }
        if (absences != null) {
            absences.isHere(broker(queue));
        }
        return Optional.of(pulled);
    }

    private static String broker(MessageQueue queue) {
        return "broker " + queue.brokerName();
    }

    /** Whether a broker that answers so is likely to answer otherwise soon. */
    private static boolean passes(int code) {
        return code == ResponseCode.GO_AWAY
                || code == ResponseCode.SYSTEM_BUSY
                || code == ResponseCode.SERVICE_NOT_AVAILABLE;
    }

    private static boolean isPlace(int code) {
        return code == ResponseCode.SUCCESS
                || code == ResponseCode.PULL_NOT_FOUND
                || code == ResponseCode.PULL_RETRY_IMMEDIATELY
                || code == ResponseCode.PULL_OFFSET_MOVED;
    }
}
