package dev.perigee.raft.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Groups of one to five voters under faults drawn from a seed keep the safety properties of Raft figure 3, acknowledge nothing that is not
 * confirmed, and work again when the faults are over.
 */
final class SimulationTest {
    private static final long FAULTS_MS = 3_000;
    private static final long MINUTE_MS = 60_000;

    @Test
    void aHundredGroupsKeepWhatTheyPromise() {
        Campaign campaign = new Campaign();

        campaign.run(1, 100, FAULTS_MS);

        assertThat(campaign.mixed())
                .as("seeds in which something of every kind went wrong")
                .isEqualTo(100);
        assertThat(campaign.elections()).isGreaterThan(200);
        assertThat(campaign.acknowledged()).isGreaterThan(1_000);
        assertThat(campaign.events().keySet()).as("what went wrong").containsExactly(Faults.Event.values());
    }

    @Tag("full")
    @Test
    void manyMoreGroupsKeepWhatTheyPromise() {
        Campaign campaign = new Campaign();

        campaign.run(1_000, 1_500, FAULTS_MS);

        System.out.println(campaign);
        assertThat(campaign.mixed()).isEqualTo(1_500);
        assertThat(campaign.elections()).isGreaterThan(5_000);
    }

    @Tag("full")
    @Test
    void groupsUnderAMinuteOfFaultsKeepWhatTheyPromise() {
        Campaign campaign = new Campaign();

        campaign.run(10_000, 20, MINUTE_MS);

        System.out.println(campaign);
        assertThat(campaign.mixed()).isEqualTo(20);
        assertThat(campaign.acknowledged()).isGreaterThan(1_000);
        assertThat(campaign.events().get(Faults.Event.MEMBERS)).isGreaterThan(60);
    }

    /** A storm that lets no change of members through by itself. */
    @Tag("full")
    @Test
    void membersChangeFromTheBeginningOfALongRunToItsEnd() {
        GroupRun.Result result = new GroupRun(1_600_000_017, 10 * MINUTE_MS).run();

        assertThat(result.isMixed()).isTrue();
        assertThat(result.tenthsWithChanges()).as("tenths of %s", result).isEqualTo(10);
    }

    /** {@code -Dsoak.results}, {@code -Dsoak.minutes}, {@code -Dsoak.seeds}: as those of docs/testing.md. */
    @Tag("soak")
    @Test
    void seedsNobodyTriedBeforeKeepWhatTheyPromise() throws IOException {
        LongCampaign campaign = new LongCampaign(Path.of(System.getProperty("soak.results", "target/soak")));

        int broken = campaign.run(Long.getLong("soak.minutes", 30), Long.getLong("soak.seeds", Integer.MAX_VALUE));

        assertThat(broken).as("seeds that broke").isZero();
    }

    /** Without this a seed is no proof of anything. */
    @Test
    void oneSeedHasOneCourse() {
        for (long seed = 1; seed <= 5; seed++) {
            assertThat(new GroupRun(seed, FAULTS_MS).run()).isEqualTo(new GroupRun(seed, FAULTS_MS).run());
        }
    }
}
