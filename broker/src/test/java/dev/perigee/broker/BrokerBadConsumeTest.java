package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.frame.Language;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.header.client.ConsumerGroupHeader;
import dev.perigee.protocol.header.offset.CloneOffsetHeader;
import dev.perigee.protocol.header.offset.QueryOffsetHeader;
import dev.perigee.protocol.header.offset.ResetOffsetHeader;
import dev.perigee.protocol.header.offset.UpdateOffsetHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.RequestCode;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What consumers must not ask: each is refused with a code and words that say why, and the group's offset stays where it was. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BrokerBadConsumeTest {
    private static final long OFFSET = 2;

    private TestBroker broker;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        broker = new TestBroker(folder, Map.of());
        for (int i = 0; i < 4; i++) {
            broker.send("T", 0, "m" + i);
        }
        broker.createGroup("g");
        assertThat(commit("g", "T", 0, OFFSET).code()).isZero();
    }

    @AfterAll
    void stop() throws Exception {
        broker.close();
    }

    /** After every refusal. */
    @AfterEach
    void theOffsetIsWhereItWas() throws Exception {
        assertThat(broker.call(Rpcs.QUERY_CONSUMER_OFFSET, new QueryOffsetHeader("g", "T", 0, null), null)
                        .require()
                        .offset())
                .isEqualTo(OFFSET);
    }

    private Answer<NoHeader> commit(String group, String topic, int queueId, long offset) throws Exception {
        return broker.call(Rpcs.UPDATE_CONSUMER_OFFSET, new UpdateOffsetHeader(group, topic, queueId, offset), null);
    }

    @ParameterizedTest
    @CsvSource({
        "g,      T,       0,  -1,                  29, commitOffset -1 is not between 0 and 4",
        "g,      T,       0,  5,                   29, commitOffset 5 is not between 0 and 4",
        "g,      T,       0,  9223372036854775807, 29, commitOffset 9223372036854775807",
        "g,      T,       4,  0,                   29, queueId 4 is not between 0 and 3",
        "g,      T,       -1, 0,                   29, queueId -1",
        "g,      Nowhere, 0,  0,                   17, Nowhere",
        "nobody, T,       0,  0,                   26, nobody",
    })
    void aCommitThatMeansNothingIsRefused(String group, String topic, int queueId, long offset, int code, String words)
            throws Exception {
        BadInputBroker.assertRefused(commit(group, topic, queueId, offset), code, words);
    }

    @ParameterizedTest
    @ValueSource(strings = {"9223372036854775808", "-9223372036854775809", "1e3", "two"})
    void aCommitThatIsNoOffsetIsNamedWithItsField(String offset) throws Exception {
        try (RawPeer peer = new RawPeer(broker.address, Language.JAVA, 493)) {
            String fields =
                    "{\"consumerGroup\":\"g\",\"topic\":\"T\",\"queueId\":\"0\",\"commitOffset\":\"" + offset + "\"}";
            peer.send(RequestCode.UPDATE_CONSUMER_OFFSET, fields, new byte[0]);
            assertThat(peer.await("\"remark\":").header())
                    .contains("\"code\":1,", "header field 'commitOffset' has the value '" + offset + "'");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "Nowhere, g,      -1, -1,                  17, Nowhere",
        "T,       nobody, -1, -1,                  26, nobody",
        "T,       g,      0,  5,                   1,  offset 5 is not between 0 and 4",
        "T,       g,      0,  9223372036854775807, 1,  offset 9223372036854775807",
        "T,       g,      4,  0,                   29, queueId 4 is not between 0 and 3",
    })
    void aResetThatMeansNothingIsRefused(String topic, String group, int queueId, long offset, int code, String words)
            throws Exception {
        ResetOffsetHeader header = new ResetOffsetHeader(topic, group, 0, true, queueId, offset);
        BadInputBroker.assertRefused(broker.call(Rpcs.INVOKE_BROKER_TO_RESET_OFFSET, header, null), code, words);
    }

    @ParameterizedTest
    @CsvSource({"nobody, 26, nobody", "a/b, 29, a/b", "'', 29, destGroup"})
    void offsetsAreNotCopiedToAGroupThatIsNoneOrUnknown(String group, int code, String words) throws Exception {
        BadInputBroker.assertRefused(
                broker.call(Rpcs.CLONE_GROUP_OFFSET, new CloneOffsetHeader("g", group, "T", false), null), code, words);
    }

    /** As on stock brokers: the heartbeat is answered, and the consumer is left out. */
    @ParameterizedTest
    @ValueSource(strings = {"a/b", "a b", "g?"})
    void aConsumerOfAnIllegalGroupIsLeftOut(String group) throws Exception {
        broker.heartbeat("c", group, ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET, "T");
        BadInputBroker.assertRefused(
                broker.call(Rpcs.GET_CONSUMER_LIST_BY_GROUP, new ConsumerGroupHeader(group), null),
                ResponseCode.SYSTEM_ERROR,
                "no consumer for this group, " + group);
    }

    @ParameterizedTest
    @CsvSource({
        "g,      Nowhere, 0,  17, Nowhere",
        "g,      T,       4,  29, queueId[4] is illegal",
        "g,      T,       -1, 29, queueId[-1] is illegal",
        "a/b,    T,       0,  29, a/b",
    })
    void aPullThatMeansNothingIsRefused(String group, String topic, int queueId, int code, String words)
            throws Exception {
        BadInputBroker.assertRefused(broker.pull(group, topic, queueId, 0), code, words);
    }

    /** Each of them says where to go on; none moves what is committed. */
    @ParameterizedTest
    @CsvSource({"-1, 21", "-9223372036854775808, 21", "5, 21", "9223372036854775807, 21"})
    void aPullOutsideTheQueueIsToldWhereToGoOn(long offset, int code) throws Exception {
        assertThat(broker.pull("g", "T", 0, offset).code()).isEqualTo(code);
    }

    @Test
    void aQueueThatHoldsNothingTakesNoCommitButOfItsStart() throws Exception {
        BadInputBroker.assertRefused(commit("g", "T", 3, 1), ResponseCode.INVALID_PARAMETER, "between 0 and 0");
        assertThat(commit("g", "T", 3, 0).code()).isZero();
    }
}
