package dev.perigee.broker.client;

import dev.perigee.loop.InOrder;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.group.SubscriptionData;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that the subscriptions of all connected consumers may take together. Expressions that are alike, of whatever
 * member of whatever group, are kept and counted once.
 */
@ThreadSafe
final class SubscriptionBudget {
    /** Unless set otherwise. */
    static final long MAX_BYTES = 128L << 20;

    /** Of a subscription and of an expression, beside the characters; of a tag and a code. */
    private static final int SUBSCRIPTION_BYTES = 128;

    private static final int EXPRESSION_BYTES = 256;
    private static final int TAG_BYTES = 96;
    private static final int CODE_BYTES = 48;

    private record Expression(String type, String text, Set<String> tags, Set<Integer> codes) {
        static Expression of(SubscriptionData subscription) {
            return new Expression(
                    subscription.expressionType(),
                    subscription.subString(),
                    subscription.tagsSet(),
                    subscription.codeSet());
        }

        long sizeBytes() {
            long characters = (long) text.length() + type.length();
            for (String tag : tags) {
                characters += tag == null ? 0 : tag.length();
            }
            return EXPRESSION_BYTES
                    + Character.BYTES * characters
                    + (long) TAG_BYTES * tags.size()
                    + (long) CODE_BYTES * codes.size();
        }
    }

    /** The one of all equal expressions that is kept, and how many subscriptions have it. */
    private record Kept(Expression expression, int users) {}

    private final ConcurrentHashMap<Expression, Kept> expressions = new ConcurrentHashMap<>();
    private final AtomicLong takenBytes = new AtomicLong();
    private final long maxBytes;

    SubscriptionBudget(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    long maxBytes() {
        return maxBytes;
    }

    long takenBytes() {
        return takenBytes.get();
    }

    /** A change begins: what is dropped and added is so at once, and {@link Change#fits} decides whether it stays. */
    Change change() {
        return new Change();
    }

    /** Subscriptions that come and go together. Used by one thread. */
    final class Change {
        private final List<Map<String, SubscriptionData>> added = new ArrayList<>(2);
        private final List<Map<String, SubscriptionData>> dropped = new ArrayList<>(2);
        private long moreBytes;

        private Change() {}

        /** The same subscriptions when they are as known, else the wanted ones in place of those. */
        Map<String, SubscriptionData> replace(
                Map<String, SubscriptionData> known, Map<String, SubscriptionData> wanted) {
            if (known.equals(wanted)) {
                return known;
            }
            drop(known);
            Map<String, SubscriptionData> kept = retain(wanted);
            added.add(kept);
            return kept;
        }

        void drop(Map<String, SubscriptionData> known) {
            release(known);
            dropped.add(known);
        }

        /** False when all subscriptions together now take more than before and too much; then the change is undone. */
        boolean fits() {
            if (moreBytes <= 0 || takenBytes.get() <= maxBytes) {
                return true;
            }
            added.forEach(this::release);
            dropped.forEach(this::retain);
            return false;
        }

        private Map<String, SubscriptionData> retain(Map<String, SubscriptionData> wanted) {
            Map<String, SubscriptionData> kept = new HashMap<>(wanted.size() * 2);
            wanted.forEach((topic, subscription) -> kept.put(topic, retain(subscription)));
            return InOrder.copyOf(kept);
        }

        private SubscriptionData retain(SubscriptionData wanted) {
            Kept kept = expressions.compute(Expression.of(wanted), (expression, known) -> {
                if (known == null) {
                    take(expression.sizeBytes());
                    return new Kept(expression, 1);
                }
                return new Kept(known.expression(), known.users() + 1);
            });
            take(ownBytes(wanted));
            Expression expression = kept.expression();
            return new SubscriptionData(
                    wanted.topic(),
                    expression.text(),
                    expression.tags(),
                    expression.codes(),
                    wanted.subVersion(),
                    expression.type(),
                    wanted.classFilterMode());
        }

        private void release(Map<String, SubscriptionData> known) {
            for (SubscriptionData subscription : known.values()) {
                expressions.computeIfPresent(Expression.of(subscription), (expression, kept) -> {
                    if (kept.users() > 1) {
                        return new Kept(kept.expression(), kept.users() - 1);
                    }
                    take(-expression.sizeBytes());
                    return null;
                });
                take(-ownBytes(subscription));
            }
        }

        private void take(long bytes) {
            takenBytes.addAndGet(bytes);
            moreBytes += bytes;
        }

        private static long ownBytes(SubscriptionData subscription) {
            return SUBSCRIPTION_BYTES
                    + (long) Character.BYTES * subscription.topic().length();
        }
    }
}
