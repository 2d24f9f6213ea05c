package dev.perigee.client.admin;

import dev.perigee.client.admin.TransactionAdmin.Sought;
import dev.perigee.client.admin.TransactionAdmin.Undecided;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.InterruptedCallException;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.client.query.Missing;
import dev.perigee.loop.Immutable;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.send.HalfListHeader;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.transaction.HalfMessage;
import dev.perigee.protocol.transaction.HalfMessageList;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Walks over undecided halves of transactions, broker after broker, the oldest of each first. One page of {@value #PAGE} at most is held,
 * however many there are. A broker that fails is asked no more, and named by {@link #missing}; the others are walked to their end.
 */
@OwnedBy("walking thread")
public final class UndecidedHalves {
    private static final int PAGE = 1_000;
    /** As the place behind which to go on, the beginning; as a broker's answer where to go on, that there are no more. */
    private static final long NONE = -1;

    /** Where the walk is: behind a half of a broker. */
    @Immutable
    private record Place(String brokerName, String address, long after) {}

    private final AdminCalls calls;
    private final Sought sought;
    private final Iterator<BrokerData> brokers;
    private final Deque<Undecided> page = new ArrayDeque<>();
    private final List<Missing> missing = new ArrayList<>();
    private @Nullable Place place;

    UndecidedHalves(AdminCalls calls, Sought sought, Collection<BrokerData> brokers) {
        this.calls = calls;
        this.sought = sought;
        this.brokers = List.copyOf(brokers).iterator();
    }

    /** The next one; empty at the end. Blocks while a broker is asked, up to the admin timeout for each question. */
    public Optional<Undecided> next() throws InterruptedCallException {
        while (page.isEmpty() && (place != null || brokers.hasNext())) {
            Place at = place == null ? begin(brokers.next()) : place;
            place = at == null ? null : read(at);
        }
        return Optional.ofNullable(page.poll());
    }

    private @Nullable Place begin(BrokerData broker) {
        String master = broker.masterAddress();
        if (master == null) {
            failed(
                    broker.brokerName(),
                    new NoRouteException("it has no live master", calls.begin().untried(AdminOperation.NO_TOPIC)));
            return null;
        }
        Long offset = sought.offset();
        return new Place(broker.brokerName(), master, offset == null ? NONE : offset - 1);
    }

    /** Where to go on; null when there is no more. */
    private @Nullable Place read(Place at) throws InterruptedCallException {
        Long offset = sought.offset();
        HalfMessageList read;
        try {
            read = calls.begin()
                    .read(
                            at.address(),
                            Rpcs.LIST_HALF_MESSAGES,
                            new HalfListHeader(sought.group(), sought.topic(), at.after(), offset == null ? PAGE : 1),
                            AdminOperation.NO_TOPIC,
                            HalfMessageList.class);
        } catch (InterruptedCallException e) {
            throw e;
        } catch (ClientException e) {
            failed(at.brokerName(), e);
            return null;
        }
        for (HalfMessage half : read.halves()) {
            if (offset == null || offset == half.commitLogOffset()) {
                page.add(new Undecided(at.brokerName(), at.address(), half));
            }
        }
        boolean more = offset == null && read.goOnAfter() > at.after();
        return more ? new Place(at.brokerName(), at.address(), read.goOnAfter()) : null;
    }

    private void failed(String brokerName, ClientException failure) {
        boolean isStock = failure instanceof RefusedException refused
                && refused.code() == ResponseCode.REQUEST_CODE_NOT_SUPPORTED;
        missing.add(new Missing(
                brokerName,
                (isStock ? "only Perigee brokers list undecided transactions: " : "") + failure.getMessage(),
                failure));
    }

    /** The brokers that failed so far. */
    public List<Missing> missing() {
        return List.copyOf(missing);
    }
}
