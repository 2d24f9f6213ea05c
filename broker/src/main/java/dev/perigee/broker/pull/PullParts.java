package dev.perigee.broker.pull;

import dev.perigee.broker.client.ClientRegistry;
import dev.perigee.broker.filter.FilterCache;
import dev.perigee.broker.group.GroupCreation;
import dev.perigee.broker.offset.CommitRights;
import dev.perigee.broker.offset.OffsetCommits;
import dev.perigee.broker.view.GroupView;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.Immutable;
import dev.perigee.replica.Standing;

/**
 * The collaborators of a pull.
 *
 * @param topics what it is checked against, with the next three
 * @param groups likewise
 * @param clients likewise
 * @param filters what it may filter by
 * @param reader answers it
 * @param waiters where it waits
 * @param rights take note of it, and say whether what it commits counts
 * @param commits take the offset it carries
 * @param groupCreation makes a group that is not there
 * @param standing whether this is a slave, and whether its master is there
 */
@Immutable
public record PullParts(
        TopicView topics,
        GroupView groups,
        ClientRegistry clients,
        FilterCache filters,
        QueueReader reader,
        PullWaiters waiters,
        CommitRights rights,
        OffsetCommits commits,
        GroupCreation groupCreation,
        Standing standing) {}
