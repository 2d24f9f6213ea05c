package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.offset.QueueHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the master of a group lets go because it has expired goes at the other members as well, and whoever leads next has the rest (R17). */
final class RetentionOfGroupTest {
    private static final int SEGMENT_BYTES = 1 << 20;
    private static final int BODY_BYTES = 60_000;
    /** More than two segments. */
    private static final int MANY = 50;

    private static final long EXPIRED_MS = 100L * 3_600_000;

    private SteppedMembers members;
    private int sent;

    @BeforeEach
    void start() throws Exception {
        members = new SteppedMembers(3, Map.of());
        int master = members.master();
        members.createTopic(master, "T");
        send(master);
        members.until(() -> IntStream.range(0, 3).allMatch(each -> members.isLevel(each, master)));
    }

    private void send(int master) throws Exception {
        String filling = "x".repeat(BODY_BYTES);
        for (int i = 0; i < MANY; i++) {
            assertThat(members.send(master, "T", "m" + sent++ + filling).code()).isZero();
        }
    }

    private long startOf(int index) {
        return members.broker(index).log().startOffset();
    }

    /** All that was there expires, and what is sent after that does not; gives who is the master then. */
    private int trim() throws Exception {
        members.clock.nowMs += EXPIRED_MS;
        members.pass(20); // whoever led has stood still
        int master = members.master();
        send(master);
        assertThat(members.get(members.call(master, Rpcs.DELETE_EXPIRED_COMMITLOG, NoHeader.NONE, null))
                        .code())
                .isZero();
        members.until(() -> startOf(master) >= 2 * SEGMENT_BYTES);
        return master;
    }

    private void untilTrimmedAlike(int master, int other) {
        members.until(() -> members.isLevel(other, master) && startOf(other) == startOf(master));
    }

    private long minOffset(int index) throws Exception {
        return members.get(members.call(index, Rpcs.GET_MIN_OFFSET, new QueueHeader("T", 0), null))
                .require()
                .offset();
    }

    @Test
    void theOthersLetTheSameGoAlsoOneThatWasDown() throws Exception {
        int down = members.others(members.master()).get(0);
        members.kill(down);
        int master = trim();
        int there = members.others(master).stream()
                .filter(other -> other != down)
                .findFirst()
                .orElseThrow();
        untilTrimmedAlike(master, there);

        members.start(down);

        assertThat(startOf(down)).as("it has all it had").isZero();
        untilTrimmedAlike(master, down);
    }

    @Test
    void theNextMasterHasWhatIsLeftAndGoesOnBehindIt() throws Exception {
        int first = trim();
        for (int other : members.others(first)) {
            untilTrimmedAlike(first, other);
        }
        long min = minOffset(first);
        assertThat(min).isPositive();
        long start = startOf(first);

        members.kill(first);
        int second = members.master();

        assertThat(startOf(second)).isEqualTo(start);
        assertThat(minOffset(second)).isEqualTo(min);
        Answer<PullMessageResponse> pulled = members.get(members.pull(second, "T", min, 0));
        assertThat(pulled.code()).as(pulled.remarkText()).isZero();
        assertThat(TestBroker.bodies(pulled).get(0)).startsWith("m" + min + "x");
        assertThat(members.send(second, "T", "next").require().queueOffset()).isEqualTo(2L * MANY);
    }
}
