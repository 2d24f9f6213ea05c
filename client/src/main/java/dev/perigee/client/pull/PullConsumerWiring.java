package dev.perigee.client.pull;

import dev.perigee.client.codec.MessageReader;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.instance.ClientSettings;
import dev.perigee.client.position.BrokerOffsets;
import dev.perigee.client.queue.FlowGate;
import dev.perigee.client.queue.PullCalls;
import dev.perigee.client.queue.PullStyle;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.client.queue.StartPosition;
import dev.perigee.client.queue.Subscriptions;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.client.HeartbeatData;

/** Puts the parts of a pull consumer together. */
@OwnedBy("building thread")
final class PullConsumerWiring {
    final PullConfig config;
    final ClientInstance instance;
    final BrokerOffsets offsets;
    final StartPosition start;
    final PullCalls calls;
    final PollBuffer buffer;
    final FlowGate gate;
    final QueueChanges changes;
    final LiteQueues queues;
    final PullAssignment assignment;

    PullConsumerWiring(ClientSettings settings, PullConfig config) {
        this.config = config;
        Subscriptions subscriptions = new Subscriptions(settings.clock());
        PullRequests requests = new PullRequests();
        this.instance = new ClientInstance(settings, requests.table(), this::heartbeat);
        instance.routes().keep(topic -> subscriptions.of(topic).isPresent());
        this.offsets = new BrokerOffsets(instance, config.group(), BrokerOffsets.Committer.ANYBODY, null);
        this.start = new StartPosition(instance, offsets, config.from());
        PullStyle style = new PullStyle(
                PullStyle.Kind.LITE_PULL,
                config.pullBatchSize(),
                PullStyle.DEFAULT_MAX_BYTES,
                PullStyle.LITE_SUSPEND_MS,
                PullStyle.PULL_TIMEOUT_MS);
        this.calls = new PullCalls(instance, config.group(), style, new MessageReader());
        this.buffer = new PollBuffer(this::consumed, this::roomMade);
        this.gate = new FlowGate(config.limits(), config.topicLimits(), buffer::hasRoom);
        this.changes = settings.loopMode() == ClientSettings.LoopMode.STEPPED
                ? new QueueChanges(instance.loop())
                : QueueChanges.onOwnThread(config.group());
        Positions positions = new Positions(
                offsets,
                instance.loop(),
                config.autoCommitMs() > 0 ? Positions.Commits.AUTOMATIC : Positions.Commits.BY_USER);
        this.queues = new LiteQueues(
                instance,
                new LiteQueues.Parts(positions, start, buffer, changes),
                sink -> new QueuePuller.Parts(calls, subscriptions, gate, instance.loop(), instance.clock(), sink),
                this::retrySoon);
        this.assignment = new PullAssignment(config, instance, subscriptions, queues);
        requests.bind(new PullRequests.Consumer(
                config,
                instance,
                subscriptions,
                queues,
                assignment,
                instance.clock().wallMs()));
    }

    private HeartbeatData heartbeat() {
        return assignment.heartbeat();
    }

    private void retrySoon() {
        assignment.retrySoon();
    }

    private void consumed(PollBuffer.Fetched batch) {
        instance.loop().execute(() -> queues.consumed(batch));
    }

    private void roomMade() {
        instance.loop().execute(gate::releasedAll);
    }
}
