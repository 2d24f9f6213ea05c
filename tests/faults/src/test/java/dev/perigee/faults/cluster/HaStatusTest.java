package dev.perigee.faults.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class HaStatusTest {
    private static HaStatus read(String slaves) {
        return HaStatus.read("{\"inSyncSlaveNums\":1,\"haConnectionInfo\":" + slaves + "}");
    }

    @Test
    void aSlaveInSyncThatIsNearTheEndIsLevel() {
        assertThat(read("[{\"diff\":1000,\"inSync\":true}]").isLevel()).isTrue();
        assertThat(read("[{\"diff\":9,\"inSync\":false},{\"diff\":0,\"inSync\":true}]")
                        .isLevel())
                .isTrue();
    }

    @Test
    void oneThatIsFarBehindOrNotInSyncOrNotThereIsNot() {
        assertThat(read("[{\"diff\":1000000,\"inSync\":true}]").isLevel()).isFalse();
        assertThat(read("[{\"diff\":0,\"inSync\":false}]").isLevel()).isFalse();
        assertThat(read("[]").isLevel()).isFalse();
        assertThat(read("null").isLevel()).isFalse();
    }
}
