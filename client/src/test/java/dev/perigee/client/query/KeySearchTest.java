package dev.perigee.client.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.client.error.DeadlineExceededException;
import dev.perigee.client.error.IncompleteSearchException;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageId;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Searches by key, over brokers that each have a limit, a clock or a fault of their own. */
final class KeySearchTest {
    private static final long T0 = 1_760_000_000_000L;

    private ScriptedCluster cluster;

    @BeforeEach
    void open() throws Exception {
        cluster = new ScriptedCluster();
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private Found search(int max) throws Exception {
        return cluster.admin().messages().byKey(KeyQuery.of("T", "k", max));
    }

    private static List<Long> times(Found found) {
        return found.messages().stream().map(MessageExt::storeTimestampMs).toList();
    }

    private static void store(ScriptedBroker broker, int messages, long stepMs) {
        for (int i = 0; i < messages; i++) {
            broker.store(T0 + i * stepMs, "k");
        }
    }

    private static List<Long> newestFirst(int messages, long stepMs) {
        return LongStream.range(0, messages)
                .map(i -> T0 + (messages - 1 - i) * stepMs)
                .boxed()
                .toList();
    }

    @Test
    void theNewestOfAllBrokersAreGivenNewestFirstAndNoMoreThanAskedFor() throws Exception {
        cluster.broker("a").store(T0, "k").store(T0 + 2, "k").store(T0 + 4, "k");
        cluster.broker("b").store(T0 + 1, "k").store(T0 + 3, "k");
        Found three = search(3);
        assertThat(times(three)).containsExactly(T0 + 4, T0 + 3, T0 + 2);
        assertThat(three.isComplete()).isTrue();
        assertThat(times(search(60))).containsExactly(T0 + 4, T0 + 3, T0 + 2, T0 + 1, T0);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 64})
    void aBrokerIsAskedUntilItHasNoMoreHoweverFewMessagesItGivesAtOnce(int limit) throws Exception {
        store(cluster.broker("a").gives(limit), 100, 3);
        Found found = search(1_000);
        assertThat(times(found)).isEqualTo(newestFirst(100, 3));
        assertThat(found.missing()).isEmpty();
    }

    @Test
    void anAnswerThatIsFullByBytesIsNotTakenForAll() throws Exception {
        ScriptedBroker broker = cluster.broker("a").givesBytes(5_000);
        for (int i = 0; i < 30; i++) {
            broker.store(T0 + i, "k", "u" + i, 2_000);
        }
        Found found = search(1_000);
        assertThat(times(found)).isEqualTo(newestFirst(30, 1));
        assertThat(found.isComplete()).isTrue();
    }

    @Test
    void aLargeMessageThatFillsAnAnswerAloneHidesNothingOlder() throws Exception {
        ScriptedBroker broker = cluster.broker("a").givesBytes(15 << 20);
        store(broker, 20, 1);
        int large = 8 << 20;
        broker.store(T0 + 20, "k", "c", large).store(T0 + 21, "k", "b", large).store(T0 + 22, "k");
        Found found = search(1_000);
        assertThat(times(found)).isEqualTo(newestFirst(23, 1));
        assertThat(found.isComplete()).isTrue();
    }

    @Test
    void aBodyThatCannotBeInflatedIsGivenAsItIsStoredAndHidesNoOther() throws Exception {
        cluster.broker("a").store(T0, "k").storeBroken(T0 + 1, "k").store(T0 + 2, "k");
        Found found = search(10);
        assertThat(times(found)).containsExactly(T0 + 2, T0 + 1, T0);
        assertThat(found.isComplete()).isTrue();
        assertThat(found.messages()).extracting(MessageExt::isCompressed).containsExactly(false, true, false);
        assertThat(found.messages().get(1).body()).hasSize(ScriptedBroker.BROKEN_BODY_BYTES);
    }

    @Test
    void aSearchStopsAtItsLimitOfBytesAndNamesTheBrokerThatHasMore() throws Exception {
        ScriptedBroker broker = cluster.broker("a").gives(8);
        for (int i = 0; i < 30; i++) {
            broker.store(T0 + i, "k", "u" + i, 1_000);
        }
        KeyQuery query = KeyQuery.of("T", "k", 1_000).withMaxBytes(15_000);
        Found found = cluster.admin().messages().byKey(query);
        assertThat(found.messages()).hasSizeBetween(10, 14);
        assertThat(times(found)).startsWith(T0 + 29, T0 + 28).isSortedAccordingTo(Comparator.reverseOrder());
        assertThat(found.missing()).singleElement().satisfies(missing -> {
            assertThat(missing.brokerName()).isEqualTo("a");
            assertThat(missing.why()).contains("maxBytes=15000");
        });
        assertThat(broker.timesAsked()).isEqualTo(2);
    }

    @Test
    void aBrokerThatCountsSecondsIsAskedBeyondTheSecondOfTheOldestMessage() throws Exception {
        store(cluster.broker("a").countsSeconds(), 300, 40);
        Found found = search(1_000);
        assertThat(times(found)).isEqualTo(newestFirst(300, 40));
        assertThat(found.isComplete()).isTrue();
    }

    @Test
    void aBrokerWithMoreInOneSecondThanItGivesIsNamedAndTheSecondsBeforeAreFound() throws Exception {
        ScriptedBroker broker = cluster.broker("a").countsSeconds().gives(8);
        store(broker, 5, 1_000);
        for (int i = 0; i < 20; i++) {
            broker.store(T0 + 10_000 + i, "k");
        }
        Found found = search(1_000);
        assertThat(times(found)).hasSize(13).endsWith(T0 + 1_000, T0);
        assertThat(found.missing()).singleElement().satisfies(missing -> {
            assertThat(missing.brokerName()).isEqualTo("a");
            assertThat(missing.why()).contains("may hold more");
            assertThat(missing.failure()).isNull();
        });
        assertThat(search(8).isComplete())
                .as("eight were wanted, and eight are there")
                .isTrue();
    }

    @Test
    void moreMessagesOfOneMillisecondThanABrokerGivesAreNotTakenForAll() throws Exception {
        ScriptedBroker broker = cluster.broker("a");
        broker.store(T0 - 1, "k");
        store(broker, 70, 0);
        Found found = search(1_000);
        assertThat(times(found)).hasSize(65).endsWith(T0 - 1);
        assertThat(found.missing()).extracting(Missing::brokerName).containsExactly("a");
    }

    @Test
    void whatABrokerGaveBeforeItFellSilentIsKeptAndTheBrokerNamed() throws Exception {
        cluster.close();
        cluster = ScriptedCluster.hasty();
        store(cluster.broker("a").countsSeconds().gives(8).silentAfter(2), 40, 200);
        cluster.broker("b").store(T0 + 100_000, "k");
        Found found = search(1_000);
        assertThat(times(found)).hasSizeBetween(9, 17).startsWith(T0 + 100_000, T0 + 39 * 200);
        assertThat(found.missing()).singleElement().satisfies(missing -> {
            assertThat(missing.brokerName()).isEqualTo("a");
            assertThat(missing.failure()).isInstanceOf(DeadlineExceededException.class);
        });
    }

    @Test
    void aBrokerThatRefusesDoesNotTakeAwayWhatOthersFound() throws Exception {
        cluster.broker("a").refusesAfter(0);
        cluster.broker("b").store(T0, "k");
        Found found = search(10);
        assertThat(times(found)).containsExactly(T0);
        assertThat(found.missing())
                .singleElement()
                .satisfies(missing -> assertThat(missing.failure()).isInstanceOf(RefusedException.class));
    }

    @Test
    void aBrokerWithoutAMasterIsAskedAtItsSlave() throws Exception {
        cluster.broker("a", 1).store(T0, "k");
        Found found = search(10);
        assertThat(times(found)).containsExactly(T0);
        assertThat(found.isComplete()).isTrue();
        assertThat(cluster.admin().messages().byUniqueKey("T", "unique-0")).isPresent();
    }

    @Test
    void aBrokerWithoutAnyAddressIsNamed() throws Exception {
        cluster.brokerWithoutAddress("a");
        cluster.broker("b").store(T0, "k");
        Found found = search(10);
        assertThat(times(found)).containsExactly(T0);
        assertThat(found.missing())
                .singleElement()
                .satisfies(missing -> assertThat(missing.failure()).isInstanceOf(NoRouteException.class));
    }

    @Test
    void whenNobodyCouldBeAskedTheSearchFails() throws Exception {
        cluster.broker("a").refusesAfter(0);
        cluster.brokerWithoutAddress("b");
        assertThatThrownBy(() -> search(10))
                .satisfies(failure -> assertThat(failure.getSuppressed()).hasSize(1));
    }

    @Test
    void messagesThatOnlyShareTheHashAreLeftOutAndDoNotCount() throws Exception {
        ScriptedBroker broker = cluster.broker("a").comparesHashes();
        for (int i = 0; i < 200; i++) {
            broker.store(T0 + i, i % 50 == 0 ? "k" : "other");
        }
        assertThat(times(search(3))).containsExactly(T0 + 150, T0 + 100, T0 + 50);
        assertThat(times(search(10))).containsExactly(T0 + 150, T0 + 100, T0 + 50, T0);
    }

    @Test
    void aTimeRangeIsExactAlsoWhereTheBrokerCountsSeconds() throws Exception {
        store(cluster.broker("a").countsSeconds(), 50, 100);
        Found found = cluster.admin().messages().byKey("T", "k", 100, T0 + 1_250, T0 + 1_800);
        assertThat(times(found))
                .containsExactly(T0 + 1_800, T0 + 1_700, T0 + 1_600, T0 + 1_500, T0 + 1_400, T0 + 1_300);
    }

    @Test
    void theEarliestCopyIsTheMessageOfAUniqueKey() throws Exception {
        cluster.broker("a").store(T0 + 5, "k", "u", 1);
        cluster.broker("b").store(T0 + 3, "k", "u", 1).store(T0 + 4, "k", "v", 1);
        assertThat(cluster.admin().messages().byUniqueKey("T", "u"))
                .map(MessageExt::storeTimestampMs)
                .hasValue(T0 + 3);
        assertThat(cluster.admin().messages().byUniqueKey("T", "w")).isEmpty();
    }

    @Test
    void aSilentBrokerIsNoProofThatAUniqueKeyIsUnknown() throws Exception {
        cluster.close();
        cluster = ScriptedCluster.hasty();
        cluster.broker("a").silentAfter(0);
        cluster.broker("b").store(T0, "k", "u", 1);
        assertThat(cluster.admin().messages().byUniqueKey("T", "u")).isPresent();
        assertThatThrownBy(() -> cluster.admin().messages().byUniqueKey("T", "w"))
                .isInstanceOf(DeadlineExceededException.class);
    }

    @Test
    void aBrokerThatMayHoldMoreIsNoProofThatAUniqueKeyIsUnknown() throws Exception {
        store(cluster.broker("a").gives(8).countsSeconds().comparesHashes(), 20, 1);
        store(cluster.broker("b").gives(8).countsSeconds().comparesHashes(), 20, 1);
        assertThatThrownBy(() -> cluster.admin().messages().byUniqueKey("T", "w"))
                .isInstanceOf(IncompleteSearchException.class)
                .hasMessageContaining("may hold more")
                .satisfies(failure -> assertThat(failure.getSuppressed()).hasSize(1));
    }

    @Test
    void aBrokerThatFailsIsNoProofThatAnOffsetHoldsNothing() throws Exception {
        String address = cluster.broker("a").address();
        String id = new MessageId(
                        new InetSocketAddress(
                                InetAddress.getLoopbackAddress(),
                                Integer.parseInt(address.substring(address.indexOf(':') + 1))),
                        7)
                .text();
        assertThatThrownBy(() -> cluster.admin().messages().byOffsetId(id)).isInstanceOf(RefusedException.class);
    }
}
