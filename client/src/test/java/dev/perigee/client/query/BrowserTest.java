package dev.perigee.client.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.client.error.InterruptedCallException;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Browsing over scripted brokers; both queues of each hold the same. */
final class BrowserTest {
    private ScriptedCluster cluster;

    @BeforeEach
    void open() throws Exception {
        cluster = new ScriptedCluster();
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private Browser browse(Predicate<MessageQueue> queues, BrowseRange range) throws Exception {
        return cluster.admin().messages().browse("T", queues, range);
    }

    private static List<Long> times(Browser browser) throws Exception {
        List<Long> times = new ArrayList<>();
        for (Optional<MessageExt> next = browser.next(); next.isPresent(); next = browser.next()) {
            times.add(next.get().storeTimestampMs());
        }
        return times;
    }

    @Test
    void queuesAreMergedByStoreTime() throws Exception {
        cluster.broker("a").store(10, "k").store(30, "k").store(50, "k");
        cluster.broker("b").store(20, "k").store(40, "k");
        assertThat(times(browse(BrowserTest::isFirst, BrowseRange.ALL))).containsExactly(10L, 20L, 30L, 40L, 50L);
        assertThat(times(browse(queue -> true, BrowseRange.ALL)))
                .containsExactly(10L, 10L, 20L, 20L, 30L, 30L, 40L, 40L, 50L, 50L);
    }

    @Test
    void aRangeOfTimesIsExactAndBeginsWhereTheBrokerSaysThatItBegins() throws Exception {
        ScriptedBroker broker = cluster.broker("a");
        for (int i = 0; i < 200; i++) {
            broker.store(10L * i, "k");
        }
        assertThat(times(browse(BrowserTest::isFirst, BrowseRange.times(1_005, 1_040))))
                .containsExactly(1_010L, 1_020L, 1_030L, 1_040L);
        assertThat(broker.timesAsked()).as("one search and one pull").isEqualTo(2);
    }

    @Test
    void aRangeOfOffsetsEndsBeforeItsEnd() throws Exception {
        ScriptedBroker broker = cluster.broker("a").gives(2);
        for (int i = 0; i < 20; i++) {
            broker.store(i, "k");
        }
        assertThat(times(browse(BrowserTest::isFirst, BrowseRange.offsets(3, 8))))
                .containsExactly(3L, 4L, 5L, 6L, 7L);
        assertThat(times(browse(BrowserTest::isFirst, BrowseRange.offsets(18, 100))))
                .containsExactly(18L, 19L);
        assertThat(times(browse(BrowserTest::isFirst, BrowseRange.offsets(30, 100))))
                .isEmpty();
    }

    @Test
    void messagesAreAskedForOnlyWhenTheyAreNeeded() throws Exception {
        ScriptedBroker broker = cluster.broker("a");
        for (int i = 0; i < 1_000; i++) {
            broker.store(i, "k");
        }
        Browser browser = browse(BrowserTest::isFirst, BrowseRange.ALL);
        assertThat(broker.timesAsked()).isZero();
        for (int i = 0; i < 32; i++) {
            assertThat(browser.next()).isPresent();
        }
        assertThat(broker.timesAsked()).isEqualTo(1);
    }

    @Test
    void aBrokerThatFailsIsNamedAndTheOthersAreReadToTheirEnd() throws Exception {
        ScriptedBroker failing = cluster.broker("a").gives(2).refusesAfter(1);
        ScriptedBroker whole = cluster.broker("b").gives(2);
        for (int i = 0; i < 6; i++) {
            failing.store(10L * i, "k");
            whole.store(10L * i + 1, "k");
        }
        Browser browser = browse(BrowserTest::isFirst, BrowseRange.ALL);
        assertThat(times(browser)).containsExactly(0L, 1L, 10L, 11L, 21L, 31L, 41L, 51L);
        assertThat(browser.missing()).extracting(Missing::brokerName).containsExactly("a");
    }

    @Test
    void aSilentBrokerIsWaitedForOnce() throws Exception {
        cluster.close();
        cluster = ScriptedCluster.hasty();
        ScriptedBroker silent = cluster.broker("a").silentAfter(0);
        cluster.broker("b").store(1, "k");
        Browser browser = browse(queue -> true, BrowseRange.ALL);
        assertThat(times(browser)).containsExactly(1L, 1L);
        assertThat(browser.isComplete()).isFalse();
        assertThat(silent.timesAsked()).isEqualTo(1);
    }

    @Test
    void aBrokerWithoutAMasterIsReadAtItsSlave() throws Exception {
        cluster.broker("a", 1).store(1, "k");
        assertThat(times(browse(BrowserTest::isFirst, BrowseRange.ALL))).containsExactly(1L);
    }

    @Test
    void aBodyThatCannotBeInflatedIsGivenAsItIsStoredAndHidesNoOther() throws Exception {
        cluster.broker("a").store(1, "k").storeBroken(2, "k").store(3, "k");
        Browser browser = browse(BrowserTest::isFirst, BrowseRange.ALL);
        assertThat(times(browser)).containsExactly(1L, 2L, 3L);
        assertThat(browser.isComplete()).isTrue();
    }

    @Test
    void afterAnInterruptNothingIsSkippedOrGivenTwice() throws Exception {
        Thread browsing = Thread.currentThread();
        cluster.broker("a").store(10, "k").store(30, "k");
        cluster.broker("b").store(20, "k").store(40, "k").insteadOfAnAnswer(browsing::interrupt);
        Browser browser = browse(BrowserTest::isFirst, BrowseRange.times(1, Long.MAX_VALUE));
        assertThatThrownBy(browser::next).isInstanceOf(InterruptedCallException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(times(browser)).containsExactly(10L, 20L, 30L, 40L);
        assertThat(browser.isComplete()).isTrue();
    }

    private static boolean isFirst(MessageQueue queue) {
        return queue.queueId() == 0;
    }
}
