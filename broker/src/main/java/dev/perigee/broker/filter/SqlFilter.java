package dev.perigee.broker.filter;

import dev.perigee.loop.Immutable;

/** Takes the messages for which an SQL92 expression holds. It is shared by all readers that asked for the same. */
@Immutable
final class SqlFilter implements MessageFilter {
    private final Operand.Condition condition;

    SqlFilter(Operand.Condition condition) {
        this.condition = condition;
    }

    @Override
    public boolean takesAll() {
        return false;
    }

    @Override
    public boolean mayTake(long tagHash) {
        return true;
    }

    @Override
    public boolean needsProperties() {
        return true;
    }

    @Override
    public boolean takes(PropertyLookup properties) {
        return test(properties) == Truth.TRUE;
    }

    Truth test(PropertyLookup properties) {
        return condition.test(properties);
    }

    @Override
    public long sizeBytes() {
        return 0; // the cache counts it
    }
}
