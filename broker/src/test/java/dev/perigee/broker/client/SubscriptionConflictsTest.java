package dev.perigee.broker.client;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.perigee.broker.MemoryConnections;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.client.ConsumerData;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.ExpressionType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.group.SubscriptionData;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What the members of one group want of the same topic, each on a connection of its own. */
final class SubscriptionConflictsTest {
    private static final int MANY = 30;

    /** Stands still until it is turned. */
    private static final class TurnedClock implements Clock {
        private long nowMs;

        @Override
        public long wallMs() {
            return nowMs;
        }

        @Override
        public long monotonicNs() {
            return nowMs * 1_000_000L;
        }
    }

    private final TurnedClock clock = new TurnedClock();
    private final MemoryConnections connections;
    private final ClientRegistry clients;
    private final ConflictLog conflictLog;

    SubscriptionConflictsTest() throws Exception {
        connections = new MemoryConnections(MANY);
        clients = new ClientRegistry(this::changed);
        conflictLog = new ConflictLog(clients::consumers, clock);
    }

    private void changed(ConsumerGroup before, ConsumerGroup after) {
        conflictLog.look(after.name());
    }

    private void member(int index, SubscriptionData... wanted) {
        member(index, ConsumeType.CONSUME_PASSIVELY, MessageModel.CLUSTERING, wanted);
    }

    private void member(int index, ConsumeType type, MessageModel model, SubscriptionData... wanted) {
        ConsumerData data =
                new ConsumerData("g", type, model, ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET, Set.of(wanted), false);
        Sighting sighting =
                new Sighting(clients.nextOrder(), "c" + index, connections.get(index), "JAVA", 500, 0, 0, 0, 0);
        assertThat(clients.consumerSeen(data, sighting, null)).isTrue();
    }

    private static SubscriptionData tags(String topic, String expression, long version) {
        return SubscriptionData.ofTags(topic, expression, version);
    }

    private Map<String, Map<String, String>> conflicts() {
        return SubscriptionConflicts.of(requireNonNull(clients.consumers("g")));
    }

    @Test
    void membersThatWantDifferentTagsAreShownWithWhatEachWants() {
        member(0, tags("T", "A", 1), tags("U", "*", 1));
        member(1, tags("T", "A || B", 2), tags("U", "*", 2));

        assertThat(conflicts()).isEqualTo(Map.of("T", Map.of("c0", "TAG A", "c1", "TAG A || B")));
    }

    @Test
    void theSameTagsInAnotherOrderOfAnotherTimeAreNoConflict() {
        member(0, tags("T", "B||A", 1), tags("%RETRY%g", "*", 1));
        member(1, tags("T", "A || B", 2));

        assertThat(conflicts()).isEmpty();
    }

    @Test
    void aTopicThatOneMemberDoesNotSubscribeToIsAConflictBecauseItsQueuesThereAreNotRead() {
        member(0, tags("T", "*", 1), tags("U", "*", 1));
        member(1, tags("T", "*", 1));

        assertThat(conflicts()).isEqualTo(Map.of("U", Map.of("c0", "TAG *", "c1", SubscriptionConflicts.NOTHING)));
    }

    @Test
    void anotherLanguageIsAConflictAlsoWithTheSameText() {
        member(0, tags("T", "A", 1));
        member(1, SubscriptionData.ofExpression("T", "A", ExpressionType.SQL92, 1));

        assertThat(conflicts()).isEqualTo(Map.of("T", Map.of("c0", "TAG A", "c1", "SQL92 A")));
    }

    @Test
    void membersThatDoNotShareOutQueuesAreLeftOut() {
        member(0, tags("T", "A", 1));
        member(1, ConsumeType.CONSUME_PASSIVELY, MessageModel.BROADCASTING, tags("T", "B", 1));
        member(2, ConsumeType.CONSUME_ACTIVELY, MessageModel.CLUSTERING);

        assertThat(conflicts()).isEmpty();
    }

    @Test
    void ofManyMembersEveryWishIsShownAndOfALongExpressionTheBeginning() {
        for (int i = 0; i < MANY - 1; i++) {
            member(i, tags("T", "A", 1));
        }
        member(MANY - 1, tags("T", "t".repeat(5_000), 1));

        Map<String, String> shown = requireNonNull(conflicts().get("T"));
        assertThat(shown).hasSize(SubscriptionConflicts.MAX_MEMBERS).containsEntry("c0", "TAG A");
        assertThat(shown.get("c" + (MANY - 1)))
                .startsWith("TAG tttt")
                .endsWith("...")
                .hasSize(SubscriptionConflicts.MAX_TEXT_LENGTH + 3);
    }

    @Test
    void theLogForgetsAGroupThatAgreesAgainOrIsGone() {
        member(0, tags("T", "A", 1));
        assertThat(conflictLog.differing()).isZero();
        member(1, tags("T", "B", 1));
        assertThat(conflictLog.differing()).isEqualTo(1);
        member(1, tags("T", "A", 2));
        assertThat(conflictLog.differing())
                .as("a changed expression is looked at")
                .isZero();

        member(1, tags("T", "B", 3));
        assertThat(conflictLog.differing()).isEqualTo(1);
        connections.close(0);
        assertThat(conflictLog.differing()).isZero();
    }

    @Test
    void whoDiffersIsLoggedWithBothMembersAndWhatEachWantsOnceAMinute() {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger logger = (Logger) LoggerFactory.getLogger(ConflictLog.class);
        logger.addAppender(lines);
        try {
            member(0, tags("T", "A", 1));
            member(1, tags("T", "A || B", 2));
            clock.nowMs += ConflictLog.QUIET_MS - 1;
            member(0, tags("T", "C", 3));
            assertThat(lines.list)
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .containsExactly("event=subscriptions_differ group=g topics=1 topic=T one=c0 oneSub=\"TAG A\""
                            + " other=c1 otherSub=\"TAG A || B\"");
            clock.nowMs++;
            member(0, tags("T", "D", 4));
            assertThat(lines.list.get(1).getFormattedMessage()).contains("oneSub=\"TAG D\"");
        } finally {
            logger.detachAppender(lines);
        }
    }

    @Test
    void whatAClientWroteStaysWithinItsPlaceOfALine() {
        assertThat(ConflictLog.plain("TAG A\nevent=x \"b\"")).isEqualTo("TAG A?event=x ?b?");
    }
}
