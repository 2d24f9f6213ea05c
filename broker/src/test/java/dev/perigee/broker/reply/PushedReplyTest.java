package dev.perigee.broker.reply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.transport.Payload;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Who replied hears of a success whatever becomes of the stored copy. */
class PushedReplyTest {
    private static final SendMessageResponse NOT_STORED =
            new SendMessageResponse("0", 3, 0, null, null, null, "R", null);

    private final List<String> answers = new ArrayList<>();
    private final PushedReply pushed = new PushedReply(
            new Reply<>() {
                @Override
                public void send(
                        int code,
                        @Nullable String remark,
                        @Nullable SendMessageResponse header,
                        @Nullable Payload body) {
                    answers.add(code + " " + (header == null ? null : header.msgId()));
                }

                @Override
                public void failed(RuntimeException cause) {
                    answers.add("failed " + cause.getMessage());
                }

                @Override
                public void resume(Runnable step) {
                    step.run();
                }
            },
            NOT_STORED);

    @Test
    void aStoredCopyIsNamed() {
        pushed.ok(new SendMessageResponse("ID", 3, 7, null, null, null, "R", null));
        assertThat(answers).containsExactly("0 ID");
    }

    @Test
    void aRefusedCopyIsASuccessWithoutOne() {
        pushed.fail(ResponseCode.SERVICE_NOT_AVAILABLE, "the disk is full");
        assertThat(answers).containsExactly("0 0");
    }

    @Test
    void storingThatThrowsIsASuccessWithoutACopy() {
        pushed.guard(() -> {
            throw new IllegalStateException("expected by the test");
        });
        assertThat(answers).containsExactly("0 0");
    }
}
