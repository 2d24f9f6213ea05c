package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.call.Answer;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a leader takes its followers can take in. */
final class LargestUnitsTest {
    private final SteppedMembers members = new SteppedMembers(
            3,
            Map.of(
                    "maxMessageSize",
                    Integer.toString(12 << 20),
                    "mappedFileSizeCommitLog",
                    Integer.toString(64 << 20)));

    LargestUnitsTest() throws Exception {}

    /** R12-02: each message of a batch is stored with a head, so a batch of small ones is stored in more bytes than it was sent in. */
    @Test
    void aBatchThatNoFollowerTakesInIsRefusedAndTheGroupGoesOn() throws Exception {
        int master = members.master();
        members.createTopic(master, "T");

        Answer<?> batch = members.sendBatch(master, "T", 95_000, 100);

        assertThat(batch.code()).as(batch.remarkText()).isEqualTo(ResponseCode.MESSAGE_ILLEGAL);
        assertThat(batch.remarkText()).contains("maxMessageSize", "15 MiB");
        assertThat(members.send(master, "T", "one").code()).isZero();
        assertThat(members.bodies(master, "T", 0)).containsExactly("one");
    }
}
