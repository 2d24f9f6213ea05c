package dev.perigee.client.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.fake.FakeNameServer;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.route.QueueData;
import dev.perigee.protocol.route.TopicRouteData;
import dev.perigee.remoting.netty.EventLoops;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A broker that answers questions nobody asked, before it answers those that were. */
final class ForeignAnswersTest {
    private static final int OPAQUE_AT = 5; // behind code, language and version of a binary header
    private static final long TIMEOUT_MS = 60_000;

    private final EventLoops loops = EventLoops.start("foreign-answers", 1);
    private FakeNameServer nameServer;
    private ServerSocket port;

    @BeforeEach
    void open() throws Exception {
        nameServer = new FakeNameServer(loops, Clock.system());
        port = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        String address = "127.0.0.1:" + port.getLocalPort();
        nameServer.route(
                "T",
                TopicRouteData.of(
                        List.of(new QueueData("a", 1, 1, 6, 0)),
                        List.of(new BrokerData("C", "a", Map.of(0L, address), false, null)),
                        null));
        Thread broker = new Thread(this::answer, "foreign-answers-broker");
        broker.setDaemon(true);
        broker.start();
    }

    @AfterEach
    void close() throws Exception {
        port.close();
        nameServer.close();
        loops.close();
    }

    private void answer() {
        try (Socket socket = port.accept();
                DataInputStream in = new DataInputStream(socket.getInputStream());
                DataOutputStream out = new DataOutputStream(socket.getOutputStream())) {
            while (true) {
                byte[] frame = in.readNBytes(in.readInt());
                int opaque = ByteBuffer.wrap(frame).getInt(Integer.BYTES + OPAQUE_AT);
                for (int other : new int[] {opaque + 1_000, -1, Integer.MAX_VALUE}) {
                    write(out, other, 99);
                }
                write(out, opaque, 7);
                write(out, opaque, 99); // a second answer to the same question
            }
        } catch (IOException e) {
            // the test is over
        }
    }

    private static void write(DataOutputStream out, int opaque, long queueOffset) throws IOException {
        byte[] header = ("{\"code\":0,\"language\":\"JAVA\",\"version\":0,\"opaque\":" + opaque
                        + ",\"flag\":1,\"extFields\":{\"msgId\":\"ID\",\"queueId\":\"0\",\"queueOffset\":\""
                        + queueOffset
                        + "\"}}")
                .getBytes(StandardCharsets.UTF_8);
        out.writeInt(Integer.BYTES + header.length);
        out.writeInt(header.length); // the high byte is the serialization, 0 for JSON
        out.write(header);
        out.flush();
    }

    @Test
    void onlyTheAnswerToTheQuestionCounts() throws Exception {
        try (Producer producer = Producer.builder()
                .nameServers(nameServer.address())
                .transport(loops)
                .callTimeoutMs(TIMEOUT_MS)
                .sendTimeoutMs(TIMEOUT_MS)
                .build()) {
            producer.start();
            for (int i = 0; i < 20; i++) {
                assertThat(producer.send(Message.of("T", "m" + i)).queueOffset())
                        .isEqualTo(7);
                assertThat(producer.send(Message.of("T", "m" + i), new MessageQueue("T", "a", 0))
                                .queueOffset())
                        .isEqualTo(7);
            }
            assertThat(producer.metrics().requests()).isEqualTo(40);
            assertThat(producer.metrics().retries()).isZero();
        }
    }
}
