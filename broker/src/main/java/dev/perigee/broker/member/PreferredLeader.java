package dev.perigee.broker.member;

import dev.perigee.group.GroupStanding.FedMember;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.raft.RaftOrderHeader;
import dev.perigee.store.view.Duty;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leads only until the member that is to lead can: when that one has kept up for a while, and this leadership is not young, leadership is offered to it. When it does not
 * take that, it is asked again later and later, for clients have to wait each time. A duty of who serves as the master.
 */
@OwnedBy("view loop")
public final class PreferredLeader implements Duty {
    /**
     * No leadership is given away before: it may have come from the preferred one itself, which is stopping, and goes on as a follower for up
     * to 35 s.
     */
    static final long LED_MS = 60_000;
    /** For so long it must have kept up. */
    static final long KEPT_UP_MS = 10_000;
    /** Farther behind than this it does not keep up. */
    static final long CLOSE_MS = 1_000;
    /** Until it is asked for the second time; then twice that, and so on. */
    static final long AGAIN_MS = 60_000;

    static final long MOST_AGAIN_MS = 3_600_000;
    /** Between two looks. */
    static final long LOOK_MS = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(PreferredLeader.class);
    private static final long NEVER = Long.MIN_VALUE / 2;

    private final String preferred;
    private final Supplier<List<FedMember>> followers;
    private final Consumer<String> transfer;
    private long lookedMs = NEVER;
    private long ledSinceMs = NEVER;
    private long keepsUpSinceMs = NEVER;
    private long askedMs = NEVER;
    private long againMs = AGAIN_MS;

    /**
     * Of a member that is not the preferred one.
     *
     * @param preferred who is to lead, an id
     * @param followers who is fed here
     * @param transfer begins to hand leadership over to the member of that id
     */
    PreferredLeader(String preferred, Supplier<List<FedMember>> followers, Consumer<String> transfer) {
        this.preferred = preferred;
        this.followers = followers;
        this.transfer = transfer;
    }

    /** As above; what was taken is answered and offsets are logged before it hands over. */
    @SuppressWarnings("FutureReturnValueIgnored") // why it is refused is said in the log
    public static PreferredLeader of(String preferred, Supplier<List<FedMember>> followers, PlannedTransfer transfer) {
        return new PreferredLeader(
                preferred,
                followers,
                to -> transfer.order(new RaftOrderHeader(RaftOrderHeader.TRANSFER, to, null, null)));
    }

    @Override
    public int doWork(long nowMs) {
        if (nowMs - lookedMs < LOOK_MS) {
            return 0;
        }
        if (nowMs - lookedMs > 2 * LOOK_MS) {
            keepsUpSinceMs = NEVER; // another one led meanwhile, or this one stood still
            ledSinceMs = nowMs;
        }
        lookedMs = nowMs;
        if (!keepsUp()) {
            keepsUpSinceMs = NEVER;
            return 0;
        }
        if (keepsUpSinceMs == NEVER) {
            keepsUpSinceMs = nowMs;
        }
        if (nowMs - ledSinceMs < LED_MS || nowMs - keepsUpSinceMs < KEPT_UP_MS || !mayAsk(nowMs)) {
            return 0;
        }
        askedMs = nowMs;
        LOG.info("event=preferred_leader_asked member={}", preferred);
        transfer.accept(preferred);
        return 1;
    }

    private boolean mayAsk(long nowMs) {
        if (nowMs - askedMs > 2 * MOST_AGAIN_MS) {
            againMs = AGAIN_MS;
            return true;
        }
        boolean may = nowMs - askedMs >= againMs;
        againMs = may ? Math.min(MOST_AGAIN_MS, 2 * againMs) : againMs;
        return may;
    }

    private boolean keepsUp() {
        return followers.get().stream()
                .anyMatch(member -> member.id().equals(preferred) && member.counts() && member.lagMs() <= CLOSE_MS);
    }

    @Override
    public long nextDeadlineMs() {
        return lookedMs == NEVER ? NEVER : lookedMs + LOOK_MS;
    }
}
