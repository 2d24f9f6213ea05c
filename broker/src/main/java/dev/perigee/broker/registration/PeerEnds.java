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
     * The ids of those slaves whose copy of a log ends behind an offset, in order. Blocks, {@link Members#TIMEOUT_MS} at most.
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
        Map<String, HaStatus> states = members.askAll(others.keySet(), members::status);
        others.forEach((address, id) -> {
            HaStatus status = states.get(address);
            long end = status == null ? -1 : endOf(status, logId);
            if (end > endOffset) {
                LOG.warn("event=peer_has_more address={} brokerId={} end={} own={}", address, id, end, endOffset);
                farther.add(id);
            }
        });
        return List.copyOf(farther);
    }

    private static long endOf(HaStatus status, String logId) {
        HaStatus.LogName log = status.log();
        boolean isOther = log != null && !log.logId().equals(logId);
        return status.master() || isOther ? -1 : status.haClientRuntimeInfo().maxOffset();
    }
}
