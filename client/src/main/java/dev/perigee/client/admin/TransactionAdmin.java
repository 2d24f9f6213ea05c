package dev.perigee.client.admin;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.InvalidMessageException;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.query.Missing;
import dev.perigee.loop.Immutable;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.send.EndTransactionHeader;
import dev.perigee.protocol.header.send.ResumeHalfHeader;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.transaction.HalfMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Transactions that nobody decided about yet: looking at them, and deciding in place of their producers. Only brokers of this
 * kind can list them. All methods block, up to the admin timeout for each question.
 */
@ThreadSafe
public final class TransactionAdmin {
    /**
     * An undecided half of a transaction.
     *
     * @param brokerName the broker that keeps it
     * @param address that broker's address
     * @param half what it says of it
     */
    @Immutable
    public record Undecided(String brokerName, String address, HalfMessage half) {}

    /** What becomes of a half. */
    public enum Outcome {
        /** It is delivered. */
        COMMIT(SysFlag.TRANSACTION_COMMIT),
        /** It is never delivered. */
        ROLLBACK(SysFlag.TRANSACTION_ROLLBACK);

        private final int code;

        Outcome(int code) {
            this.code = code;
        }
    }

    private final AdminCalls calls;

    TransactionAdmin(AdminCalls calls) {
        this.calls = calls;
    }

    /**
     * Which undecided halves are looked for; null leaves all in.
     *
     * @param group only those of this group of producers
     * @param topic only those that go to this topic
     * @param brokerName only those of this broker
     * @param offset only the one that is known by this offset
     */
    @Immutable
    public record Sought(
            @Nullable String group,
            @Nullable String topic,
            @Nullable String brokerName,
            @Nullable Long offset) {}

    /**
     * Begins to walk over undecided halves, by broker, the oldest of each first. Blocks while a NameServer is asked for the brokers; no broker is
     * asked yet.
     *
     * @throws NoRouteException when no broker has the name
     */
    public UndecidedHalves undecided(Sought sought) throws ClientException {
        AdminOperation operation = calls.begin();
        Map<String, BrokerData> brokers = new TreeMap<>(operation.cluster().brokerAddrTable());
        String name = sought.brokerName();
        if (name != null) {
            brokers.keySet().retainAll(Set.of(name));
            if (brokers.isEmpty()) {
                throw new NoRouteException(
                        "broker " + name + " is not registered", operation.untried(AdminOperation.NO_TOPIC));
            }
        }
        return new UndecidedHalves(calls, sought, brokers.values());
    }

    /**
     * The first undecided halves, by broker, the oldest of each first.
     *
     * @param group only those of this group of producers; null for all
     * @param topic only those that go to this topic; null for all
     * @param max most halves given
     * @throws ClientException when a broker that may hold some was not heard to the end
     */
    public List<Undecided> undecided(@Nullable String group, @Nullable String topic, int max) throws ClientException {
        UndecidedHalves halves = undecided(new Sought(group, topic, null, null));
        List<Undecided> found = new ArrayList<>();
        while (found.size() < max) {
            Optional<Undecided> next = halves.next();
            if (next.isEmpty()) {
                break;
            }
            found.add(next.get());
        }
        for (Missing broker : halves.missing()) {
            ClientException failure = broker.failure();
            if (failure != null) {
                throw failure;
            }
        }
        return found;
    }

    /**
     * Decides about a half in place of its producer. The same decision again does nothing.
     *
     * @throws dev.perigee.client.error.RefusedException with code 604 when it was decided otherwise before
     */
    public void resolve(Undecided undecided, Outcome outcome) throws ClientException {
        HalfMessage half = undecided.half();
        EndTransactionHeader header = new EndTransactionHeader(
                half.topic(),
                half.producerGroup(),
                half.queueOffset(),
                half.commitLogOffset(),
                outcome.code,
                true,
                half.uniqueKey(),
                half.uniqueKey());
        calls.begin().demand(undecided.address(), Rpcs.END_TRANSACTION, header, null, half.topic());
    }

    /**
     * Has a half that was set aside checked again, from the beginning. The message that was set aside stays where it is.
     *
     * @param offsetMessageId the offset message id of that message in TRANS_CHECK_MAX_TIME_TOPIC
     * @throws InvalidMessageException when the text is no such id
     */
    public void resume(String offsetMessageId) throws ClientException {
        AdminOperation operation = calls.begin();
        operation.demand(
                AdminOperation.storeAddress(operation.messageId(offsetMessageId)),
                Rpcs.RESUME_CHECK_HALF_MESSAGE,
                new ResumeHalfHeader(null, offsetMessageId),
                null,
                AdminOperation.NO_TOPIC);
    }
}
