package dev.perigee.protocol.allocate;

import java.util.List;
import java.util.Optional;

/** The strategies that need no settings, by their wire name. A new one is a line in this table. */
public final class AllocateStrategies {
    /** The default of every push consumer. */
    public static final AllocateMessageQueueStrategy AVERAGELY = new AllocateMessageQueueAveragely();

    private static final List<AllocateMessageQueueStrategy> TABLE =
            List.of(AVERAGELY, new AllocateMessageQueueAveragelyByCircle(), new AllocateMessageQueueConsistentHash());

    private AllocateStrategies() {}

    /** The strategy with this wire name, if it is one of those that need no settings. */
    public static Optional<AllocateMessageQueueStrategy> named(String name) {
        return TABLE.stream().filter(s -> s.name().equals(name)).findFirst();
    }
}
