package dev.perigee.broker.timer;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.log.PacedTask;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The messages that lie below a cut of the log, gathered on the preparer before the view loop carries them, so that it does not
 * read the store for them. What leaves its place below the cut while that is gathered, or later, is remembered by place: the
 * store may still have told of it. A place is never used twice, so remembering too many does no harm.
 */
@OwnedBy("view loop, but for the gathering")
final class PlacesAhead {
    /** Gathered at most; the rest is gathered for the next round. */
    static final int MAX_GATHERED = 10_000;

    /** Places that are remembered at most; beyond it what was gathered is given up, and it must be gathered anew. */
    static final int MAX_GONE = 200_000;

    private static final int PER_STEP = 1_000;

    /**
     * What was gathered.
     *
     * @param below the cut
     * @param messages those below it, or the first of them, by place
     * @param whole whether these are all
     */
    record Gathered(long below, List<WaitingMessage> messages, boolean whole) {}

    /** A gathering, by its number from 1 on, and its cut. */
    private record Gathering(int number, long below) {}

    private static final Gathering NONE = new Gathering(0, 0);

    private final TimerEntries entries;
    private final int maxGone;
    private final Set<Long> leftInPass = new HashSet<>();
    private final Set<Long> gone = new HashSet<>();
    /** The newest one. */
    private volatile Gathering gathering = NONE;

    private volatile @Nullable Gathered gathered;
    private Gathering noted = NONE;
    private boolean givenUp;

    PlacesAhead(TimerEntries entries, int maxGone) {
        this.entries = entries;
        this.maxGone = maxGone;
    }

    /** A message is no longer at that place. */
    void left(long offset) {
        leftInPass.add(offset);
    }

    /** Whether a message left that place in this pass, which the store does not know yet. */
    boolean leftInPass(long offset) {
        return leftInPass.contains(offset);
    }

    /** What the pass changed is in the store. */
    void passEnded() {
        noteGathering();
        if (noted.number() > 0 && !givenUp) {
            for (long place : leftInPass) {
                if (place < noted.below()) {
                    gone.add(place);
                }
            }
            if (gone.size() > maxGone) {
                giveUp();
            }
        }
        leftInPass.clear();
    }

    /** When a gathering begins anew, what had left before is in the store; nothing left it since the last pass. */
    private void noteGathering() {
        Gathering now = gathering;
        if (!now.equals(noted)) {
            noted = now;
            givenUp = false;
            gone.clear();
        }
    }

    /** What was gathered may be used no more. */
    void giveUp() {
        givenUp = true;
        gone.clear();
    }

    /** Gathers, from a place below which nothing lies. On the preparer. */
    PacedTask gather(long lowestPlace, long below) {
        gathered = null;
        gathering = new Gathering(gathering.number() + 1, below); // before the store is looked at
        List<WaitingMessage> messages = new ArrayList<>();
        long[] from = {lowestPlace};
        return () -> {
            int limit = Math.min(MAX_GATHERED, messages.size() + PER_STEP);
            entries.scan(TimerKeys.place(from[0]), TimerKeys.place(below), (key, value) -> {
                WaitingMessage message = TimerKeys.placed(key, value);
                messages.add(message);
                from[0] = message.offset() + 1;
                return messages.size() < limit;
            });
            boolean full = messages.size() == limit;
            if (full && limit < MAX_GATHERED) {
                return true;
            }
            gathered = new Gathered(below, List.copyOf(messages), !full);
            return false;
        };
    }

    /** What was gathered for this cut or a later one; null when nothing was, or it was given up. Between passes. */
    @Nullable
    Gathered gathered(long below) {
        noteGathering();
        Gathered known = gathered;
        return known != null && known.below() >= below && !givenUp ? known : null;
    }

    /** Whether that cut was gathered for, but is not known now what lies there: only another gathering can tell. */
    boolean mustGather(long below) {
        return gathered(below) == null && noted.number() > 0 && noted.below() >= below;
    }

    /** Whether a message that was gathered is still where it was. */
    boolean isThere(WaitingMessage message) {
        return !gone.contains(message.offset());
    }

    /** The first offset below which nothing lies, as far as was gathered. */
    long firstLiveOffset(Gathered from) {
        for (WaitingMessage each : from.messages()) {
            if (isThere(each)) {
                return each.offset();
            }
        }
        List<WaitingMessage> all = from.messages();
        return from.whole() || all.isEmpty()
                ? from.below()
                : all.get(all.size() - 1).offset() + 1;
    }
}
