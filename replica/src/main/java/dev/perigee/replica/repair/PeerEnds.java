package dev.perigee.replica.repair;

import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.call.RemotingException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the other brokers of a name how far their logs go. Who does not answer within {@link #TIMEOUT_MS} is not reachable. */
@OwnedBy("starting thread")
public final class PeerEnds {
    static final long TIMEOUT_MS = 3_000;

    private static final Logger LOG = LoggerFactory.getLogger(PeerEnds.class);

    private final RemotingClient client;
    private final Clock clock;
    private final long timeoutMs;

    public PeerEnds(RemotingClient client, Clock clock) {
        this(client, clock, TIMEOUT_MS);
    }

    /** As above with another wait. */
    PeerEnds(RemotingClient client, Clock clock, long timeoutMs) {
        this.client = client;
        this.clock = clock;
        this.timeoutMs = timeoutMs;
    }

    /**
     * The ids of those slaves whose copy of a log ends behind an offset, in order. Blocks.
     *
     * @param known what each NameServer knows: addresses by broker id
     * @param own the address of the one that asks
     * @param logId the log's name, hex digits
     */
    public List<Long> farther(Collection<Map<Long, String>> known, String own, String logId, long endOffset) {
        Map<String, Long> others = new TreeMap<>();
        known.forEach(each -> each.forEach((id, address) -> others.put(address, id)));
        others.remove(own);
        TreeSet<Long> farther = new TreeSet<>();
        others.forEach((address, id) -> {
            long end = endOf(address, logId);
            if (end > endOffset) {
                LOG.warn("event=peer_has_more address={} brokerId={} end={} own={}", address, id, end, endOffset);
                farther.add(id);
            }
        });
        return List.copyOf(farther);
    }

    private long endOf(String address, String logId) {
        try {
            Answer<?> answer = client.callBlocking(
                    address, Rpcs.GET_BROKER_HA_STATUS, NoHeader.NONE, null, Deadline.after(clock, timeoutMs));
            if (answer.isOk()) {
                HaStatus status = Json.read(answer.body(), HaStatus.class);
                boolean isOther = status.log() != null && !status.log().logId().equals(logId);
                return status.master() || isOther
                        ? -1
                        : status.haClientRuntimeInfo().maxOffset();
            }
        } catch (RemotingException | BadBodyException e) {
            LOG.info("event=peer_not_reached address={} reason=\"{}\"", address, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return -1;
    }
}
