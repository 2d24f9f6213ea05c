package dev.perigee.broker.view;

import dev.perigee.loop.Immutable;

/** One topic as one group reads it. */
@Immutable
public record GroupTopic(String group, String topic) {}
