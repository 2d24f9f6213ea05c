package dev.perigee.broker.registration;

import dev.perigee.broker.view.Topics;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.topic.DataVersion;
import dev.perigee.protocol.topic.Permission;
import dev.perigee.protocol.topic.TopicConfig;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a broker has to offer at one moment.
 *
 * @param topics its topics
 * @param permission what the broker as a whole allows; taken from every topic's permission
 * @param permissionChanges how often that has changed since the start
 * @param permissionMs since when it is so, wall time
 * @param epoch in which a master writes: NameServers leave a name with who has the higher one (R32); 0 of a slave
 * @param brokerId 0 of a master, which a member of a group is while it leads
 * @param complete whether these are the topics of the broker's name: a slave that is being filled knows some of them
 */
@Immutable
record Offer(
        Topics topics,
        int permission,
        long permissionChanges,
        long permissionMs,
        long epoch,
        long brokerId,
        boolean complete) {
    /** The version of what is told: another one also when only the permission changed, for then every topic does. */
    DataVersion version() {
        DataVersion own = topics.version();
        return new DataVersion(
                Math.max(own.stateVersion(), epoch),
                Math.max(own.timestamp(), permissionMs),
                own.counter() + permissionChanges);
    }

    /** The number of the last change of a topic in it. */
    long change() {
        return topics.version().counter();
    }

    /** All topics as NameServers are told. */
    Map<String, TopicConfig> all() {
        Map<String, TopicConfig> told = new TreeMap<>();
        topics.byName().forEach((name, config) -> told.put(name, told(config)));
        return told;
    }

    /** The topics that are new or different here. */
    Map<String, TopicConfig> since(Offer before) {
        Map<String, TopicConfig> changed = new TreeMap<>();
        topics.byName().forEach((name, config) -> {
            if (!config.equals(before.topics.find(name))) {
                changed.put(name, told(config));
            }
        });
        return changed;
    }

    /** Whether the difference can be told by changed topics alone. */
    boolean extendsOffer(Offer before) {
        return permission == before.permission
                && complete == before.complete
                && brokerId == before.brokerId
                && topics.byName().keySet().containsAll(before.topics.byName().keySet());
    }

    /** Whether anything changed since; cheap. */
    boolean differsFrom(Offer before) {
        return permission != before.permission
                || complete != before.complete
                || isAnotherThan(before)
                || !topics.version().equals(before.topics.version());
    }

    /** Whether this broker is another one of its name than before, or the master anew: one of another epoch may have been it in between. */
    boolean isAnotherThan(Offer before) {
        return brokerId != before.brokerId || epoch != before.epoch;
    }

    private TopicConfig told(TopicConfig config) {
        int allowed = permission | Permission.INHERIT;
        return (config.perm() & allowed) == config.perm() ? config : config.withPerm(config.perm() & allowed);
    }
}
