package dev.perigee.broker.registration;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.stats.HaStatus;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the other brokers of a name how far their logs go, all at once. Who does not answer is not reachable. */
@OwnedBy("starting thread")
public final class PeerEnds {
    private static final Logger LOG = LoggerFactory.getLogger(PeerEnds.class);

    private final Members members;

    /** @param members asks them */
    public PeerEnds(Members members) {
        this.members = members;
    }

    /**
     * The ids of those slaves whose copy of a log is in a later epoch, or ends behind that of the one that asks, in order. Blocks,
     * {@link Members#TIMEOUT_MS} at most.
     *
     * @param known what each NameServer knows: addresses by broker id
     * @param own the address of the one that asks
     * @param log the log of the one that asks
     * @param endOffset where that ends
     */
    public List<Long> farther(Collection<Map<Long, String>> known, String own, HaStatus.LogName log, long endOffset) {
        Map<String, Long> others = new TreeMap<>();
        known.forEach(each -> each.forEach((id, address) -> others.put(address, id)));
        others.remove(own);
        TreeSet<Long> farther = new TreeSet<>();
        Map<String, HaStatus> states = members.askAll(others.keySet(), members::status);
        others.forEach((address, id) -> {
            HaStatus status = states.get(address);
            if (status != null && hasMore(status, log, endOffset)) {
                LOG.warn(
                        "event=peer_has_more address={} brokerId={} end={} log={} own={} ownLog={}",
                        address,
                        id,
                        status.haClientRuntimeInfo().maxOffset(),
                        status.log(),
                        endOffset,
                        log);
                farther.add(id);
            }
        });
        return List.copyOf(farther);
    }

    private static boolean hasMore(HaStatus status, HaStatus.LogName own, long endOffset) {
        HaStatus.LogName log = status.log();
        if (status.master() || (log != null && !log.logId().equals(own.logId()))) {
            return false;
        }
        return status.haClientRuntimeInfo().maxOffset() > endOffset || (log != null && log.isLaterThan(own));
    }
}
