package dev.perigee.broker.member;

import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.raft.RaftOrderHeader;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The end of a leadership before a stop in order: what was committed is logged, and the best of the other members leads (R26). */
@OwnedBy("stopping thread")
public final class HandOver {
    /** Between two tries. */
    static final long AGAIN_MS = 100;

    private static final Logger LOG = LoggerFactory.getLogger(HandOver.class);

    private final MemberStanding standing;
    private final PlannedTransfer transfer;
    private final Consumer<Runnable> flush;
    private final Predicate<BooleanSupplier> until;
    private final Clock clock;
    private final boolean again;
    private CompletableFuture<Optional<String>> ordered = CompletableFuture.completedFuture(Optional.empty());
    private long orderedMs;
    private String refusal = "";

    /**
     * Of a member that leads.
     *
     * @param transfer answers what was taken, and has the node hand over
     * @param flush logs offsets that were committed, and runs what it is given when they are applied
     * @param until waits for something within a limit, and tells whether it came to be
     * @param again whether time passes while it waits, so that what is refused is tried again
     */
    public HandOver(
            MemberStanding standing,
            PlannedTransfer transfer,
            Consumer<Runnable> flush,
            Predicate<BooleanSupplier> until,
            Clock clock,
            boolean again) {
        this.standing = standing;
        this.transfer = transfer;
        this.flush = flush;
        this.until = until;
        this.clock = clock;
        this.again = again;
    }

    /** Hands over, or finds that nobody takes it in time. Blocks, twice the limit at most. */
    public boolean run() {
        boolean logged = flushed(); // before clients have to wait
        order();
        boolean inTime = until.test(this::isOver);
        boolean over = standing.otherLeader().isPresent();
        LOG.info("event=handed_over done={} inTime={} offsetsLogged={} refusal=\"{}\"", over, inTime, logged, refusal);
        return over;
    }

    private void order() {
        orderedMs = clock.monotonicMs();
        ordered = transfer.order(new RaftOrderHeader(RaftOrderHeader.TRANSFER, null, null, null));
    }

    /** Another transfer may be under way, or nobody be able to take it just now: then it is ordered again. */
    private boolean isOver() {
        if (standing.otherLeader().isPresent()) {
            return true;
        }
        if (!ordered.isDone()) {
            return false;
        }
        refusal = ordered.join().orElse("");
        if (!refusal.isEmpty() && (!again || !standing.group().leads())) {
            return true;
        }
        if (again && standing.takes() && clock.monotonicMs() - orderedMs >= AGAIN_MS) {
            order();
        }
        return false;
    }

    private boolean flushed() {
        if (!standing.serves()) {
            return true; // it took none
        }
        CompletableFuture<Boolean> logged = new CompletableFuture<>();
        flush.accept(() -> logged.complete(true));
        return until.test(logged::isDone);
    }
}
