package dev.perigee.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.cluster.Contestant;
import dev.perigee.faults.fault.FaultKind;
import dev.perigee.faults.fault.Plan.Overlap;
import dev.perigee.faults.history.Violation;
import dev.perigee.faults.machine.Network;
import dev.perigee.harness.campaign.Campaign;
import dev.perigee.harness.campaign.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Run after run of faults, contestant after contestant, with the same seeds for all of them; see docs/testing.md. System properties:
 *
 * <ul>
 *   <li>{@code faults.contestants}: names of {@link Contestant}s, {@code perigee-lone,stock-lone,stock-pair} unless set
 *   <li>{@code faults.perRun}: faults of each run, 10 unless set
 *   <li>{@code faults.flush}: SYNC_FLUSH unless set
 *   <li>{@code faults.kinds}: names of {@link FaultKind}s; all unless set
 *   <li>{@code faults.overlap}: none, one_node or minority; one_node unless set
 *   <li>{@code faults.calmSeconds}: how long a group has load and no fault at the begin of a run, 20 unless set
 *   <li>{@code faults.keepAboveMs}: what a run wrote stays beside the results when nothing arrived for so long in it, 6000 unless set; that of a run
 *       that failed stays always
 *   <li>{@code soak.minutes}, {@code soak.results}: as for every campaign
 * </ul>
 */
@Tag("soak")
final class FaultCampaignTest {
    private static final String ALL_KINDS =
            Arrays.stream(FaultKind.values()).map(FaultKind::toString).collect(Collectors.joining(","));

    /** What may be gone with what an ASYNC_MASTER alone had: counted then, and no failure. */
    private static final Set<Violation> WITHOUT_A_COPY = EnumSet.of(
            Violation.LOST, Violation.RECEIVED_AND_GONE, Violation.OFFSET_WENT_BACK, Violation.POSITION_REUSED);

    @Test
    void whatWasPromisedIsKeptInRunAfterRun() throws Exception {
        List<Contestant> contestants = Arrays.stream(
                        System.getProperty("faults.contestants", "perigee-lone,stock-lone,stock-pair")
                                .split(","))
                .map(Contestant::of)
                .toList();
        Campaign campaign = Campaign.ofSettings("faults");
        while (campaign.hasTime()) {
            for (Contestant contestant : contestants) {
                run(campaign, contestant);
            }
        }
        System.out.println(FaultTable.of(campaign.lines()) + "\n" + GroupTable.of(campaign.lines()));
    }

    private void run(Campaign campaign, Contestant contestant) throws IOException {
        String flush = System.getProperty("faults.flush", "SYNC_FLUSH");
        Rig.Settings settings = new Rig.Settings(
                contestant,
                flush,
                nextSeed(campaign, contestant, flush),
                Integer.getInteger("faults.perRun", 10),
                FaultKind.listOf(System.getProperty("faults.kinds", ALL_KINDS)),
                Overlap.valueOf(System.getProperty("faults.overlap", "one_node").toUpperCase(Locale.ROOT)),
                contestant.isGroup() ? Integer.getInteger("faults.calmSeconds", 20) : 0,
                0);
        Path home =
                Files.createTempDirectory(campaign.folder(), contestant + "-" + flush + "-" + settings.seed() + "-");
        RunReport report = new Rig(settings, Network::open, home).run();
        campaign.append(report.toJson());
        if (contestant.isOurs()) {
            Set<Violation> broken = EnumSet.noneOf(Violation.class);
            broken.addAll(report.findings().violations().keySet());
            if (contestant.isAsyncPair() && mayLose(flush, report.kinds().keySet())) {
                broken.removeAll(WITHOUT_A_COPY);
            }
            assertThat(broken)
                    .as(() -> settings + " in " + home + ": " + report.findings())
                    .isEmpty();
            assertThat(report.trouble().helped()).as("started by hand").isZero();
        }
        System.out.println("faults: " + contestant + " " + report.findings());
        if (longestMs(report) < Integer.getInteger("faults.keepAboveMs", 6_000)) {
            Folders.delete(home);
        } else {
            System.out.println(
                    "faults: nothing arrived for " + longestMs(report) + " ms; what was written stays in " + home);
        }
    }

    private static long longestMs(RunReport report) {
        return report.unavailableMs().stream().mapToLong(Long::longValue).max().orElse(0);
    }

    /** Whether what an asynchronous master acknowledged may be gone for good: with its machine, or with what its disk had not been given. */
    private static boolean mayLose(String flush, Set<String> kinds) {
        return kinds.contains(FaultKind.PROMOTE.toString())
                || (flush.equals("ASYNC_FLUSH") && kinds.contains(FaultKind.POWER_LOSS.toString()));
    }

    /** Every contestant has the seeds from 0 on, so that all had the same faults when they had as many runs. */
    private static long nextSeed(Campaign campaign, Contestant contestant, String flush) throws IOException {
        return campaign.lines().stream()
                .filter(line -> line.contains('"' + contestant.toString() + '"') && line.contains('"' + flush + '"'))
                .count();
    }
}
