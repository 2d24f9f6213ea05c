package dev.perigee.broker.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.loop.Clock;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class AdmissionTest {
    private static final int LIMIT_MS = 200;

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
                .contains("201 ms", "200 ms");
    }
}
