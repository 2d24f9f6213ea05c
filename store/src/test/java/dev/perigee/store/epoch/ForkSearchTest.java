package dev.perigee.store.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.epoch.ForkSearch.Apart;
import dev.perigee.store.epoch.ForkSearch.Ask;
import dev.perigee.store.epoch.ForkSearch.Fork;
import dev.perigee.store.epoch.ForkSearch.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Where two logs part, found by asking for epochs and by looking at every byte. */
final class ForkSearchTest {
    private static LogExtent log(long end, Epoch... epochs) {
        return new LogExtent(EpochTable.of(List.of(epochs)), 0, end);
    }

    private static Step search(LogExtent theirs, LogExtent mine) {
        Step step = ForkSearch.begin(mine);
        int asked = 0;
        while (step instanceof Ask ask) {
            asked++;
            assertThat(asked)
                    .as("questions")
                    .isLessThanOrEqualTo(mine.epochs().epochs().size());
            step = ForkSearch.next(ForkSearch.answer(ask, theirs), mine);
        }
        return step;
    }

    @Test
    void aFollowerThatIsOnlyBehindIsNotCut() { // R25
        LogExtent theirs = log(500, new Epoch(1, 1, 0), new Epoch(2, 2, 300));
        assertThat(search(theirs, log(200, new Epoch(1, 1, 0)))).isEqualTo(new Fork(200));
        assertThat(search(theirs, log(400, new Epoch(1, 1, 0), new Epoch(2, 2, 300))))
                .isEqualTo(new Fork(400));
    }

    @Test
    void aTailTheSenderNeverGotGoes() { // R25
        LogExtent mine = log(150, new Epoch(1, 1, 0));
        assertThat(search(log(300, new Epoch(1, 1, 0), new Epoch(2, 2, 100)), mine))
                .isEqualTo(new Fork(100));
    }

    @Test
    void anEpochOnlyTheFollowerHasGoesWhole() { // R25
        LogExtent mine = log(180, new Epoch(1, 1, 0), new Epoch(2, 2, 150));
        assertThat(search(log(300, new Epoch(1, 1, 0), new Epoch(3, 3, 100)), mine))
                .isEqualTo(new Fork(100));
        assertThat(search(log(300, new Epoch(1, 1, 0), new Epoch(3, 3, 160)), mine))
                .isEqualTo(new Fork(150));
    }

    @Test
    void aSenderThatIsShorterInTheSameEpochIsFollowed() { // R25; whether it may be is for replication to say (R10)
        LogExtent mine = log(500, new Epoch(1, 1, 0));
        assertThat(search(log(400, new Epoch(1, 1, 0)), mine)).isEqualTo(new Fork(400));
    }

    @Test
    void equalNumbersWithDifferentIdsForkAtTheSmallerStart() { // R9
        LogExtent theirs = log(300, new Epoch(1, 1, 0), new Epoch(2, 77, 120));
        assertThat(search(theirs, log(300, new Epoch(1, 1, 0), new Epoch(2, 88, 140))))
                .isEqualTo(new Fork(120));
        assertThat(search(theirs, log(300, new Epoch(1, 1, 0), new Epoch(2, 88, 100))))
                .isEqualTo(new Fork(100));
    }

    @Test
    void epochsWithGapsInTheirNumbersAreFoundByTurns() { // R25
        LogExtent theirs =
                log(900, new Epoch(1, 1, 0), new Epoch(4, 4, 200), new Epoch(6, 6, 400), new Epoch(9, 9, 700));
        LogExtent mine = log(900, new Epoch(1, 1, 0), new Epoch(2, 2, 100), new Epoch(5, 5, 300), new Epoch(8, 8, 600));
        assertThat(search(theirs, mine)).isEqualTo(new Fork(100));
    }

    @Test
    void anEpochOfUnknownIdIsInNoOtherLog() {
        LogExtent both = log(300, new Epoch(1, 1, 0), new Epoch(2, 0, 120));
        assertThat(search(both, both)).isEqualTo(new Fork(120));
    }

    @Test
    void anEmptyFollowerTakesAll() {
        assertThat(search(log(300, new Epoch(1, 1, 0)), log(0))).isEqualTo(new Fork(0));
    }

    @Test
    void logsWithNothingInCommonAreApart() {
        assertThat(search(log(300, new Epoch(1, 1, 0)), log(300, new Epoch(1, 2, 0))))
                .isEqualTo(new Apart());
        LogExtent later = new LogExtent(EpochTable.of(List.of(new Epoch(7, 7, 800))), 1_000, 2_000);
        assertThat(search(later, log(300, new Epoch(1, 1, 0))))
                .as("trimmed beyond")
                .isEqualTo(new Apart());
        assertThat(search(log(300, new Epoch(1, 1, 0)), later))
                .as("begins later")
                .isEqualTo(new Apart());
        LogExtent shorter = log(900, new Epoch(7, 7, 800));
        assertThat(search(shorter, later)).as("the fork is before what is left").isEqualTo(new Apart());
    }

    /** A log as the stamp of every byte. */
    private static final class Stamped {
        private final List<Epoch> stamps = new ArrayList<>();

        void epoch(Random random) {
            int last = stamps.isEmpty() ? 0 : stamps.get(stamps.size() - 1).number();
            Epoch epoch = new Epoch(last + 1 + random.nextInt(2), 1 + random.nextInt(1_000_000), stamps.size());
            for (int size = 1 + random.nextInt(5); size > 0; size--) {
                stamps.add(epoch);
            }
        }

        void follow(Stamped other, Random random) {
            int fork = forkWith(other);
            stamps.subList(fork, stamps.size()).clear();
            int upTo = fork + random.nextInt(other.stamps.size() - fork + 1);
            stamps.addAll(other.stamps.subList(fork, upTo));
        }

        int forkWith(Stamped other) {
            int at = 0;
            while (at < Math.min(stamps.size(), other.stamps.size())
                    && stamps.get(at).equals(other.stamps.get(at))) {
                at++;
            }
            return at;
        }

        LogExtent from(int start) {
            EpochTable table = EpochTable.EMPTY;
            for (Epoch stamp : stamps) {
                table = table.last().filter(stamp::equals).isPresent() ? table : table.add(stamp);
            }
            return new LogExtent(stamps.size() == start ? EpochTable.EMPTY : table.trimTo(start), start, stamps.size());
        }

        boolean has(Epoch epoch, int start) {
            return stamps.subList(start, stamps.size()).contains(epoch);
        }
    }

    @Test
    void theForkIsWhereTheStampsOfTheBytesPart() {
        int forks = 0;
        for (int seed = 0; seed < 20_000; seed++) {
            Random random = new Random(seed);
            List<Stamped> nodes = List.of(new Stamped(), new Stamped(), new Stamped());
            for (int i = 0; i < 14; i++) {
                Stamped node = nodes.get(random.nextInt(3));
                if (random.nextBoolean()) {
                    node.epoch(random);
                } else {
                    node.follow(nodes.get(random.nextInt(3)), random);
                }
            }
            Stamped mine = nodes.get(0);
            Stamped theirs = nodes.get(1);
            int myStart = start(mine, random);
            int theirStart = start(theirs, random);
            Step found = search(theirs.from(theirStart), mine.from(myStart));
            assertThat(found).as("seed %d", seed).isEqualTo(expected(mine, myStart, theirs, theirStart));
            forks += found instanceof Fork ? 1 : 0;
        }
        assertThat(forks).isGreaterThan(5_000);
    }

    private static int start(Stamped log, Random random) {
        return random.nextInt(3) == 0 ? random.nextInt(log.stamps.size() + 1) : 0;
    }

    private static Step expected(Stamped mine, int myStart, Stamped theirs, int theirStart) {
        if (mine.stamps.size() == myStart) {
            return new Fork(myStart);
        }
        int fork = mine.forkWith(theirs);
        if (fork == 0 || fork < myStart) {
            return new Apart();
        }
        Epoch common = mine.stamps.get(fork - 1);
        boolean known = mine.has(common, myStart) && theirs.has(common, theirStart);
        return known ? new Fork(fork) : new Apart();
    }
}
