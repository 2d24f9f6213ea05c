package dev.perigee.remoting.netty;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

final class AcceptFaultsTest {
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final EmbeddedChannel port = new EmbeddedChannel(new AcceptFaults());

    @BeforeEach
    void listen() {
        log.start();
        logger().addAppender(log);
        port.freezeTime();
    }

    @AfterEach
    void stopListening() {
        logger().detachAppender(log);
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger(AcceptFaults.class);
    }

    private void fail(int times) {
        for (int i = 0; i < times; i++) {
            port.pipeline().fireExceptionCaught(new IOException("Too many open files"));
        }
    }

    private List<String> lines() {
        return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void failuresThatComeEverySecondAreOneLineAMinute() {
        fail(50);
        assertThat(lines()).singleElement().asString().contains("event=accept_failed", "Too many open files");
        port.advanceTimeBy(AcceptFaults.QUIET_MS, TimeUnit.MILLISECONDS);
        port.runScheduledPendingTasks();
        assertThat(lines()).hasSize(2).last().asString().contains("event=accept_failures", "count=49");
        fail(1);
        assertThat(lines()).hasSize(3);
        port.checkException(); // nothing reached the end of the line, where netty writes a line for each
    }
}
