package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.send.HalfListHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.transaction.HalfMessage;
import dev.perigee.protocol.transaction.HalfMessageList;
import dev.perigee.remoting.call.Answer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Halves that are to be set aside while the broker takes nothing but facts. */
class RefusedAsidesTest {
    private static final long SECOND_MS = 1_000;
    private static final int LARGE_BYTES = (4 << 20) - 1_000;
    /** More than one round of checks reads. */
    private static final int LARGE = 5;

    private final TransactionWorld world;

    RefusedAsidesTest() throws Exception {
        world = new TransactionWorld(Map.of(
                "mappedFileSizeCommitLog", Integer.toString(64 << 20), "maxMessageSize", Integer.toString(4 << 20)));
    }

    private void pass(int seconds) throws Exception {
        for (int i = 0; i < seconds; i++) {
            world.broker.pass(SECOND_MS);
            if (i % 30 == 0) {
                world.producer.heartbeat();
            }
        }
    }

    private List<String> undecided() throws Exception {
        Answer<NoHeader> answer = world.broker.run(world.broker.call(
                world.broker.client, Rpcs.LIST_HALF_MESSAGES, new HalfListHeader(null, null, -1, 10), null));
        return Json.read(answer.body(), HalfMessageList.class).halves().stream()
                .map(HalfMessage::uniqueKey)
                .toList();
    }

    @Test
    void areNotInFrontOfThoseThatAreToBeAskedForAndAreSetAsideWhenThereIsRoom() throws Exception {
        for (int i = 0; i < LARGE; i++) {
            world.producer.half(
                    "T",
                    "large" + i,
                    new byte[LARGE_BYTES],
                    "CHECK_IMMUNITY_TIME_IN_SECONDS=1;CHECK_INTERVAL_IN_SECONDS=10;CHECK_MAX_TIMES=1;");
        }
        world.producer.half("T", "small", "CHECK_IMMUNITY_TIME_IN_SECONDS=30;");
        pass(5);
        assertThat(world.producer.checks).hasSize(LARGE);
        world.producer.checks.clear();
        world.disk.freeBytes(1 << 20);
        assertThat(world.broker.sendWith("T", 0, "", "plain").code()).isZero(); // after it the broker looks for room
        pass(40);
        assertThat(undecided()).hasSize(LARGE + 1);
        assertThat(world.producer.checks)
                .extracting(check -> String.valueOf(check.header().msgId()))
                .containsExactly("small");
        long end = world.broker.broker.logEndOffset();
        pass(600);
        assertThat(world.broker.broker.logEndOffset() - end)
                .as("a few hundred bytes for each look, ever more seldom")
                .isLessThan(30_000);

        world.disk.freeBytes(world.disk.totalBytes());
        pass(310);
        assertThat(undecided()).doesNotContain("large0", "large1", "large2", "large3", "large4");
    }
}
