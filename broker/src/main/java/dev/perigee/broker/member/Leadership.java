package dev.perigee.broker.member;

import dev.perigee.group.GroupStanding;
import dev.perigee.loop.OwnedBy;
import dev.perigee.store.view.Duty;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins and ends what only a master does: when the node leads, its own epoch is confirmed and its views show all before that (R31), duties
 * go on from there and clients are served; when it leads no more, all that it held for clients in memory is let go in one step (R33).
 */
@OwnedBy("view loop")
public final class Leadership implements Duty {
    private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);

    /** What is begun and ended; on the view loop. */
    public interface Steps {
        /** Whether nothing is under way any more that was begun in a leadership before, and might decide in the next one. */
        boolean mayBegin();

        /**
         * The views show what the leader before confirmed.
         *
         * @param begun to be run, on the view loop, when clients may be served; not at all when that cannot be
         */
        void begin(Runnable begun);

        /** Another one may lead. */
        void end();
    }

    private final MemberStanding standing;
    private final BooleanSupplier showsOwnEpoch;
    private final Steps steps;
    private final List<Duty> duties;
    private final Runnable giveAway;
    private final long patienceMs;
    /** Of the leadership that is being begun; 0 for none. */
    private int beginning;

    /** When this node, which leads and does not serve, is to give that away; never while it need not. */
    private long giveAwayMs = Long.MAX_VALUE;

    /**
     * Of a node that does not lead.
     *
     * @param showsOwnEpoch whether the views show all that lies before the epoch this node writes in
     * @param duties of the master alone
     * @param giveAway has another member lead
     * @param patienceMs how long a node may lead without serving clients: then it gives that away, and again after as long
     */
    public Leadership(
            MemberStanding standing,
            BooleanSupplier showsOwnEpoch,
            Steps steps,
            List<Duty> duties,
            Runnable giveAway,
            long patienceMs) {
        this.standing = standing;
        this.showsOwnEpoch = showsOwnEpoch;
        this.steps = steps;
        this.duties = List.copyOf(duties);
        this.giveAway = giveAway;
        this.patienceMs = patienceMs;
    }

    @Override
    public boolean runsEverywhere() {
        return true;
    }

    @Override
    public int doWork(long nowMs) {
        GroupStanding now = standing.group();
        int work = endIfOver(now) + beginIfDue(now) + giveAwayIfDue(now, nowMs);
        if (standing.mayDecide()) {
            for (Duty duty : duties) {
                work += duty.doWork(nowMs);
            }
        }
        return work;
    }

    private int endIfOver(GroupStanding now) {
        boolean beginningIsOver = beginning != 0 && !(now.leads() && now.term() == beginning);
        boolean servedIsOver = standing.isBegun() && !standing.isSame(now);
        if (!beginningIsOver && !servedIsOver) {
            return 0;
        }
        beginning = 0;
        standing.serveNoMore();
        steps.end();
        LOG.info(
                "event=serves_as_slave term={} leader={}",
                now.term(),
                now.leaderId().orElse("unknown"));
        return 1;
    }

    private int beginIfDue(GroupStanding now) {
        if (beginning != 0
                || standing.isBegun()
                || !now.leads()
                || !now.established()
                || !showsOwnEpoch.getAsBoolean()
                || !steps.mayBegin()) {
            return 0;
        }
        int term = now.term();
        beginning = term;
        steps.begin(() -> {
            if (beginning == term) {
                beginning = 0;
                standing.serve(term);
                LOG.info("event=serves_as_master term={}", term);
            }
        });
        return 1;
    }

    /** All hear it, so nobody else would be elected, and nobody is served (R31). */
    private int giveAwayIfDue(GroupStanding now, long nowMs) {
        if (!now.leads() || !now.established() || standing.isBegun()) {
            giveAwayMs = Long.MAX_VALUE;
            return 0;
        }
        if (giveAwayMs == Long.MAX_VALUE) {
            giveAwayMs = nowMs + patienceMs;
        }
        if (nowMs < giveAwayMs) {
            return 0;
        }
        giveAwayMs = nowMs + patienceMs;
        LOG.warn(
                "event=leads_and_does_not_serve term={} patienceMs={} showsOwnEpoch={} mayBegin={}",
                now.term(),
                patienceMs,
                showsOwnEpoch.getAsBoolean(),
                steps.mayBegin());
        giveAway.run();
        return 1;
    }

    @Override
    public long nextDeadlineMs() {
        long deadlineMs = giveAwayMs;
        if (standing.serves()) {
            deadlineMs = standing.group().inTouchUntilMs(); // then it may do none of it
        }
        if (standing.mayDecide()) {
            for (Duty duty : duties) {
                deadlineMs = Math.min(deadlineMs, duty.nextDeadlineMs());
            }
        }
        return deadlineMs;
    }
}
