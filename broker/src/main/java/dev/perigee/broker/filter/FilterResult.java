package dev.perigee.broker.filter;

import dev.perigee.broker.check.Refusal;
import dev.perigee.loop.Immutable;

/** What a subscription comes to. */
@Immutable
public sealed interface FilterResult {
    /** It can be filtered by. */
    record Usable(MessageFilter filter) implements FilterResult {}

    /** It cannot; whoever wants to read by it is refused so. */
    record Unusable(Refusal refusal) implements FilterResult {}
}
