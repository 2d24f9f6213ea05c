package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.topic.CreateTopicHeader;
import dev.perigee.protocol.header.topic.TopicConfigHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.call.Answer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A broker that is sent what it must refuse, with topics T (4 queues) and ReadOnly. */
final class BadInputBroker implements AutoCloseable {
    static final int MAX_BODY_BYTES = 65_536;

    final TestBroker broker;
    final Connection connection;
    private long logEnd;

    BadInputBroker(Path folder, Map<String, String> settings) throws Exception {
        broker = new TestBroker(folder, settings);
        assertThat(broker.send("T", 0, "first").code()).isZero();
        assertThat(createTopic("ReadOnly", 1, 1, 4).code()).isZero();
        connection = broker.client.connection(broker.address).orElseThrow();
    }

    Answer<NoHeader> createTopic(String topic, int readQueues, int writeQueues, int perm) throws Exception {
        return broker.call(
                Rpcs.UPDATE_AND_CREATE_TOPIC,
                new CreateTopicHeader(
                        topic, "TBW102", readQueues, writeQueues, perm, "SINGLE_TAG", 0, false, null, null),
                null);
    }

    <Q extends Record, R extends Record> Answer<R> call(Rpc<Q, R> rpc, Q header, byte @Nullable [] body)
            throws Exception {
        return broker.call(rpc, header, body);
    }

    /** From here on nothing may be stored. */
    void rememberTheLog() {
        logEnd = broker.broker.logEndOffset();
    }

    void assertNothingWasStoredAndNobodyWasCutOff() {
        assertThat(broker.broker.logEndOffset()).isEqualTo(logEnd);
        assertThat(connection.isOpen()).isTrue();
        assertThat(broker.client.connection(broker.address)).contains(connection);
    }

    void assertNoTopic(String topic) throws Exception {
        assertThat(call(Rpcs.GET_TOPIC_CONFIG, new TopicConfigHeader(topic, null), null)
                        .code())
                .as("topic %s", topic)
                .isEqualTo(ResponseCode.TOPIC_NOT_EXIST);
    }

    static void assertRefused(Answer<?> answer, int code, String... words) {
        assertThat(answer.code()).as(answer.remarkText()).isEqualTo(code);
        assertThat(answer.remarkText()).contains(words);
    }

    @Override
    public void close() throws IOException {
        broker.close();
    }
}
