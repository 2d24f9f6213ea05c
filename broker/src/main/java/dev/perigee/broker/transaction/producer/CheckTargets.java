package dev.perigee.broker.transaction.producer;

import dev.perigee.broker.client.Member;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.Connection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Which producer of a group is asked about a half: one after the other, but nobody who was asked and has not answered since as
 * long as there is another. Producers that know nothing of transactions never answer; a group may have some.
 */
@ThreadSafe
public final class CheckTargets {
    /** Who has not answered after so long is passed over. */
    static final long SILENT_MS = 1_000;
    /** Who has not answered for so long is tried once more. */
    static final long FORGIVEN_MS = 300_000;
    /** Connections remembered before those that are closed are looked for. */
    private static final int SWEEP_AT = 10_000;

    /** By connection, since when a question has not been answered; monotonic. */
    private final Map<Connection, Long> unanswered = new ConcurrentHashMap<>();

    private final AtomicLong turns = new AtomicLong();

    /** Nobody was asked yet. */
    public CheckTargets() {}

    /** The member to ask now; null when none of them is connected and takes requests. */
    public @Nullable Member pick(List<Member> members, long nowMs) {
        int start = members.isEmpty() ? 0 : (int) (turns.getAndIncrement() % members.size());
        Member silent = null;
        for (int i = 0; i < members.size(); i++) {
            Member member = members.get((start + i) % members.size());
            if (!member.connection().isOpen() || !member.connection().isWritable()) {
                continue;
            }
            if (!isSilent(member.connection(), nowMs)) {
                return member;
            }
            silent = silent == null ? member : silent;
        }
        return silent;
    }

    private boolean isSilent(Connection connection, long nowMs) {
        Long since = unanswered.get(connection);
        return since != null && nowMs - since >= SILENT_MS && nowMs - since < FORGIVEN_MS;
    }

    /** Somebody is asked. */
    public void asked(Connection connection, long nowMs) {
        if (unanswered.size() >= SWEEP_AT) {
            unanswered.keySet().removeIf(each -> !each.isOpen());
        }
        unanswered.compute(
                connection,
                (key, since) -> since == null || nowMs - since >= FORGIVEN_MS ? Long.valueOf(nowMs) : since);
    }

    /** Somebody has answered a check, whatever it said. */
    public void answered(Connection connection) {
        unanswered.remove(connection);
    }
}
