package dev.perigee.store.append;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.append.Stream.Piece;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A replica that dies in any call to its disk finds again what it said it held, and nothing else stands behind it. */
final class ReceiveCrashTest {
    private enum Death {
        KILL,
        POWER
    }

    /** What a replica does while it may die. */
    private interface Act {
        void run(Pair pair) throws IOException;
    }

    private static void dieEverywhere(int seed, Death death, Act before, Act act) throws IOException {
        dieEverywhere(seed, death, before, act, false);
    }

    private static void dieEverywhere(int seed, Death death, Act before, Act act, boolean isCut) throws IOException {
        int calls = 0;
        boolean died = true;
        while (died) {
            Pair pair = new Pair(seed);
            before.run(pair);
            long confirmed = pair.replica.log().confirmOffset();
            pair.dying.killAfter(calls);
            act.run(pair);
            died = pair.dying.isDead();
            long held = isCut ? confirmed : Math.max(confirmed, pair.replication.held());
            String context = "seed " + seed + " " + death + " in call " + calls;
            reopen(pair, death, confirmed);
            if (isCut) {
                assertThat(pair.replicaEnd()).as(context).isIn(confirmed, pair.writerEnd());
            }
            check(pair, held, context);
            calls++;
        }
        assertThat(calls).as("calls of seed %d", seed).isGreaterThan(5);
    }

    private static void reopen(Pair pair, Death death, long confirmed) throws IOException {
        if (death == Death.KILL) {
            pair.replicaDisk.kill();
        } else {
            pair.replicaDisk.crash();
        }
        pair.dying.liveAgain();
        pair.confirmedAtStart(confirmed);
        pair.replica.reopen();
    }

    private static void check(Pair pair, long held, String context) throws IOException {
        assertThat(pair.replicaEnd()).as(context).isGreaterThanOrEqualTo(held);
        assertThat(pair.replica.log().extent().epochs())
                .as(context)
                .isEqualTo(pair.writer.log().extent().epochs().cutTo(pair.replicaEnd()));
        pair.replication.confirmLimit(Long.MAX_VALUE);
        pair.carryAll();
        pair.stream.offer(pair.replica, pair.writerEnd(), new byte[0], pair.writerEnd());
        pair.replica.settle();
        assertThat(pair.stream.refusals().stream()
                        .filter(refusal -> !refusal.found().equals("one that does not")))
                .as(context)
                .isEmpty();
        assertThat(pair.difference()).as(context).isEmpty();
        assertThat(pair.replica.messages().equals(pair.writer.messages()))
                .as(context)
                .isTrue();
    }

    private static void receiveAll(Pair pair, long confirmed) throws IOException {
        for (Piece piece : pair.stream.pieces(pair.replicaEnd(), pair.writerEnd(), 3, new Random(5))) {
            pair.stream.offer(pair.replica, piece, confirmed);
            pair.replica.settle();
            pair.clock.pass(60);
            pair.replica.stepFlusher();
            pair.replica.stepPreparer();
        }
    }

    @Test
    void aReplicaThatDiesWhileItReceivesHasWhatItHeld() throws IOException {
        for (Death death : Death.values()) {
            dieEverywhere(1, death, pair -> pair.write(30), pair -> receiveAll(pair, pair.writerEnd()));
        }
    }

    @Test
    void aReplicaThatDiesWhileItIsCutHasEitherEndAndNothingElse() throws IOException { // R3
        for (Death death : Death.values()) {
            dieEverywhere(
                    1,
                    death,
                    pair -> {
                        pair.write(5);
                        long confirmed = pair.writerEnd();
                        pair.write(60);
                        receiveAll(pair, confirmed);
                    },
                    pair -> {
                        pair.stream.order(pair.replica, pair.replica.log().confirmOffset());
                        pair.replica.settle();
                    },
                    true);
        }
    }

    @Test
    void aReplicaThatDiesBehindACutDoesNotFindWhatWasThere() throws IOException { // R3
        for (Death death : Death.values()) {
            dieEverywhere(
                    9,
                    death,
                    pair -> {
                        pair.write(5);
                        long confirmed = pair.writerEnd();
                        pair.write(40);
                        receiveAll(pair, confirmed);
                        pair.stream.order(pair.replica, confirmed);
                        pair.replica.settle();
                    },
                    pair -> receiveAll(pair, pair.replica.log().confirmOffset()));
        }
    }

    @Test
    void aTornTailThatWasReceivedIsNotTakenForRotten() throws IOException { // R7
        for (int seed = 0; seed < 25; seed++) {
            Pair pair = new Pair(seed);
            pair.write(5);
            pair.carryAll();
            pair.clock.pass(200);
            pair.replica.stepFlusher();
            long held = pair.replicaEnd();
            pair.write(60, 1); // each was on the writer's disk before the next was sealed, and its stamp says so
            for (Piece piece : pair.stream.pieces(held, pair.writerEnd(), 3, pair.random)) {
                pair.stream.offer(pair.replica, piece, held);
            }
            pair.replica.stepLog();
            assertThat(pair.replicaEnd()).isGreaterThan(held);
            pair.replicaDisk.crash();
            pair.confirmedAtStart(held);
            pair.replica.reopen();
            check(pair, held, "seed " + seed);
        }
    }

    @Test
    void theFirstBytesOfAnAdoptedLogAreNotTakenForRottenEither() throws IOException { // R7
        for (int seed = 0; seed < 25; seed++) {
            Pair pair = new Pair(seed);
            pair.write(150, 1);
            pair.writer.log().trimTo(LogRig.SEGMENT_BYTES);
            long start = pair.writer.log().startOffset();
            assertThat(start).isPositive();
            for (Piece piece : pair.stream.pieces(start, pair.writerEnd(), 3, pair.random)) {
                pair.stream.offer(pair.replica, piece, 0);
            }
            pair.replica.stepLog();
            pair.replica.stepFlusher();
            pair.replica.stepLog();
            pair.replicaDisk.crash();
            pair.confirmedAtStart(0);
            pair.replica.reopen();
            pair.replication.confirmLimit(Long.MAX_VALUE);
            long end = pair.replicaEnd();
            pair.stream.carry(
                    pair.replica, end == pair.replica.log().startOffset() ? start : end, pair.writerEnd(), pair.random);
            assertThat(pair.replica.log().extent())
                    .as("seed %d", seed)
                    .isEqualTo(pair.writer.log().extent());
        }
    }

    @Test
    void aStartThatDiesWhileItFinishesACutIsRepeated() throws IOException { // R3
        int finished = 0;
        for (int first = 0; first < 12; first += 2) {
            boolean died = true;
            for (int second = 0; died; second++) {
                Pair pair = new Pair(7);
                pair.write(5);
                long confirmed = pair.writerEnd();
                pair.write(60);
                receiveAll(pair, confirmed);
                pair.dying.killAfter(first);
                pair.stream.order(pair.replica, confirmed);
                pair.replica.settle();
                pair.replicaDisk.crash();
                pair.dying.liveAgain();
                pair.dying.killAfter(second);
                pair.confirmedAtStart(confirmed);
                died = dies(pair);
                pair.replicaDisk.crash();
                pair.dying.liveAgain();
                pair.replica.reopen();
                String context = "calls " + first + " and " + second;
                assertThat(pair.replicaEnd()).as(context).isIn(confirmed, pair.writerEnd());
                finished += pair.replicaEnd() == confirmed ? 1 : 0;
                check(pair, confirmed, context);
            }
        }
        assertThat(finished).isGreaterThan(10);
    }

    private static boolean dies(Pair pair) {
        try {
            pair.replica.reopen();
        } catch (IOException e) {
            assertThat(pair.dying.isDead()).as("%s", e.getMessage()).isTrue();
        }
        return pair.dying.isDead();
    }
}
