package dev.perigee.broker.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.topic.RouteWaits;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.transport.Payload;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class OpenWritesTest {
    private final OpenWrites open = new OpenWrites();
    private final List<Integer> answers = new ArrayList<>();
    private final Reply<NoHeader> client = new Reply<>() {
        @Override
        public void send(int code, @Nullable String remark, @Nullable NoHeader header, @Nullable Payload body) {
            answers.add(code);
        }

        @Override
        public void failed(RuntimeException cause) {
            throw cause;
        }

        @Override
        public void resume(Runnable step) {
            step.run();
        }
    };

    @Test
    void oneIsOpenUntilItIsAnswered() {
        open.begin();
        Reply<NoHeader> reply = open.counted(client);
        assertThat(open.isNone()).isFalse();
        reply.ok(NoHeader.NONE);
        assertThat(open.isNone()).isTrue();
        reply.ok(NoHeader.NONE);
        assertThat(open.isNone()).as("counted once").isTrue();
    }

    /** R7-20: a NameServer is slow, and a transfer must not wait for it. */
    @Test
    void whatIsDoneAndWaitsForNameServersOnlyIsNotOpen() {
        RouteWaits routes = new RouteWaits(10, () -> {});
        open.begin();
        routes.holding(open.counted(client)).ok(NoHeader.NONE);

        assertThat(answers).isEmpty();
        assertThat(open.isNone()).isTrue();
        routes.begin(1, 0);
        routes.release(1);
        assertThat(answers).containsExactly(0);
        assertThat(open.isNone()).isTrue();
    }
}
