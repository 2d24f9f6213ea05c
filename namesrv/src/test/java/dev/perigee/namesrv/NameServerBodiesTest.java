package dev.perigee.namesrv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.route.DataVersionHeader;
import dev.perigee.protocol.header.route.RegisterBrokerHeader;
import dev.perigee.protocol.header.topic.TopicHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.RecordHeaderCodec;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies that are no objects or lack what they need are answered in words; the server lives on. */
class NameServerBodiesTest {
    private static final DataVersionHeader BROKER = new DataVersionHeader("broker-a", "10.0.0.2:10911", "c", 0);

    private RunningNameServer server;

    @BeforeEach
    void start(@TempDir Path folder) throws Exception {
        server = new RunningNameServer(folder);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private Answer<?> register(String body) throws Exception {
        RegisterBrokerHeader header = new RegisterBrokerHeader(
                "broker-a", "10.0.0.2:10911", "c", "10.0.0.2:10912", 0, null, false, false, 0, null, null);
        return server.ask(Rpcs.REGISTER_BROKER, header, bytes(body));
    }

    private Answer<?> registerTopic(String body) throws Exception {
        return server.ask(Rpcs.REGISTER_TOPIC_IN_NAMESRV, new TopicHeader("T"), bytes(body));
    }

    private static byte[] bytes(String body) {
        return body.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    }

    private static void refused(Answer<?> answer, String words) {
        assertThat(answer.code()).as(answer.remarkText()).isEqualTo(ResponseCode.SYSTEM_ERROR);
        assertThat(answer.remarkText()).contains(words).doesNotContain("Exception");
    }

    /** A registration that leaves out what stock brokers always say. */
    public record WithoutHaAddress(String brokerName, String brokerAddr, String clusterName, long brokerId) {}

    @Test
    void aRegistrationThatDoesNotSayWhereReplicasConnectIsRefusedByTheFieldsName() throws Exception {
        Rpc<WithoutHaAddress, NoHeader> rpc = new Rpc<>(
                Rpcs.REGISTER_BROKER.code(),
                "WITHOUT_HA_ADDRESS",
                RecordHeaderCodec.of(WithoutHaAddress.class),
                RecordHeaderCodec.of(NoHeader.class));
        Answer<?> answer = server.ask(rpc, new WithoutHaAddress("broker-a", "10.0.0.2:10911", "c", 0), bytes("{}"));
        refused(answer, "haServerAddr");
        Answer<?> known = server.ask(Rpcs.GET_BROKER_CLUSTER_INFO, NoHeader.NONE, bytes(""));
        assertThat(new String(known.body(), StandardCharsets.UTF_8)).doesNotContain("broker-a");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "null", "{", "{'a':", "7", "'text'"})
    void whatIsNoObjectIsRefused(String body) throws Exception {
        refused(register(body), "body is no RegisterBrokerBody");
        refused(registerTopic(body), "body is no TopicRouteData");
        refused(server.ask(Rpcs.QUERY_DATA_VERSION, BROKER, bytes(body)), "body is no DataVersion");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "{'topicConfigSerializeWrapper':{'topicConfigTable':{'T':null}}}; no configuration for topic 'T'",
                "{'topicConfigSerializeWrapper':{'topicConfigTable':{'':{'perm':6}}}}; no configuration for topic ''"
            })
    void aRegistrationNeedsWholeTopics(String body, String words) throws Exception {
        refused(register(body), words);
        assertThat(register("{}").code()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{'queueDatas':[null]}", "{'queueDatas':[{}]}", "{'queueDatas':[{'brokerName':' '}]}"})
    void theQueuesOfATopicNeedTheirBroker(String body) throws Exception {
        refused(registerTopic(body), "no brokerName");
        assertThat(registerTopic("{}").code()).isZero();
    }
}
