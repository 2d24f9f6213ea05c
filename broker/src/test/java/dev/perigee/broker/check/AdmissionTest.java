package dev.perigee.broker.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.frame.FieldCursor;
import dev.perigee.protocol.frame.Language;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.RequestCode;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.Gate;
import dev.perigee.remoting.Request;
import java.nio.ByteBuffer;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AdmissionTest {
    private static final int LIMIT_MS = 200;
    private static final int OTHER_LIMIT_MS = 5_000;

    private final AtomicLong nowMs = new AtomicLong(1_000_000);
    private final AtomicBoolean busy = new AtomicBoolean();
    private final Admission admission = new Admission(
            new Clock() {
                @Override
                public long wallMs() {
                    return nowMs.get();
                }

                @Override
                public long monotonicNs() {
                    return nowMs.get() * 1_000_000;
                }
            },
            BrokerConfig.read(new Properties()).sending(),
            busy::get);

    @Test
    void aLateSendIsServedWhileNothingQueues() {
        assertThat(admission.overdueSendMs(nowMs.get() - 10 * LIMIT_MS)).isZero();
    }

    @Test
    void aLateSendIsRefusedWhileTheInboxIsLong() {
        busy.set(true);

        assertThat(admission.overdueSendMs(nowMs.get() - LIMIT_MS)).isZero();
        assertThat(admission.overdueSendMs(nowMs.get() - LIMIT_MS - 1)).isEqualTo(LIMIT_MS + 1);
        assertThat(admission.overdueSendText(LIMIT_MS + 1))
                .startsWith("[TIMEOUT_CLEAN_QUEUE]")
                .contains("waited 201 ms", "limit waitTimeMillsInSendQueue=200 ms");
    }

    @Test
    void anyOtherRequestIsServedUpToItsLimitAndRefusedBeyondItWhileTheInboxIsLong() {
        busy.set(true);

        assertThat(admission.check(waited(RequestCode.QUERY_CONSUMER_OFFSET, OTHER_LIMIT_MS)))
                .isNull();
        assertThat(admission.check(waited(RequestCode.QUERY_CONSUMER_OFFSET, OTHER_LIMIT_MS + 1)))
                .isEqualTo(new Gate.Refusal(
                        ResponseCode.SYSTEM_BUSY,
                        "[TIMEOUT_CLEAN_QUEUE]broker busy: the request waited 5001 ms before its handler ran, limit"
                                + " waitTimeMillsInPullQueue=5000 ms"));
    }

    @Test
    void aLateRequestIsServedWhileNothingQueues() {
        assertThat(admission.check(waited(RequestCode.PULL_MESSAGE, 10 * OTHER_LIMIT_MS)))
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {RequestCode.SEND_MESSAGE, RequestCode.SEND_MESSAGE_V2, RequestCode.SEND_BATCH_MESSAGE})
    void sendsAreLeftToTheirHandler(int code) {
        busy.set(true);

        assertThat(admission.check(waited(code, 10 * OTHER_LIMIT_MS))).isNull();
    }

    private Request<NoHeader> waited(int code, long ms) {
        return new Arrived(code, nowMs.get() - ms);
    }

    /** A request without header and body, of which only code and time matter. */
    private record Arrived(int code, long arrivedMs) implements Request<NoHeader> {
        @Override
        public NoHeader header() {
            return NoHeader.NONE;
        }

        @Override
        public FieldCursor fields() {
            throw new UnsupportedOperationException("admission does not look at the header");
        }

        @Override
        public ByteBuffer body() {
            return ByteBuffer.allocate(0);
        }

        @Override
        public byte[] copyBody() {
            return new byte[0];
        }

        @Override
        public Connection from() {
            throw new UnsupportedOperationException("admission does not look at the connection");
        }

        @Override
        public int version() {
            return 0;
        }

        @Override
        public Language language() {
            return Language.JAVA;
        }

        @Override
        public boolean oneway() {
            return false;
        }
    }
}
