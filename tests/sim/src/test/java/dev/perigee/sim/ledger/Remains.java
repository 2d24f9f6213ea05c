package dev.perigee.sim.ledger;

import dev.perigee.protocol.message.MessageQueue;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * What the broker holds.
 *
 * @param messages bodies of the topic, by queue and offset
 * @param deadLetters bodies set aside, by group
 */
public record Remains(Map<MessageQueue, SortedMap<Long, String>> messages, Map<Group, List<String>> deadLetters) {}
