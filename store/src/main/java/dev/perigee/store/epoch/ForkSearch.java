package dev.perigee.store.epoch;

import dev.perigee.loop.Immutable;
import java.util.Optional;

/**
 * Finds where the log of a follower parts from its sender's, by asking for epochs (R25): {@link #begin}, then {@link #next} with
 * each answer until it says where. The follower drives it, the sender only {@link #answer}s. Pure; each question asks for a
 * smaller number than the one before, so there are at most as many as the follower's table has epochs.
 */
public final class ForkSearch {
    /** What to do next. */
    public sealed interface Step permits Ask, Fork, Apart {}

    /**
     * Ask the sender for its largest epoch up to a number.
     *
     * @param number of an epoch of the follower
     */
    @Immutable
    public record Ask(int number) implements Step {}

    /**
     * Both logs are equal up to here and the follower's ends here, or goes on otherwise. May lie before the start of a trimmed
     * sender's log: then it has not the bytes that follow.
     *
     * @param offset where the follower's log must end
     */
    @Immutable
    public record Fork(long offset) implements Step {}

    /** Not one byte the follower has is known to be the sender's: it must begin anew. */
    @Immutable
    public record Apart() implements Step {}

    /**
     * One epoch of the sender's log.
     *
     * @param epoch the largest up to the number asked for
     * @param endOffset where it ends there (exclusive)
     */
    @Immutable
    public record Answer(Epoch epoch, long endOffset) {}

    private ForkSearch() {}

    /** The first step of a follower. */
    public static Step begin(LogExtent mine) {
        return mine.epochs().last().<Step>map(last -> new Ask(last.number())).orElse(new Fork(mine.endOffset()));
    }

    /** The sender's answer; empty when its log has no epoch as old. */
    public static Optional<Answer> answer(Ask ask, LogExtent theirs) {
        EpochTable epochs = theirs.epochs();
        return epochs.atMost(ask.number()).map(epoch -> new Answer(epoch, epochs.endOf(epoch, theirs.endOffset())));
    }

    /** The step after an answer. */
    public static Step next(Optional<Answer> theirs, LogExtent mine) {
        if (theirs.isEmpty()) {
            return new Apart();
        }
        Epoch their = theirs.get().epoch();
        Optional<Epoch> own = mine.epochs().atMost(their.number());
        if (own.isPresent() && own.get().isSameAs(their)) {
            long fork = Math.min(theirs.get().endOffset(), mine.epochs().endOf(own.get(), mine.endOffset()));
            return fork < mine.startOffset() ? new Apart() : new Fork(fork);
        }
        // Of equal numbers with different ids neither is in both logs; what lies before them may be.
        boolean sameNumber = own.isPresent() && own.get().number() == their.number();
        Optional<Epoch> older = sameNumber ? mine.epochs().atMost(their.number() - 1) : own;
        return older.<Step>map(epoch -> new Ask(epoch.number())).orElse(new Apart());
    }
}
