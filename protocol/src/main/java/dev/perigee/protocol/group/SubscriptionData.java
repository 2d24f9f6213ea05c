package dev.perigee.protocol.group;

import dev.perigee.protocol.property.TagHash;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a consumer wants of a topic.
 *
 * @param topic the topic
 * @param subString the expression; {@code *} for all
 * @param tagsSet the tags of a tag expression, empty for all
 * @param codeSet their Java hashes
 * @param subVersion milliseconds; a larger one replaces a smaller one
 * @param expressionType one of {@link ExpressionType}
 * @param classFilterMode legacy, false
 */
public record SubscriptionData(
        String topic,
        String subString,
        Set<String> tagsSet,
        Set<Integer> codeSet,
        long subVersion,
        String expressionType,
        boolean classFilterMode) {
    /** The expression that wants every message. */
    public static final String ALL = "*";

    private static final Pattern TAG_SEPARATOR = Pattern.compile("\\|\\|");

    public SubscriptionData {
        subString = subString == null ? ALL : subString;
        tagsSet = tagsSet == null ? Set.of() : tagsSet;
        codeSet = codeSet == null ? Set.of() : codeSet;
        expressionType = expressionType == null ? ExpressionType.TAG : expressionType;
    }

    /**
     * Parses a tag expression: tags joined by {@code ||}; blanks around tags and empty tags are ignored; {@code *} or
     * nothing is all.
     *
     * @throws IllegalArgumentException when there is text but no tag in it
     */
    public static SubscriptionData ofTags(String topic, @Nullable String expression, long version) {
        if (expression == null || expression.isEmpty() || expression.equals(ALL)) {
            return new SubscriptionData(topic, ALL, Set.of(), Set.of(), version, ExpressionType.TAG, false);
        }
        Set<String> tags = new LinkedHashSet<>();
        Set<Integer> codes = new LinkedHashSet<>();
        for (String piece : TAG_SEPARATOR.split(expression)) {
            String tag = piece.strip();
            if (!tag.isEmpty()) {
                tags.add(tag);
                codes.add(TagHash.of(tag));
            }
        }
        if (tags.isEmpty()) {
            throw new IllegalArgumentException("no tag in the expression '" + expression + "'");
        }
        return new SubscriptionData(topic, expression, tags, codes, version, ExpressionType.TAG, false);
    }

    /** An expression of another language, for instance SQL92; kept as text. */
    public static SubscriptionData ofExpression(String topic, String expression, String type, long version) {
        return new SubscriptionData(topic, expression, Set.of(), Set.of(), version, type, false);
    }
}
