package dev.perigee.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.cluster.Contestant;
import dev.perigee.faults.fault.FaultKind;
import dev.perigee.faults.fault.Plan;
import dev.perigee.faults.fault.Plan.Overlap;
import dev.perigee.faults.history.Checker;
import dev.perigee.faults.history.History;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class FaultTableTest {
    private static String run(Contestant contestant, History history, int deaths, Long... unavailableMs) {
        List<FaultKind> kinds = List.of(FaultKind.KILL, FaultKind.UNPLUG);
        Rig.Settings settings = new Rig.Settings(contestant, "SYNC_FLUSH", 3, 4, kinds, Overlap.NONE, 0, 0);
        return new RunReport(
                        settings,
                        "a machine",
                        RunReport.kindsOf(Plan.draw(3, 4, kinds, 1, Overlap.NONE)),
                        history.acknowledged().size(),
                        Checker.check(history),
                        List.of(unavailableMs),
                        RunReport.OfGroup.NONE,
                        new RunReport.Trouble(deaths, 0, deaths + 1),
                        60)
                .toJson();
    }

    private static History history(String... lines) {
        return History.of(Stream.of(lines));
    }

    @Test
    void runsOfOneContestantAreOneRow() {
        History well = history("send 0 0 SEND_OK 0 0 1 2", "receive 0 0 0-0 3", "receive 0 0 0-0 4", "stored 0 0 0-0");
        History ill = history("send 0 0 SEND_OK 0 0 1 2", "query 0 5 1 1", "query 0 4 2 2");
        assertThat(FaultTable.of(List.of(
                        run(Contestant.PERIGEE_LONE, well, 0, 10L, 20L),
                        run(Contestant.STOCK_LONE, ill, 2, 700L),
                        run(Contestant.PERIGEE_LONE, well, 0, 30L, 40L))))
                .contains("| perigee-lone | SYNC_FLUSH | 2 | 8 | 2 | 0 | 0 | 1000000 | 20 | 40 | 40 | 0 | 0 | 2 |")
                .contains(
                        "| stock-lone | SYNC_FLUSH | 1 | 4 | 1 | 1 | {OFFSET_WENT_BACK=1} | 0 | 700 | 700 | 700 | 2 | 0 | 3 |");
    }

    @Test
    void percentilesAreValuesThatOccurred() {
        History none = history();
        Long[] gaps = LongStream.rangeClosed(1, 200).boxed().toArray(Long[]::new);
        assertThat(FaultTable.of(List.of(run(Contestant.STOCK_PAIR, none, 0, gaps))))
                .contains("| 100 | 198 | 200 |");
    }
}
