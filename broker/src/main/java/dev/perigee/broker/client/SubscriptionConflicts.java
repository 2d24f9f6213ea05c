package dev.perigee.broker.client;

import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.ExpressionType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.topic.TopicName;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Where the members of a group that share out queues among them want different things of the same topic: then what is read
 * of a queue depends on who has it. Pure functions.
 *
 * <p>Left out are members that consume by broadcasting, each of which reads all queues for itself; members without any
 * subscription, which choose their queues by hand; and retry topics, which every member reads whole.
 */
public final class SubscriptionConflicts {
    /** Topics that are shown at most. */
    static final int MAX_TOPICS = 100;

    /** Members that are shown of one topic at most, one for each different wish first. */
    static final int MAX_MEMBERS = 20;

    /** Characters of an expression that are shown. */
    static final int MAX_TEXT_LENGTH = 256;

    /** What a member wants that does not subscribe to the topic. */
    static final String NOTHING = "nothing";

    private SubscriptionConflicts() {}

    /**
     * topic → client id → what that member wants of it, as {@code TYPE expression}; empty when all agree. Tags are compared
     * as sets. At most {@value #MAX_TOPICS} topics with {@value #MAX_MEMBERS} members each.
     */
    public static Map<String, Map<String, String>> of(ConsumerGroup group) {
        List<Member> sharing = group.members().stream()
                .filter(SubscriptionConflicts::isSharing)
                .sorted(Comparator.comparing(Member::clientId))
                .toList();
        if (sharing.size() < 2) {
            return Map.of();
        }
        Map<String, Map<String, String>> conflicts = new TreeMap<>();
        for (String topic : topicsOf(sharing)) {
            if (conflicts.size() < MAX_TOPICS && !isAgreed(topic, sharing)) {
                Map<String, String> shown = wishes(topic, sharing);
                if (!shown.isEmpty()) {
                    conflicts.put(topic, shown);
                }
            }
        }
        return conflicts;
    }

    private static boolean isSharing(Member member) {
        return member.consumeType() != ConsumeType.CONSUME_POP
                && member.messageModel() == MessageModel.CLUSTERING
                && !member.subscriptions().isEmpty();
    }

    private static Set<String> topicsOf(List<Member> members) {
        Set<String> topics = new TreeSet<>();
        members.forEach(member -> topics.addAll(member.subscriptions().keySet()));
        topics.removeIf(topic -> topic.startsWith(TopicName.RETRY_PREFIX));
        return topics;
    }

    /** The quick look: expressions that are alike are kept once, so most are the same objects. */
    private static boolean isAgreed(String topic, List<Member> members) {
        SubscriptionData first = members.get(0).subscription(topic);
        for (Member member : members) {
            SubscriptionData other = member.subscription(topic);
            if (first == null
                    || other == null
                    || !first.tagsSet().equals(other.tagsSet())
                    || !first.subString().equals(other.subString())
                    || !first.expressionType().equals(other.expressionType())) {
                return false;
            }
        }
        return true;
    }

    private static Map<String, String> wishes(String topic, List<Member> members) {
        Map<String, List<String>> byWish = new LinkedHashMap<>();
        for (Member member : members) {
            byWish.computeIfAbsent(wish(member.subscription(topic)), wish -> new ArrayList<>())
                    .add(member.clientId());
        }
        Map<String, String> shown = new TreeMap<>();
        if (byWish.size() < 2) {
            return shown;
        }
        byWish.forEach((wish, ids) -> show(shown, ids.get(0), wish));
        byWish.forEach((wish, ids) -> ids.forEach(id -> show(shown, id, wish)));
        return shown;
    }

    private static void show(Map<String, String> shown, String clientId, String wish) {
        if (shown.size() < MAX_MEMBERS) {
            shown.putIfAbsent(
                    clientId, wish.length() <= MAX_TEXT_LENGTH ? wish : wish.substring(0, MAX_TEXT_LENGTH) + "...");
        }
    }

    private static String wish(@Nullable SubscriptionData subscription) {
        if (subscription == null) {
            return NOTHING;
        }
        if (!ExpressionType.isTag(subscription.expressionType())) {
            return subscription.expressionType() + " " + subscription.subString();
        }
        Set<String> tags = new TreeSet<>(Comparator.nullsFirst(Comparator.naturalOrder()));
        tags.addAll(subscription.tagsSet());
        return ExpressionType.TAG + " " + (tags.isEmpty() ? SubscriptionData.ALL : String.join(" || ", tags));
    }
}
