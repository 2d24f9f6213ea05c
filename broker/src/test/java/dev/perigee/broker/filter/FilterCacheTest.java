package dev.perigee.broker.filter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.group.ExpressionType;
import dev.perigee.protocol.group.SubscriptionData;
import org.junit.jupiter.api.Test;

/** Filters and refusals are kept up to a number and a size, and what is asked for stays. */
final class FilterCacheTest {
    private final ClockCache<FilterResult> filters = new ClockCache<>(3, 1 << 20);
    private final ClockCache<FilterResult> refusals = new ClockCache<>(2, 1 << 20);
    private final FilterCache cache = new FilterCache(() -> true, filters, refusals);

    private FilterResult get(String sql) {
        return cache.get(SubscriptionData.ofExpression("T", sql, ExpressionType.SQL92, 0));
    }

    @Test
    void theSameExpressionGivesTheSameFilter() {
        assertThat(get("a = 1")).isSameAs(get("a = 1")).isNotSameAs(get("a = 2"));
        assertThat(get("a =")).isSameAs(get("a =")).isInstanceOf(FilterResult.Unusable.class);
    }

    @Test
    void whatWasNotAskedForGoesFirst() {
        FilterResult one = get("a = 1");
        FilterResult two = get("a = 2");
        FilterResult three = get("a = 3");
        get("a = 1");
        get("a = 3");
        get("a = 4");
        assertThat(filters.size()).isEqualTo(3);
        assertThat(get("a = 1")).isSameAs(one);
        assertThat(get("a = 3")).isSameAs(three);
        assertThat(get("a = 2")).isNotSameAs(two);
    }

    @Test
    void thousandsOfExpressionsTakeNoMoreThanTheLimit() {
        for (int i = 0; i < 5_000; i++) {
            assertThat(get("a = " + i)).isInstanceOf(FilterResult.Usable.class);
            assertThat(get("a = " + i + " ?")).isInstanceOf(FilterResult.Unusable.class);
        }
        assertThat(filters.size()).isEqualTo(3);
        assertThat(refusals.size()).isEqualTo(2);
    }

    @Test
    void theirSizeIsLimitedToo() {
        ClockCache<String> small = new ClockCache<>(100, 1_000);
        for (int i = 0; i < 50; i++) {
            small.put("k" + i, "v", 300);
            assertThat(small.sizeBytes()).isLessThanOrEqualTo(1_000);
        }
        assertThat(small.size()).isEqualTo(3);
        small.put("large", "v", 1_001);
        assertThat(small.get("large")).isNull();
        assertThat(small.size()).isEqualTo(3);
        small.put("k49", "other", 300);
        assertThat(small.get("k49")).isEqualTo("v");
        assertThat(small.sizeBytes()).isEqualTo(900);
    }

    @Test
    void anExpressionThatIsTooLongIsNotKept() {
        get("a = '" + "x".repeat(SqlCompiler.MAX_LENGTH) + "'");
        assertThat(refusals.size()).isZero();
    }
}
