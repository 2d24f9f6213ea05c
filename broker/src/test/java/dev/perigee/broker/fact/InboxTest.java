package dev.perigee.broker.fact;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.fact.TopicDeleted;
import dev.perigee.store.append.AppendResult;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InboxTest {
    private final List<String> done = new ArrayList<>();
    private final Inbox inbox = new Inbox("test", () -> done.add("wake"));

    private static void fail() {
        throw new IllegalStateException("a task that fails");
    }

    @Test
    void aTaskThatFailsEndsNeitherTheLoopNorTheTasksBehindIt() {
        inbox.post(() -> done.add("first"));
        inbox.post(InboxTest::fail);
        inbox.post(() -> done.add("third"));
        assertThat(inbox.run(2)).isEqualTo(2);
        assertThat(done).containsExactly("wake", "wake", "wake", "first");
        assertThat(inbox.run(2)).isEqualTo(1);
        assertThat(done).endsWith("third");
        inbox.guard(InboxTest::fail);
        assertThat(inbox.run(2)).isZero();
    }

    @Test
    void anAppendThatThrowsIsToldToItsListener() {
        FactAppender broken = (fact, listener) -> fail();
        broken.appendGuarded(new TopicDeleted("T"), (result, endOffset) -> {
            assertThat(endOffset).isNegative();
            done.add(result.toString());
        });
        assertThat(done).containsExactly(AppendResult.OUTCOME_UNKNOWN.toString());
    }
}
