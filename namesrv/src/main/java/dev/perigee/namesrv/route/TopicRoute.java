package dev.perigee.namesrv.route;

import dev.perigee.loop.Immutable;
import java.util.List;
import java.util.SortedMap;

/**
 * Where a topic can be read and written.
 *
 * @param queues broker name → its queues, in order of names
 * @param brokers the groups of those names, in order of names; never empty
 */
@Immutable
public record TopicRoute(SortedMap<String, QueueSetting> queues, List<BrokerGroup> brokers) {}
