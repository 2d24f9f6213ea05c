package dev.perigee.it.churn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.harness.campaign.Campaign;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** While members join, leave and are killed, nothing is lost, and orderly queues stay in order. */
final class ChurnTest {
    private static final Duration SLICE = Duration.ofSeconds(40);

    @TempDir
    private Path folder;

    @Test
    @Tag("full")
    void everythingIsConsumedAndInOrderWhileMembersComeGoAndAreKilled() throws Exception {
        ChurnReport report = new Churn(folder, 20261130, SLICE).run();
        System.out.println("churn: " + report.toJson());
        assertThat(report.violations()).isEmpty();
        assertThat(report.changes().kills()).as("kills").isGreaterThanOrEqualTo(2);
    }

    @Test
    @Tag("soak")
    void everythingIsConsumedAndInOrderInRunAfterRun() throws Exception {
        for (Campaign campaign = Campaign.ofSettings("churn"); campaign.hasTime(); ) {
            long seed = campaign.nextSeed();
            ChurnReport report = new Churn(folder.resolve("run-" + seed), seed, campaign.runLength()).run();
            campaign.append(report.toJson());
            assertThat(report.violations()).as("seed %d", seed).isEmpty();
        }
    }
}
