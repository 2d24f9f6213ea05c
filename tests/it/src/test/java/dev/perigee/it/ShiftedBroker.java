package dev.perigee.it;

import dev.perigee.broker.Broker;
import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.loop.Clock;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;

/** A broker in a JVM of its own whose clock on the wall is ahead: what takes an hour is seen in a restart. Ends by a kill only. */
public final class ShiftedBroker {
    private ShiftedBroker() {}

    /** Seconds ahead, and a file of settings, {@code key=value} each line. */
    public static void main(String[] args) throws Exception {
        long shiftMs = Duration.ofSeconds(Long.parseLong(args[0])).toMillis();
        Properties settings = new Properties();
        try (Reader file = Files.newBufferedReader(Path.of(args[1]))) {
            settings.load(file);
        }
        try (Broker broker = new Broker(BrokerConfig.read(settings), new Shifted(shiftMs))) {
            broker.start();
            new CountDownLatch(1).await();
        }
    }

    private record Shifted(long shiftMs) implements Clock {
        @Override
        public long wallMs() {
            return Clock.system().wallMs() + shiftMs;
        }

        @Override
        public long monotonicNs() {
            return Clock.system().monotonicNs();
        }
    }
}
