package dev.perigee.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.compat.PerigeeProcess;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.send.SendBackHeader;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.MessageDecoder;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.netty.EventLoops;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages that wait for their retry while the broker is killed come in their time, all of them, and once. */
@Tag("full")
final class RetriesSurviveSigkillTest {
    private static final int MESSAGES = 20;
    private static final String GROUP = "TOOLS_CONSUMER";
    private static final String RETRIES = "%RETRY%" + GROUP;
    private static final String DEAD = "%DLQ%" + GROUP;
    private static final long CALL_MS = 10_000;

    /** Level n waits n seconds. */
    private static final String LEVELS =
            IntStream.rangeClosed(1, MESSAGES).mapToObj(i -> i + "s").collect(Collectors.joining(" "));

    @TempDir
    private Path folder;

    private final EventLoops loops = EventLoops.start("retries", 1);
    private final RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, loops, Clock.system());
    private final Map<String, Long> notBeforeMs = new HashMap<>();

    @Test
    void twentyRetriesComeInTheirTimeThoughTheBrokerIsKilledTwice() throws Exception {
        try (PerigeeProcess names = PerigeeProcess.namesrv(folder.resolve("names"));
                PerigeeProcess broker = PerigeeProcess.broker(
                        folder.resolve("broker"), names.target().namesrv(), Map.of("messageDelayLevel", LEVELS))) {
            String address = broker.target().broker();
            for (int level = 1; level <= MESSAGES; level++) {
                fail(address, "m" + level, level);
            }
            sendBack(address, send(address, "dead"), -1);
            broker.kill();
            broker.start();
            Awaitility.await("some retries")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> contents(address, RETRIES).size() >= MESSAGES / 2);
            broker.kill();
            broker.start();
            Awaitility.await("all retries")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> contents(address, RETRIES).size() >= MESSAGES);
            List<MessageExt> retries = contents(address, RETRIES);
            assertThat(retries)
                    .extracting(MessageExt::bodyText)
                    .doesNotHaveDuplicates()
                    .containsExactlyInAnyOrderElementsOf(notBeforeMs.keySet());
            for (MessageExt retry : retries) {
                assertThat(retry.storeTimestampMs())
                        .as("store time of %s", retry.bodyText())
                        .isGreaterThanOrEqualTo(Objects.requireNonNull(notBeforeMs.get(retry.bodyText())));
                assertThat(retry.reconsumeTimes()).isEqualTo(1);
                assertThat(retry.properties()).containsEntry("RETRY_TOPIC", "failing");
            }
            assertThat(contents(address, DEAD)).extracting(MessageExt::bodyText).containsExactly("dead");
        } finally {
            client.close();
            loops.close();
        }
    }

    private void fail(String address, String body, int level) throws Exception {
        long offset = send(address, body);
        notBeforeMs.put(body, System.currentTimeMillis() + 1_000L * level);
        sendBack(address, offset, level);
    }

    private <Q extends Record, R extends Record> Answer<R> call(String address, Rpc<Q, R> rpc, Q header, byte[] body)
            throws Exception {
        return client.callBlocking(address, rpc, header, body, Deadline.after(Clock.system(), CALL_MS));
    }

    private long send(String address, String body) throws Exception {
        SendMessageHeader header = new SendMessageHeader(
                "p", "failing", "TBW102", 1, 0, 0, 1, 0, PropertyText.EMPTY, 0, false, -1, false, null);
        Answer<SendMessageResponse> answer =
                call(address, Rpcs.SEND_MESSAGE_V2, header, body.getBytes(StandardCharsets.UTF_8));
        return MessageId.parse(Objects.requireNonNull(answer.require().msgId())).physicalOffset();
    }

    private void sendBack(String address, long offset, int level) throws Exception {
        SendBackHeader header = new SendBackHeader(offset, GROUP, level, null, "failing", false, null, null);
        assertThat(call(address, Rpcs.CONSUMER_SEND_MSG_BACK, header, new byte[0])
                        .code())
                .isZero();
    }

    private List<MessageExt> contents(String address, String topic) throws Exception {
        List<MessageExt> all = new ArrayList<>();
        while (true) {
            PullMessageHeader header =
                    new PullMessageHeader(GROUP, topic, 0, all.size(), 32, 4, 0, 0, "*", 0, "TAG", 0, 0, null, null);
            Answer<?> answer = call(address, Rpcs.PULL_MESSAGE, header, new byte[0]);
            if (answer.code() != 0) {
                return all;
            }
            all.addAll(MessageDecoder.decodeAll(ByteBuffer.wrap(answer.body()), "broker-a"));
        }
    }
}
