package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.frame.Language;
import dev.perigee.protocol.rpc.RequestCode;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A header that can be read but lacks a field, or has one of another type, is answered by its name; nobody is cut off. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BrokerHeaderFieldsTest {
    private static final byte[] NO_BODY = {};
    private static final String TOPIC_17 =
            "'topic':'New','defaultTopic':'TBW102','readQueueNums':'4','writeQueueNums':'4',"
                    + "'perm':'6','topicFilterType':'SINGLE_TAG'";

    private BadInputBroker broker;
    private RawPeer peer;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        broker = new BadInputBroker(folder, Map.of());
        peer = new RawPeer(broker.broker.address, Language.JAVA, 493);
    }

    @AfterAll
    void stop() throws Exception {
        peer.close();
        broker.close();
    }

    @BeforeEach
    void rememberTheLog() {
        broker.rememberTheLog();
    }

    @AfterEach
    void nothingWasStored() {
        broker.assertNothingWasStoredAndNobodyWasCutOff();
    }

    private void assertRefused(int code, String fields, String text) throws Exception {
        peer.send(code, fields.replace('\'', '"'), NO_BODY);
        assertThat(peer.await("\"remark\":").header()).contains("\"code\":1,", text);
        peer.send(RequestCode.GET_BROKER_CONFIG, NO_BODY);
        assertThat(peer.await("\"code\":").header()).as("the connection stays").contains("\"code\":0,");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "310; 'a':'p','c':'TBW102','d':'4','e':'0','f':'0','g':'0','h':'0'; header field 'b' is missing",
                "310; 'a':'p','b':'T','d':'4','e':'0','f':'0','g':'0','h':'0'; header field 'c' is missing",
                "310; 'a':'p','b':'T','c':'TBW102','d':'4','f':'0','g':'0','h':'0'; header field 'e' is missing",
                "310; 'a':'p','b':'T','c':'TBW102','d':'x','e':'0','f':'0','g':'0','h':'0'; header field 'd' has the value 'x'",
                "310; 'a':'p','b':'T','c':'TBW102','d':'4','e':'99999999999','f':'0','g':'0','h':'0'; has the value '99999999999'",
                "10; 'producerGroup':'p','topic':'T'; header field 'defaultTopic' is missing",
                "11; 'consumerGroup':'g','queueId':'0'; header field 'topic' is missing",
                "11; 'consumerGroup':'TOOLS_CONSUMER','topic':'T','queueId':'0','queueOffset':'ten','maxMsgNums':'1','sysFlag':'0','commitOffset':'0','suspendTimeoutMillis':'0','subVersion':'0'; header field 'queueOffset' has the value 'ten'",
                "14; 'consumerGroup':'g','topic':'T'; header field 'queueId' is missing",
                "15; 'consumerGroup':'g','topic':'T','queueId':'0'; header field 'commitOffset' is missing",
                "17; 'topic':'New'; is missing",
                "317; ; header field 'isOrder' is missing"
            })
    void aFieldThatIsMissingOrOfAnotherTypeIsNamed(int code, String fields, String text) throws Exception {
        assertRefused(code, "{" + (fields == null ? "" : fields) + "}", text);
    }

    @ParameterizedTest
    @CsvSource({"topic", "defaultTopic", "readQueueNums", "writeQueueNums", "perm", "topicFilterType"})
    void aTopicIsNotMadeWithoutAMandatoryField(String field) throws Exception {
        String fields =
                "{" + TOPIC_17.replaceAll("'" + field + "':'[^']*',?", "").replaceAll(",$", "") + "}";
        assertRefused(RequestCode.UPDATE_AND_CREATE_TOPIC, fields, "header field '" + field + "' is missing");
        broker.assertNoTopic("New");
    }
}
