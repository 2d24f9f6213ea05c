package dev.perigee.client.admin;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.InvalidMessageException;
import dev.perigee.loop.Immutable;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.send.EndTransactionHeader;
import dev.perigee.protocol.header.send.HalfListHeader;
import dev.perigee.protocol.header.send.ResumeHalfHeader;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.transaction.HalfMessage;
import dev.perigee.protocol.transaction.HalfMessageList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Transactions that nobody decided about yet: looking at them, and deciding in place of their producers. Only brokers of this
 * kind can list them. All methods block, up to the admin timeout for each question.
 */
@ThreadSafe
public final class TransactionAdmin {
    private static final int PAGE = 1_000;
    private static final long BEFORE_ALL = -1;

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
     * The undecided halves of all brokers, by broker, the oldest of each first.
     *
     * @param group only those of this group of producers; null for all
     * @param topic only those that go to this topic; null for all
     * @param max most halves given
     */
    public List<Undecided> undecided(@Nullable String group, @Nullable String topic, int max) throws ClientException {
        List<Undecided> found = new ArrayList<>();
        Map<String, BrokerData> brokers = new TreeMap<>(calls.begin().cluster().brokerAddrTable());
        for (BrokerData broker : brokers.values()) {
            String master = broker.masterAddress();
            if (master != null && found.size() < max) {
                list(broker.brokerName(), master, new Wanted(group, topic, max), found);
            }
        }
        return found;
    }

    /** What is looked for. */
    private record Wanted(@Nullable String group, @Nullable String topic, int max) {}

    private void list(String brokerName, String address, Wanted wanted, List<Undecided> found) throws ClientException {
        long after = BEFORE_ALL;
        do {
            int room = Math.min(PAGE, wanted.max() - found.size());
            HalfMessageList page = calls.begin()
                    .read(
                            address,
                            Rpcs.LIST_HALF_MESSAGES,
                            new HalfListHeader(wanted.group(), wanted.topic(), after, room),
                            AdminOperation.NO_TOPIC,
                            HalfMessageList.class);
            page.halves().forEach(half -> found.add(new Undecided(brokerName, address, half)));
            after = page.goOnAfter();
        } while (after != BEFORE_ALL && found.size() < wanted.max());
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
