package dev.perigee.broker.pull;

import dev.perigee.broker.client.ClientRegistry;
import dev.perigee.broker.group.GroupCreation;
import dev.perigee.broker.offset.OffsetCommits;
import dev.perigee.broker.view.GroupView;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.Immutable;

/** The collaborators of a pull. */
@Immutable
public final class PullParts {
    private final PullChecks checks;
    private final QueueReader reader;
    private final PullWaiters waiters;
    private final PullPositions positions;
    private final OffsetCommits commits;
    private final GroupCreation groupCreation;

    /** Pulls check these views and registry, then read, wait, note where they were and commit. */
    public PullParts(
            TopicView topics,
            GroupView groups,
            ClientRegistry clients,
            QueueReader reader,
            PullWaiters waiters,
            PullPositions positions,
            OffsetCommits commits,
            GroupCreation groupCreation) {
        this.checks = new PullChecks(topics, groups, clients);
        this.reader = reader;
        this.waiters = waiters;
        this.positions = positions;
        this.commits = commits;
        this.groupCreation = groupCreation;
    }

    PullChecks checks() {
        return checks;
    }

    QueueReader reader() {
        return reader;
    }

    PullWaiters waiters() {
        return waiters;
    }

    PullPositions positions() {
        return positions;
    }

    OffsetCommits commits() {
        return commits;
    }

    GroupCreation groupCreation() {
        return groupCreation;
    }
}
