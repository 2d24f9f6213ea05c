package dev.perigee.client.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.listener.ConsumeObserver;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.listener.Outcome;
import dev.perigee.protocol.message.MessageExt;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Those who look on at a listener see each call begin and end, and change nothing by failing. */
@SuppressWarnings("NullAway") // a listener of a user may return null all the same
final class ConsumeObserverTest {
    /** One call as it was seen. */
    private record Seen(
            Object begun,
            @Nullable ConsumeResult result,
            Outcome outcome,
            long costMs,
            @Nullable Throwable failure) {}

    private final List<String> begun = new ArrayList<>();
    private final List<Seen> ended = new ArrayList<>();
    private final ConsumeObserver watching = new ConsumeObserver() {
        @Override
        public Object begun(String group, List<MessageExt> messages) {
            String name = group + " " + messages.get(0).bodyText() + " " + messages.size();
            begun.add(name);
            return name;
        }

        @Override
        public void ended(
                Object what,
                @Nullable ConsumeResult result,
                Outcome outcome,
                long costMs,
                @Nullable Throwable failure) {
            ended.add(new Seen(what, result, outcome, costMs, failure));
        }
    };
    private final ConsumeObserver failing = new ConsumeObserver() {
        @Override
        public Object begun(String group, List<MessageExt> messages) {
            throw new NoClassDefFoundError("a library that is not there");
        }

        @Override
        public void ended(
                Object what,
                @Nullable ConsumeResult result,
                Outcome outcome,
                long costMs,
                @Nullable Throwable failure) {
            throw new IllegalStateException("never begun");
        }
    };
    private ConsumerWorld all;

    @BeforeEach
    void oneBrokerWithOneQueue() throws Exception {
        all = new ConsumerWorld(1);
        all.broker.answerSendBack(0);
    }

    /** A call of a listener that takes 250 ms and then does this. */
    private interface End {
        @Nullable
        ConsumeResult end() throws Exception;
    }

    private Seen seen(End end) {
        all.append(0, "m");
        all.start(all.builder("c").observer(failing).observer(watching).listener(messages -> {
            all.world.clock().advanceMs(250);
            return end.end();
        }));
        all.callNext();
        assertThat(begun).containsExactly("g m 1");
        assertThat(ended).hasSize(1);
        assertThat(ended.get(0).begun).isSameAs(begun.get(0)).isEqualTo("g m 1");
        assertThat(ended.get(0).costMs).isEqualTo(250);
        return ended.get(0);
    }

    @Test
    void aCallThatSucceedsIsSeen() {
        Seen seen = seen(() -> ConsumeResult.SUCCESS);
        assertThat(seen.result).isEqualTo(ConsumeResult.SUCCESS);
        assertThat(seen.outcome.finished()).isEqualTo(1);
        assertThat(seen.failure).isNull();
        all.run(6_000, 1_000);
        assertThat(all.broker.offsets()).containsEntry("g@T@0", 1L);
    }

    @Test
    void aCallThatComesToNothingIsSeen() {
        Seen seen = seen(() -> null);
        assertThat(seen.result).isNull();
        assertThat(seen.outcome.isSuccess()).isFalse();
        assertThat(seen.failure).isNull();
        assertThat(all.broker.sendBacks()).isEqualTo(1);
    }

    @Test
    void whatACallThrowsIsSeen() {
        IllegalStateException thrown = new IllegalStateException("expected by the test");
        Seen seen = seen(() -> {
            throw thrown;
        });
        assertThat(seen.result).isNull();
        assertThat(seen.failure).isSameAs(thrown);
        assertThat(all.broker.sendBacks()).isEqualTo(1);
    }

    @Test
    void anOrderlyCallIsSeenToo() {
        all.append(0, "m");
        all.start(all.builder("c").observer(watching).orderlyListener(messages -> ConsumeResult.LATER));
        all.callNext();
        assertThat(begun).containsExactly("g m 1");
        assertThat(ended.get(0).result).isEqualTo(ConsumeResult.LATER);
    }

    /** Looks on and says when; then throws an error of any kind at the given point. */
    private ConsumeObserver failingAt(String name, boolean atBegin, boolean atEnd) {
        return new ConsumeObserver() {
            @Override
            public Object begun(String group, List<MessageExt> messages) {
                begun.add(name);
                if (atBegin) {
                    throw new StackOverflowError("expected by the test");
                }
                return name;
            }

            @Override
            public void ended(
                    Object what,
                    @Nullable ConsumeResult result,
                    Outcome outcome,
                    long costMs,
                    @Nullable Throwable failure) {
                ended.add(new Seen(what, result, outcome, costMs, failure));
                if (atEnd) {
                    throw new AssertionError("expected by the test");
                }
            }
        };
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noErrorOfAnObserverStopsAQueueAndTheLastToBeginIsTheFirstToEnd(boolean isOrderly) {
        all.append(0, "m");
        var builder = all.builder("c")
                .observer(failingAt("1", false, true))
                .observer(failingAt("2", true, false))
                .observer(failingAt("3", false, true))
                .observer(failingAt("4", false, false));
        all.start(
                isOrderly
                        ? builder.orderlyListener(messages -> ConsumeResult.SUCCESS)
                        : builder.listener(messages -> ConsumeResult.SUCCESS));
        all.callNext();
        assertThat(begun).containsExactly("1", "2", "3", "4");
        assertThat(ended).extracting(Seen::begun).containsExactly("4", "3", "1");
        all.run(6_000, 1_000);
        assertThat(all.broker.offsets()).containsEntry("g@T@0", 1L);
    }
}
