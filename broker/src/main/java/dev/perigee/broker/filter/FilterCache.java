package dev.perigee.broker.filter;

import dev.perigee.broker.check.Refusal;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.group.ExpressionType;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.rpc.ResponseCode;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes filters of subscriptions, and keeps those of SQL92 expressions, which are costly to make: {@value #MAX_FILTERS} and 32 MiB of
 * them, and {@value #MAX_REFUSALS} and 8 MiB of refused expressions; what was not asked for lately goes first and is made again.
 */
@ThreadSafe
public final class FilterCache {
    /** Expressions that are kept ready. */
    static final int MAX_FILTERS = 10_000;

    private static final long MAX_FILTER_BYTES = 32L << 20;

    /** Expressions that are known to be bad. */
    static final int MAX_REFUSALS = 1_000;

    private static final long MAX_REFUSAL_BYTES = 8L << 20;

    /** Of an entry, and of what is made of one word or sign. */
    private static final int ENTRY_BYTES = 256;

    private static final int TOKEN_BYTES = 64;

    private final BooleanSupplier sqlEnabled;
    private final ClockCache<FilterResult> filters;
    private final ClockCache<FilterResult> refusals;

    /** {@code sqlEnabled} is the setting {@code enablePropertyFilter}, asked each time. */
    public FilterCache(BooleanSupplier sqlEnabled) {
        this(
                sqlEnabled,
                new ClockCache<>(MAX_FILTERS, MAX_FILTER_BYTES),
                new ClockCache<>(MAX_REFUSALS, MAX_REFUSAL_BYTES));
    }

    FilterCache(BooleanSupplier sqlEnabled, ClockCache<FilterResult> filters, ClockCache<FilterResult> refusals) {
        this.sqlEnabled = sqlEnabled;
        this.filters = filters;
        this.refusals = refusals;
    }

    /**
     * The filter of a subscription, or why there is none: code 23 for a bad expression, 1 for a language that is not spoken here. From
     * any thread; an expression that is not kept is compiled, which takes a few milliseconds at most.
     */
    public FilterResult get(SubscriptionData subscription) {
        String type = subscription.expressionType();
        if (ExpressionType.isTag(type)) {
            return new FilterResult.Usable(TagFilter.of(subscription));
        }
        if (!type.equals(ExpressionType.SQL92)) {
            return unsupported(type, "only by TAG and SQL92");
        }
        return sqlEnabled.getAsBoolean()
                ? sql(subscription.subString())
                : unsupported(type, "enablePropertyFilter is false");
    }

    private static FilterResult unsupported(String type, String why) {
        return new FilterResult.Unusable(new Refusal(
                ResponseCode.SYSTEM_ERROR,
                "The broker does not support consumer to filter message by " + type + ", " + why));
    }

    private FilterResult sql(String expression) {
        FilterResult kept = kept(expression);
        if (kept != null) {
            return kept;
        }
        FilterResult made = SqlCompiler.compile(expression);
        long textBytes = ENTRY_BYTES + (long) Character.BYTES * expression.length();
        if (made instanceof FilterResult.Usable) {
            long tokens = Math.min(expression.length(), SqlCompiler.MAX_TOKENS);
            filters.put(expression, made, textBytes + TOKEN_BYTES * tokens);
        } else if (expression.length() <= SqlCompiler.MAX_LENGTH) { // the others are refused at a glance
            refusals.put(expression, made, textBytes);
        }
        return made;
    }

    private @Nullable FilterResult kept(String expression) {
        FilterResult kept = filters.get(expression);
        return kept == null ? refusals.get(expression) : kept;
    }
}
