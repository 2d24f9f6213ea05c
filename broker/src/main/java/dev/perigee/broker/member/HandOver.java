package dev.perigee.broker.member;

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
    private static final Logger LOG = LoggerFactory.getLogger(HandOver.class);

    private final MemberStanding standing;
    private final PlannedTransfer transfer;
    private final Consumer<Runnable> flush;
    private final Predicate<BooleanSupplier> until;

    /**
     * Of a member that leads.
     *
     * @param transfer answers what was taken, and has the node hand over
     * @param flush logs offsets that were committed, and runs what it is given when they are applied
     * @param until waits for something within a limit, and tells whether it came to be
     */
    public HandOver(
            MemberStanding standing,
            PlannedTransfer transfer,
            Consumer<Runnable> flush,
            Predicate<BooleanSupplier> until) {
        this.standing = standing;
        this.transfer = transfer;
        this.flush = flush;
        this.until = until;
    }

    /** Hands over, or finds that nobody can take it. Blocks, a few times the limit at most. */
    public boolean run() {
        boolean logged = flushed(); // before clients have to wait
        CompletableFuture<Optional<String>> ordered =
                transfer.order(new RaftOrderHeader(RaftOrderHeader.TRANSFER, null, null, null));
        boolean heard = until.test(ordered::isDone);
        String refusal = heard ? ordered.join().orElse("") : "no answer";
        boolean over =
                refusal.isEmpty() && until.test(() -> standing.otherLeader().isPresent());
        LOG.info("event=handed_over done={} offsetsLogged={} refusal=\"{}\"", over, logged, refusal);
        return over;
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
