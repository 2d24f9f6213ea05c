package dev.perigee.broker.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.check.TextLimits;
import dev.perigee.protocol.client.ConsumerData;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.client.ProducerData;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.group.SubscriptionData;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Long subscriptions are fine, endless ones are not; the answer names field, value and limit. */
final class HeartbeatTextsTest {
    private static final int LIMIT = TextLimits.MAX_EXPRESSION_LENGTH;

    private static HeartbeatData heartbeat(String clientId, String group, SubscriptionData subscription) {
        ConsumerData consumer = new ConsumerData(
                group,
                ConsumeType.CONSUME_PASSIVELY,
                MessageModel.CLUSTERING,
                ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET,
                Set.of(subscription),
                false);
        return new HeartbeatData(clientId, Set.of(new ProducerData("p")), Set.of(consumer), 0, false);
    }

    private static HeartbeatData heartbeat(SubscriptionData subscription) {
        return heartbeat("c", "g", subscription);
    }

    @Test
    void thousandsOfTagsAreWithinTheLimit() {
        String tags =
                IntStream.range(0, 10_000).mapToObj(i -> "tag-number-" + i).collect(Collectors.joining(" || "));
        assertThat(tags).hasSizeLessThan(LIMIT);
        assertThat(HeartbeatTexts.excessIn(heartbeat(SubscriptionData.ofTags("T", tags, 1))))
                .isNull();
    }

    @Test
    void anExpressionTooLongIsNamedWithItsTopicAndGroup() {
        SubscriptionData subscription = SubscriptionData.ofExpression("T", "x".repeat(LIMIT + 1), "SQL92", 1);
        assertThat(HeartbeatTexts.excessIn(heartbeat(subscription)))
                .isEqualTo(
                        "subString of topic T in consumer group g has " + (LIMIT + 1) + " characters, limit " + LIMIT);
    }

    @Test
    void tagsAndCodesBesideTheExpressionAreLimitedToo() {
        SubscriptionData text =
                new SubscriptionData("T", "*", Set.of("x".repeat(LIMIT), "y"), Set.of(), 1, "TAG", false);
        assertThat(HeartbeatTexts.excessIn(heartbeat(text))).contains("tagsSet", "limit " + LIMIT);
        Set<Integer> codes =
                IntStream.rangeClosed(0, TextLimits.MAX_TAGS).boxed().collect(Collectors.toSet());
        SubscriptionData numbers = new SubscriptionData("T", "*", Set.of(), codes, 1, "TAG", false);
        assertThat(HeartbeatTexts.excessIn(heartbeat(numbers))).contains("codeSet", "limit " + TextLimits.MAX_TAGS);
    }

    @Test
    void namesAreLimited() {
        SubscriptionData all = SubscriptionData.ofTags("T", "*", 1);
        String endless = "x".repeat(2_000);
        assertThat(HeartbeatTexts.excessIn(heartbeat(endless, "g", all))).contains("clientID", "2000", "1024");
        assertThat(HeartbeatTexts.excessIn(heartbeat("c", endless, all))).contains("groupName of a consumer", "255");
        assertThat(HeartbeatTexts.excessIn(
                        new HeartbeatData("c", Set.of(new ProducerData(endless)), Set.of(), 0, false)))
                .contains("groupName of a producer", "255");
        assertThat(HeartbeatTexts.excessIn(heartbeat(SubscriptionData.ofExpression("T", "*", endless, 1))))
                .contains("expressionType of topic T", "1024");
    }
}
