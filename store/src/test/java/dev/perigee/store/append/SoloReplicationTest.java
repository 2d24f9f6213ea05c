package dev.perigee.store.append;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class SoloReplicationTest {
    @Test
    void aFlushOfAnOlderGenerationIsDropped() {
        SoloReplication replication = new SoloReplication(FlushMode.SYNC);
        replication.recovered(3, 1000);
        replication.appended(1100);
        replication.flushed(2, 1100);
        assertThat(replication.confirmOffset()).isEqualTo(1000);
        replication.flushed(3, 1100);
        assertThat(replication.confirmOffset()).isEqualTo(1100);
    }

    @Test
    void asynchronousFlushConfirmsWhatIsAppended() {
        SoloReplication replication = new SoloReplication(FlushMode.ASYNC);
        replication.recovered(0, 10);
        replication.appended(20);
        assertThat(replication.confirmOffset()).isEqualTo(20);
    }
}
