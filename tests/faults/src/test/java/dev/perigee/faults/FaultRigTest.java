package dev.perigee.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.cluster.Contestant;
import dev.perigee.faults.fault.FaultKind;
import dev.perigee.faults.fault.Plan.Overlap;
import dev.perigee.faults.machine.Network;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** A few faults, so that every build shows that the rig works and that a lone broker and a pair keep what they promised. */
@Tag("full")
final class FaultRigTest {
    private static final List<FaultKind> KINDS =
            List.of(FaultKind.KILL, FaultKind.POWER_LOSS, FaultKind.UNPLUG, FaultKind.FULL_DISK);

    /** Every fault lasts a second at least. */
    private static final long FELT_MS = 800;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder;

    /** For a busy machine. */
    private static final int ELECTION_MS = 3_000;

    /** Lets a contestant have one fault of each kind, after which nothing that it promised may be missing. */
    private RunReport soundRun(Contestant contestant, long seed) throws Exception {
        return soundRun(contestant, seed, KINDS, Network::open);
    }

    private RunReport soundRun(Contestant contestant, long seed, List<FaultKind> kinds, Rig.Joining joining)
            throws Exception {
        RunReport report = new Rig(
                        new Rig.Settings(
                                contestant, "SYNC_FLUSH", seed, kinds.size(), kinds, Overlap.NONE, 0, ELECTION_MS),
                        joining,
                        folder)
                .run();
        System.out.println("faults: " + report.toJson());
        assertThat(report.findings().violations())
                .as(report.findings()::toString)
                .isEmpty();
        assertThat(report.trouble().helped()).as("started by hand").isZero();
        assertThat(report.acknowledged())
                .as("what was checked has all that was waited for")
                .isGreaterThanOrEqualTo((kinds.size() + 1L) * Rig.WELL);
        return report;
    }

    @Test
    void aLoneBrokerKeepsWhatItPromisedThroughFaults() throws Exception {
        RunReport report = soundRun(Contestant.PERIGEE_LONE, 20261201);
        assertThat(report.unavailableMs()).hasSize(KINDS.size());
        int fullDisks =
                report.kinds().getOrDefault(FaultKind.FULL_DISK.toString(), 0L).intValue();
        assertThat(report.unavailableMs())
                .filteredOn(awayMs -> awayMs > FELT_MS)
                .as("faults that were felt, of " + report.unavailableMs() + "; a disk may be full for nobody")
                .hasSizeGreaterThanOrEqualTo(KINDS.size() - fullDisks);
    }

    @Test
    void aPairKeepsWhatItPromisedThroughFaultsOfEither() throws Exception {
        soundRun(Contestant.PERIGEE_PAIR, 20261202);
    }

    @Test
    void aGroupKeepsWhatItPromisedThroughFaultsOfOneOfItsMembers() throws Exception {
        RunReport report = soundRun(
                Contestant.PERIGEE_GROUP_3,
                20261204,
                List.of(FaultKind.KILL, FaultKind.POWER_LOSS, FaultKind.PARTITION),
                Network::open);
        assertThat(report.ofGroup().targets()).hasSameSizeAs(report.unavailableMs());
    }

    @Test
    void whereNamespacesAreNotAllowedAPairIsHurtToo() throws Exception {
        RunReport report = soundRun(
                Contestant.PERIGEE_PAIR,
                20261203,
                List.of(FaultKind.KILL, FaultKind.UNPLUG, FaultKind.PARTITION),
                rig -> Network.loopback("a test"));
        assertThat(report.kinds())
                .as("a proxy does not know who speaks")
                .doesNotContainKey(FaultKind.PARTITION.toString());
    }
}
