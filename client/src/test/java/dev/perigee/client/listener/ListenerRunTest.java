package dev.perigee.client.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A call whose outcome cannot be handed on is still told of to those who look on. */
final class ListenerRunTest {
    private static final InetSocketAddress HOST = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    private static final MessageExt MESSAGE =
            new MessageExt(Message.of("T", "m"), "a", 0, 0, 0, 100, 0, 0, HOST, 0, HOST, 0, 0, 0);

    private final List<Outcome> seen = new ArrayList<>();
    private final ConsumeObserver observer = new ConsumeObserver() {
        @Override
        public Object begun(String group, List<MessageExt> messages) {
            return group;
        }

        @Override
        public void ended(
                Object begun,
                @Nullable ConsumeResult result,
                Outcome outcome,
                long costMs,
                @Nullable Throwable failure) {
            seen.add(outcome);
        }
    };

    @Test
    void observersAreToldAlsoWhenTheOutcomeCannotBeHandedOn() {
        ListenerRun run = new ListenerRun(
                (messages, context) -> ConsumeResult.SUCCESS,
                "g",
                FailurePolicy.DEFAULT,
                Clock.system(),
                new ConsumeCounters(),
                new ConsumeObservers(List.of(observer)));
        assertThatThrownBy(() -> run.run(new MessageQueue("T", "a", 0), List.of(MESSAGE), outcome -> {
                    throw new IllegalStateException("the loop has stopped");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(seen).hasSize(1);
    }
}
