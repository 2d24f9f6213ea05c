package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.perigee.broker.check.TextLimits;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.client.ProducerData;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.netty.EventLoops;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What a client may keep in the broker's memory is limited, with an answer that says so on a connection that stays. */
class LimitsOnTheWireTest {
    @TempDir
    Path folder;

    private static PullMessageHeader pull(String subscription, @Nullable String brokerName, long suspendMs) {
        return new PullMessageHeader(
                "g",
                "T",
                0,
                0,
                32,
                4 | (suspendMs > 0 ? 2 : 0),
                0,
                suspendMs,
                subscription,
                0,
                "TAG",
                0,
                0,
                null,
                brokerName);
    }

    private static String waitingPulls(TestBroker broker) throws Exception {
        Answer<?> info = broker.call(Rpcs.GET_BROKER_RUNTIME_INFO, NoHeader.NONE, null);
        Matcher waiting =
                Pattern.compile("\"pullWaiting\":\"(\\d+)\"").matcher(new String(info.body(), StandardCharsets.UTF_8));
        assertThat(waiting.find()).isTrue();
        return waiting.group(1);
    }

    @Test
    void aSubscriptionThatIsTooLongIsRefusedByFieldValueAndLimit() throws Exception {
        int limit = TextLimits.MAX_EXPRESSION_LENGTH;
        try (TestBroker broker = new TestBroker(folder, Map.of())) {
            assertThat(broker.send("T", 0, "x").code()).isZero();
            Answer<?> tooLong = broker.call(Rpcs.PULL_MESSAGE, pull("t".repeat(limit + 1), null, 60_000), null);
            assertThat(tooLong.code()).isEqualTo(ResponseCode.SUBSCRIPTION_PARSE_FAILED);
            assertThat(tooLong.remark()).contains("subscription", "" + (limit + 1), "limit " + limit);
            Answer<?> name = broker.call(Rpcs.PULL_MESSAGE, pull("*", "b".repeat(1_025), 60_000), null);
            assertThat(name.code()).isEqualTo(ResponseCode.INVALID_PARAMETER);
            assertThat(name.remark()).contains("bname", "1025", "limit 1024");
            assertThat(broker.call(Rpcs.PULL_MESSAGE, pull("t".repeat(limit), null, 0), null)
                            .code())
                    .isEqualTo(ResponseCode.PULL_RETRY_IMMEDIATELY);
            assertThat(TestBroker.bodies(broker.call(Rpcs.PULL_MESSAGE, pull("*", null, 0), null)))
                    .containsExactly("x");
        }
    }

    @Test
    void aHeartbeatWithATextTooLongIsRefusedByFieldValueAndLimit() throws Exception {
        try (TestBroker broker = new TestBroker(folder, Map.of())) {
            HeartbeatData data =
                    new HeartbeatData("c".repeat(1_025), Set.of(new ProducerData("p")), Set.of(), 0, false);
            Answer<?> refused = broker.call(Rpcs.HEART_BEAT, NoHeader.NONE, Json.write(data));
            assertThat(refused.code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
            assertThat(refused.remark()).contains("clientID", "1025", "limit 1024");
        }
    }

    @Test
    void aConsumerThatLeftWithAParkedPullDoesNotHoldUpACleanStop() throws Exception {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(CleanStop.class);
        logger.addAppender(log);
        try (TestBroker broker = new TestBroker(folder, Map.of());
                EventLoops loops = EventLoops.start("consumer", 1)) {
            assertThat(broker.send("T", 0, "x").code()).isZero();
            RemotingClient consumer = new RemotingClient(ClientConfig.DEFAULT, loops, Clock.system());
            PullMessageHeader header = TestBroker.pullHeader("g", "T", 0, 1, 60_000);
            CompletableFuture<?> parked = consumer.call(
                    broker.address, Rpcs.PULL_MESSAGE, header, null, Deadline.after(Clock.system(), 60_000));
            await().atMost(ONE_MINUTE).until(() -> waitingPulls(broker).equals("1"));
            consumer.close();
            await().atMost(ONE_MINUTE).until(() -> waitingPulls(broker).equals("0"));
            assertThat(parked).failsWithin(ONE_MINUTE);
        } finally {
            logger.detachAppender(log);
        }
        assertThat(log.list).noneMatch(event -> event.getFormattedMessage().contains("requests_left"));
    }
}
