package dev.perigee.raft.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Groups of one to five voters under faults drawn from a seed keep the safety properties of Raft figure 3, acknowledge nothing that is not
 * confirmed, and work again when the faults are over.
 */
final class SimulationTest {
    private static final long FAULTS_MS = 3_000;

    @Test
    void aHundredGroupsKeepWhatTheyPromise() {
        Campaign campaign = new Campaign();

        campaign.run(1, 100, FAULTS_MS);

        assertThat(campaign.elections()).isGreaterThan(200);
        assertThat(campaign.acknowledged()).isGreaterThan(1_000);
        assertThat(campaign.events().keySet()).as("what went wrong").containsExactly(GroupRun.Event.values());
    }

    @Tag("full")
    @Test
    void thousandsOfGroupsKeepWhatTheyPromise() {
        Campaign campaign = new Campaign();

        campaign.run(1_000, 4_000, FAULTS_MS);
        campaign.run(10_000, 50, 60_000);

        System.out.println(campaign);
        assertThat(campaign.elections()).isGreaterThan(10_000);
    }

    /** Without this a seed is no proof of anything. */
    @Test
    void oneSeedHasOneCourse() {
        for (long seed = 1; seed <= 5; seed++) {
            assertThat(new GroupRun(seed, FAULTS_MS).run()).isEqualTo(new GroupRun(seed, FAULTS_MS).run());
        }
    }
}
