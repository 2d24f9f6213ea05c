package dev.perigee.client.query;

import dev.perigee.client.codec.MessageReader;
import dev.perigee.client.error.Answered;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.InterruptedCallException;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.instance.BrokerCalls;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.route.TopicRoute;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.query.QueryMessageResponse;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Deadline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * One search for messages by key: all brokers of a topic are asked at once, each as often as it takes, and heard on the thread
 * that searches. A broker without a master is asked at its slave with the smallest number, which may lack the newest messages.
 */
@OwnedBy("searching thread")
public final class KeySearch {
    private static final Comparator<MessageExt> NEWEST_FIRST = Comparator.comparingLong(MessageExt::storeTimestampMs)
            .thenComparing(MessageExt::brokerName)
            .thenComparingLong(MessageExt::physicalOffset)
            .reversed();

    private final ClientInstance instance;
    private final KeyQuery query;
    private final Deadline deadline;
    private final MessageReader reader = new MessageReader();
    /** At most one of each broker. */
    private final BlockingQueue<Arrived> inbox = new LinkedBlockingQueue<>();

    private final List<MessageExt> found = new ArrayList<>();
    private final List<Missing> missing = new ArrayList<>();
    /** Of all messages kept, also of brokers that are still asked. */
    private long heldBytes;

    private KeySearch(ClientInstance instance, KeyQuery query, Deadline deadline) {
        this.instance = instance;
        this.query = query;
        this.deadline = deadline;
    }

    /** A broker that is asked. */
    private record Asked(String brokerName, String address, KeyPages pages) {}

    /** What came of a question: an answer or a failure. */
    private record Arrived(
            Asked from,
            @Nullable Answered<QueryMessageResponse> answered,
            @Nullable Throwable failure) {}

    /**
     * Searches. Blocks up to the deadline.
     *
     * @throws ClientException when no broker of the topic could be asked to the end, and nothing was found; the failures of others
     *     are among the suppressed ones
     */
    public static Found run(ClientInstance instance, TopicRoute route, KeyQuery query, Deadline deadline)
            throws ClientException {
        return new KeySearch(instance, query, deadline).run(route);
    }

    private Found run(TopicRoute route) throws ClientException {
        int waitedFor = 0;
        for (BrokerData broker : route.brokers().values()) {
            String address = broker.addressToRead();
            if (address == null) {
                missing.add(Missing.failed(
                        broker.brokerName(),
                        new NoRouteException(
                                "no address known of broker " + broker.brokerName(),
                                FailureSite.untried(query.topic(), deadline.remainingMs()))));
            } else {
                ask(new Asked(broker.brokerName(), address, new KeyPages(query, reader)));
                waitedFor++;
            }
        }
        while (waitedFor > 0) {
            if (!goesOn(next())) {
                waitedFor--;
            }
        }
        return result(route.brokers().size());
    }

    private void ask(Asked broker) {
        Completion.on(
                instance.calls()
                        .ask(BrokerCalls.Question.of(
                                        broker.address, Rpcs.QUERY_MESSAGE, broker.pages.ask(), query.topic())
                                .until(deadline)),
                (answered, failure) -> inbox.add(new Arrived(broker, failure == null ? answered : null, failure)));
    }

    private Arrived next() throws InterruptedCallException {
        try {
            return inbox.take(); // every question has an end: the deadline
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedCallException(
                    "interrupted during a query by key", FailureSite.untried(query.topic(), deadline.remainingMs()), e);
        }
    }

    /** Takes what a broker answered, and asks it again unless it is done or failed. */
    private boolean goesOn(Arrived arrived) {
        Asked broker = arrived.from;
        try {
            heldBytes += broker.pages.take(page(arrived), query.maxBytes() - heldBytes);
        } catch (ClientException e) {
            found.addAll(broker.pages.matches());
            missing.add(Missing.failed(broker.brokerName, e));
            return false;
        }
        if (!broker.pages.isDone()) {
            ask(broker);
            return true;
        }
        found.addAll(broker.pages.matches());
        broker.pages.missing(broker.brokerName).ifPresent(missing::add);
        return false;
    }

    private List<MessageExt> page(Arrived arrived) throws ClientException {
        Answered<QueryMessageResponse> answered = arrived.answered;
        if (answered == null) {
            FailureSite site = new FailureSite(arrived.from.address, query.topic(), 1, deadline.remainingMs());
            throw Failures.of(arrived.failure == null ? new IllegalStateException("no answer") : arrived.failure, site);
        }
        if (answered.code() == ResponseCode.QUERY_NOT_FOUND) {
            return List.of();
        }
        if (!answered.isOk()) {
            throw answered.refused(false);
        }
        return reader.stored(answered.answer().body(), arrived.from.brokerName, answered.site());
    }

    private Found result(int brokers) throws ClientException {
        if (brokers == 0) {
            throw new NoRouteException(
                    "no broker holds the topic", FailureSite.untried(query.topic(), deadline.remainingMs()));
        }
        if (found.isEmpty() && missing.size() == brokers) {
            ClientException first = null;
            for (Missing broker : missing) {
                ClientException failure = broker.failure();
                if (first == null) {
                    first = failure;
                } else if (failure != null) {
                    first.addSuppressed(failure);
                }
            }
            if (first != null) {
                throw first;
            }
        }
        found.sort(NEWEST_FIRST);
        return new Found(found.size() > query.max() ? found.subList(0, query.max()) : found, missing);
    }
}
