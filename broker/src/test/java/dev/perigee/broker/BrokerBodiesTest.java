package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.call.Answer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Bodies that lack what they need are answered with the name of what is missing; nothing is stored, nobody cut off. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BrokerBodiesTest {
    /** Every request whose body is JSON, with the members it cannot do without, outermost first. */
    private static final Map<Rpc<NoHeader, ? extends Record>, String> JSON = Map.of(
            Rpcs.UPDATE_AND_CREATE_TOPIC_LIST, "topicConfigList",
            Rpcs.HEART_BEAT, "clientID",
            Rpcs.LOCK_BATCH_MQ, "consumerGroup",
            Rpcs.UNLOCK_BATCH_MQ, "consumerGroup",
            Rpcs.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP, "groupName",
            Rpcs.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP_LIST, "groupConfigList");

    private static final List<String> NO_OBJECTS = List.of(
            "[]", "null", "", "{", "{\"a\":", "{\"consumerGroup\":\"g\",\"mqSet\":[{\"topic\":\"T", "7", "\"text\"");

    private TestBroker broker;
    private Connection connection;
    private long logEnd;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        broker = new TestBroker(folder, Map.of());
        assertThat(broker.send("T", 0, "first").code()).isZero();
        connection = broker.client.connection(broker.address).orElseThrow();
    }

    @AfterAll
    void stop() throws Exception {
        broker.close();
    }

    @BeforeEach
    void rememberTheLog() {
        logEnd = broker.broker.logEndOffset();
    }

    @AfterEach
    void nothingWasStoredAndNobodyWasCutOff() {
        assertThat(broker.broker.logEndOffset()).isEqualTo(logEnd);
        assertThat(broker.client.connection(broker.address)).contains(connection);
    }

    private Answer<?> call(Rpc<NoHeader, ? extends Record> rpc, String body) throws Exception {
        return broker.call(rpc, NoHeader.NONE, body.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private static Stream<Rpc<NoHeader, ? extends Record>> jsonRequests() {
        return Stream.concat(JSON.keySet().stream(), Stream.of(Rpcs.CHECK_CLIENT_CONFIG));
    }

    private static Stream<Arguments> requestsAndMembers() {
        return JSON.entrySet().stream().map(entry -> Arguments.of(entry.getKey(), entry.getValue()));
    }

    @ParameterizedTest
    @MethodSource("requestsAndMembers")
    void anEmptyObjectIsAnsweredWithWhatIsMissing(Rpc<NoHeader, ? extends Record> rpc, String member) throws Exception {
        Answer<?> answer = call(rpc, "{}");
        assertThat(answer.code()).isIn(ResponseCode.SYSTEM_ERROR, ResponseCode.INVALID_PARAMETER);
        assertThat(answer.remarkText()).contains("has no " + member);
    }

    @ParameterizedTest
    @MethodSource("jsonRequests")
    void whatIsNoObjectIsRefused(Rpc<NoHeader, ? extends Record> rpc) throws Exception {
        for (String body : NO_OBJECTS) {
            Answer<?> answer = call(rpc, body);
            assertThat(answer.code()).as("%s of '%s'", rpc, body).isEqualTo(ResponseCode.SYSTEM_ERROR);
            assertThat(answer.remarkText()).as("%s of '%s'", rpc, body).startsWith("body is no ");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "{'consumerGroup':'g'}; clientId",
                "{'clientId':'c'}; consumerGroup",
                "{'consumerGroup':'g','clientId':'c','mqSet':[{'brokerName':'b','queueId':0}]}; topic of a queue",
                "{'consumerGroup':'g','clientId':'c','mqSet':[{'topic':'T','queueId':0}]}; brokerName of a queue",
                "{'consumerGroup':'g','clientId':'c','mqSet':[null]}; topic of a queue"
            })
    void locksNeedGroupClientAndWholeQueues(String body, String member) throws Exception {
        for (Rpc<NoHeader, NoHeader> rpc : List.of(Rpcs.LOCK_BATCH_MQ, Rpcs.UNLOCK_BATCH_MQ)) {
            Answer<?> answer = call(rpc, body);
            assertThat(answer.code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
            assertThat(answer.remarkText()).contains("has no " + member);
        }
    }

    @Test
    void listsNeedWholeEntries() throws Exception {
        for (String entry : List.of("{}", "null", "{'groupName':' '}")) {
            Answer<?> groups = call(
                    Rpcs.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP_LIST,
                    "{'groupConfigList':[{'groupName':'fine'}," + entry + "]}");
            assertThat(groups.code()).as(entry).isEqualTo(ResponseCode.INVALID_PARAMETER);
            assertThat(groups.remarkText()).contains("has no groupName");
            Answer<?> topics =
                    call(Rpcs.UPDATE_AND_CREATE_TOPIC_LIST, "{'topicConfigList':[{'topicName':'fine'}," + entry + "]}");
            assertThat(topics.code()).as(entry).isEqualTo(ResponseCode.INVALID_PARAMETER);
            assertThat(topics.remarkText()).contains("has no topicName");
        }
    }

    @Test
    void aConfigurationOfNoKnownKeysChangesNothing() throws Exception {
        for (String body : NO_OBJECTS) {
            assertThat(call(Rpcs.UPDATE_BROKER_CONFIG, body).code()).as(body).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "401, how a group receives",
        "200050, pop",
        "3005, access control",
        "906, a stock broker as its master or slave"
    })
    void whatIsNotBuiltYetIsRefusedByItsName(int code, String what) throws Exception {
        Answer<?> answer = call(Rpcs.unread(code), "{'anything':1}");
        assertThat(answer.code()).isEqualTo(ResponseCode.REQUEST_CODE_NOT_SUPPORTED);
        assertThat(answer.remarkText())
                .startsWith(" request type " + code + " not supported: this release does not support ")
                .contains(what);
    }

    @ParameterizedTest
    @CsvSource({
        "2001, 2003, does not support flow control of cold reads yet",
        "2004, 2004, not supported",
        "3001, 3010, does not support access control yet",
        "5001, 5001, not supported",
        "200050, 200055, does not support pop consumption yet",
        "200056, 200056, not supported",
        "200070, 200079, not supported",
        "200151, 200151, does not support pop consumption yet"
    })
    void requestsOfHighNumbersAreRefusedWhateverTheyCarry(int first, int last, String text) throws Exception {
        for (int code = first; code <= last; code++) {
            for (String body : new String[] {"", "{", "null", "[null]", "{'anything':1}", "\u0000\u0001"}) {
                Answer<?> answer = call(Rpcs.unread(code), body);
                assertThat(answer.code())
                        .as("%s of '%s'", code, body)
                        .isEqualTo(ResponseCode.REQUEST_CODE_NOT_SUPPORTED);
                assertThat(answer.remarkText())
                        .startsWith(" request type " + code + " not supported")
                        .endsWith(text);
            }
        }
    }
}
