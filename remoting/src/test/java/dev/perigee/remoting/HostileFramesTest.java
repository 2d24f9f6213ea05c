package dev.perigee.remoting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.perigee.protocol.frame.CommandHead;
import dev.perigee.protocol.frame.HeaderSerialization;
import dev.perigee.protocol.frame.RemotingCommand;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

final class HostileFramesTest {
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private Network network;
    private RemotingServer server;

    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Hostile(String what, byte[] bytes) {
        @Override
        public String toString() {
            return what;
        }
    }

    @BeforeEach
    void open() throws Exception {
        log.start();
        sessionLogger().addAppender(log);
        network = new Network(new ManualClock()); // what may be logged of a period is of one period
        server = network.server(Echo.table().build());
    }

    @AfterEach
    void close() throws Exception {
        network.close();
        sessionLogger().detachAppender(log);
    }

    static Stream<Hostile> hostileFrames() {
        byte[] good = RawPeer.echoFrame(1);
        return Stream.of(
                new Hostile("a negative length", ints(-1, 0)),
                new Hostile("the most negative length", ints(Integer.MIN_VALUE, 0)),
                new Hostile("a length above the limit", ints((16 << 20) + 1, 10)),
                new Hostile("a length too small for a header length", ints(3, 0)),
                new Hostile("a header longer than its frame", ints(20, 17, 0, 0, 0, 0)),
                new Hostile("an unknown serialization", ints(20, 7 << 24 | 16, 0, 0, 0, 0)),
                new Hostile("a JSON header that is none", json("this is not json")),
                new Hostile("a JSON header that ends early", json("{\"code\":900,\"extFields\":{\"text\":\"x\"")),
                new Hostile("a binary header that is too short", ints(12, 1 << 24 | 8, 0, 0)),
                new Hostile("a binary header whose remark is longer than it", binaryWithRemarkLength(1_000_000)),
                new Hostile("a binary header whose remark length is negative", binaryWithRemarkLength(-5)),
                new Hostile("a TLS hello", new byte[] {0x16, 0x03, 0x01, 0x02, 0, 1, 0, 1, (byte) 0xfc, 3, 3}),
                new Hostile("an HTTP request", "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII)),
                new Hostile("a good frame followed by a bad one", joined(good, ints(-7, 0))));
    }

    @ParameterizedTest
    @MethodSource("hostileFrames")
    void aMalformedFrameClosesOnlyItsConnectionAndIsLoggedOnce(Hostile hostile) throws Exception {
        try (RawPeer bystander = new RawPeer(server.boundPort());
                RawPeer attacker = new RawPeer(server.boundPort())) {
            bystander.send(RawPeer.echoFrame(5));
            assertThat(bystander.readFrame().head().opaque()).isEqualTo(5);

            attacker.send(hostile.bytes());

            assertThat(attacker.isClosedByPeer()).isTrue();
            bystander.send(RawPeer.echoFrame(6));
            assertThat(bystander.readFrame().head().opaque()).isEqualTo(6);
        }
        assertThat(server.counters().malformedFrames()).isEqualTo(1);
        assertThat(log.list)
                .filteredOn(event -> event.getFormattedMessage().contains("event=malformed_frame"))
                .singleElement()
                .satisfies(event -> assertThat(event.getFormattedMessage()).contains("remote=127.0.0.1:", "reason="));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void garbageNeverHarmsTheServer(long seed) throws Exception {
        byte[] garbage = new byte[20_000];
        new Random(seed).nextBytes(garbage);
        try (RawPeer attacker = new RawPeer(server.boundPort())) {
            try {
                attacker.send(garbage);
            } catch (IOException e) {
                assertThat(e).as("seed %s", seed).hasMessageMatching("(?i).*(reset|broken pipe|closed).*");
            }
        }
        await().atMost(ONE_MINUTE).until(() -> server.counters().openConnections() == 0);
        assertServes();
    }

    @Test
    void noPeerCanFillTheLog() throws Exception {
        int attacks = 120;
        for (int i = 0; i < attacks; i++) {
            try (RawPeer attacker = new RawPeer(server.boundPort())) {
                attacker.send(ints(-1, 0));
                assertThat(attacker.isClosedByPeer()).isTrue();
            }
        }
        assertThat(server.counters().malformedFrames()).isEqualTo(attacks);
        assertThat(log.list)
                .filteredOn(event -> event.getFormattedMessage().contains("event=malformed_frame"))
                .hasSizeLessThan(attacks);
    }

    @Test
    void everyTruncationOfAFrameIsForgottenWhenItsPeerLeaves() throws Exception {
        byte[] good = RawPeer.echoFrame(1);
        for (int size = 1; size < good.length; size += 7) {
            try (RawPeer peer = new RawPeer(server.boundPort())) {
                peer.send(Arrays.copyOf(good, size));
            }
        }
        await().atMost(ONE_MINUTE).until(() -> server.counters().openConnections() == 0);
        assertThat(server.counters().requests()).isZero();
        assertServes();
    }

    @ParameterizedTest
    @EnumSource(HeaderSerialization.class)
    void aFrameThatDripsInByteByByteIsAnsweredInItsOwnSerialization(HeaderSerialization serialization)
            throws Exception {
        byte[] body = "dripping".getBytes(StandardCharsets.UTF_8);
        try (RawPeer peer = new RawPeer(server.boundPort())) {
            for (byte one : RawPeer.echoFrame(9, 409, serialization, body)) {
                peer.send(new byte[] {one});
            }
            RemotingCommand answer = peer.readFrame();
            assertThat(answer.head().opaque()).isEqualTo(9);
            assertThat(answer.head().serialization()).isEqualTo(serialization);
            assertThat(answer.head().flag()).isEqualTo(CommandHead.RESPONSE);
            assertThat(answer.body()).isEqualTo(body);
        }
    }

    @Test
    void bothSerializationsMayBeMixedOnOneConnection() throws Exception {
        try (RawPeer peer = new RawPeer(server.boundPort())) {
            peer.send(joined(
                    RawPeer.echoFrame(1, 513, HeaderSerialization.JSON, new byte[0]),
                    RawPeer.echoFrame(2, 513, HeaderSerialization.BINARY, new byte[0])));
            assertThat(peer.readFrame().head().serialization()).isEqualTo(HeaderSerialization.JSON);
            assertThat(peer.readFrame().head().serialization()).isEqualTo(HeaderSerialization.BINARY);
        }
    }

    @Test
    void aMissingFieldIsAnsweredByNameAndTheConnectionStays() throws Exception {
        CommandHead head = CommandHead.request(Echo.ECHO.code(), 3, false, HeaderSerialization.JSON);
        byte[] noNumber = RemotingCommand.of(head, sink -> sink.text("text", "x"), new byte[0])
                .encode();
        byte[] badNumber = RemotingCommand.of(
                        head,
                        sink -> {
                            sink.text("text", "x");
                            sink.text("number", "seven");
                        },
                        new byte[0])
                .encode();
        try (RawPeer peer = new RawPeer(server.boundPort())) {
            peer.send(noNumber);
            RemotingCommand missing = peer.readFrame();
            peer.send(badNumber);
            RemotingCommand unreadable = peer.readFrame();

            assertThat(missing.head().code()).isEqualTo(1);
            assertThat(missing.head().remark()).contains("ECHO", "'number'", "missing");
            assertThat(unreadable.head().code()).isEqualTo(1);
            assertThat(unreadable.head().remark()).contains("'number'", "seven");
            peer.send(RawPeer.echoFrame(4));
            assertThat(peer.readFrame().head().code()).isZero();
        }
    }

    @Test
    void theLargestFrameIsServedAndOneByteMoreIsNot() throws Exception {
        int overhead = RawPeer.echoFrame(1).length - 4;
        byte[] largest = RawPeer.echoFrame(1, 513, HeaderSerialization.JSON, new byte[(16 << 20) - overhead]);
        byte[] tooLarge = RawPeer.echoFrame(1, 513, HeaderSerialization.JSON, new byte[(16 << 20) - overhead + 1]);
        try (RawPeer peer = new RawPeer(server.boundPort());
                RawPeer other = new RawPeer(server.boundPort())) {
            peer.send(largest);
            assertThat(peer.readFrame().head().opaque()).isEqualTo(1);
            other.send(Arrays.copyOf(tooLarge, 100));
            assertThat(other.isClosedByPeer()).isTrue();
        }
    }

    private void assertServes() throws Exception {
        try (RawPeer peer = new RawPeer(server.boundPort())) {
            peer.send(RawPeer.echoFrame(77));
            assertThat(peer.readFrame().head().opaque()).isEqualTo(77);
        }
    }

    private static byte[] ints(int... values) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * values.length);
        for (int value : values) {
            bytes.putInt(value);
        }
        return bytes.array();
    }

    private static byte[] json(String header) {
        byte[] text = header.getBytes(StandardCharsets.UTF_8);
        return joined(ints(4 + text.length, text.length), text);
    }

    private static byte[] binaryWithRemarkLength(int remarkLength) {
        ByteBuffer header = ByteBuffer.allocate(21);
        header.putShort((short) 900)
                .put((byte) 0)
                .putShort((short) 513)
                .putInt(1)
                .putInt(0);
        header.putInt(remarkLength).putInt(0);
        return joined(ints(4 + 21, 1 << 24 | 21), header.array());
    }

    private static byte[] joined(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    private static Logger sessionLogger() {
        return (Logger) LoggerFactory.getLogger(Session.class);
    }
}
