package dev.perigee.client.queue;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.group.ExpressionType;
import dev.perigee.protocol.group.SubscriptionData;

/**
 * Which messages of a topic a consumer wants.
 *
 * @param expression the text, in the language of the type
 * @param type one of {@link ExpressionType}
 */
@Immutable
public record TopicFilter(String expression, String type) {
    /** Every message. */
    public static final TopicFilter ALL = tags(SubscriptionData.ALL);

    public TopicFilter {
        if (!type.equals(ExpressionType.TAG) && !type.equals(ExpressionType.SQL92)) {
            throw new IllegalArgumentException("filter type '" + type + "' is unknown, there are " + ExpressionType.TAG
                    + " and " + ExpressionType.SQL92);
        }
        if (type.equals(ExpressionType.SQL92) && expression.isBlank()) {
            throw new IllegalArgumentException("the SQL92 expression is blank");
        }
    }

    /** By tags: {@code *} for all, otherwise tags joined by {@code ||}. */
    public static TopicFilter tags(String expression) {
        return new TopicFilter(expression, ExpressionType.TAG);
    }

    /** By an SQL92 condition on the properties; only brokers that allow it and understand it take it. */
    public static TopicFilter sql(String expression) {
        return new TopicFilter(expression, ExpressionType.SQL92);
    }

    /**
     * What brokers are told.
     *
     * @param version milliseconds; a larger one replaces a smaller one
     * @throws IllegalArgumentException when it is text of tags with no tag in it
     */
    SubscriptionData of(String topic, long version) {
        return ExpressionType.isTag(type)
                ? SubscriptionData.ofTags(topic, expression, version)
                : SubscriptionData.ofExpression(topic, expression, type, version);
    }
}
