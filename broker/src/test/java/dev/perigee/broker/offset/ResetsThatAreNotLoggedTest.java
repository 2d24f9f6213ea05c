package dev.perigee.broker.offset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.AskedStep;
import dev.perigee.broker.fact.Claims;
import dev.perigee.broker.fact.FactDesk;
import dev.perigee.broker.view.OffsetView;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.fact.FactCodec;
import dev.perigee.protocol.fact.QueueCommit;
import dev.perigee.protocol.fact.TopicChanged;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.FactListener;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.queue.ConsumeQueueView;
import dev.perigee.store.queue.QueueConfig;
import dev.perigee.store.view.LogEntry;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A reset whose fact the log refuses is tried again; who asked is told that it is not logged, and pulls hear of it when it is. */
class ResetsThatAreNotLoggedTest {
    private final Queue<FactListener> appends = new ArrayDeque<>();
    private final List<String> heard = new ArrayList<>();
    private final FactDesk desk = new FactDesk((fact, listener) -> {}, LevelLog.EMPTY, () -> {});
    private final OffsetCommits commits = new OffsetCommits(
            new OffsetView(Claims.NONE),
            withTopic(),
            new ConsumeQueueView(new CrashingDisk(new Random(1)), QueueConfig.DEFAULT, (offset, sizeBytes) -> 0),
            desk,
            (fact, listener) -> appends.add(listener),
            Clock.system());

    private static TopicView withTopic() {
        TopicView topics = new TopicView(Claims.NONE);
        FrameDraft draft = FactCodec.fill(new FrameDraft(), new TopicChanged(TopicConfig.of("T", 1)));
        ByteBuffer frame = ByteBuffer.allocate(draft.sizeBytes());
        draft.writeTo(frame);
        topics.apply(new LogEntry().wrap(frame.flip(), 0, 0));
        topics.passEnded();
        return topics;
    }

    private void logAnswers(AppendResult result) {
        assertThat(appends).hasSize(1);
        appends.remove().completed(result, 10);
        desk.doWork(0);
    }

    @Test
    void pullsThatWaitAreWokenWhenItIsLoggedAtLast() throws Exception {
        commits.onResetLogged(heard::add);
        QueueCommit wish = new QueueCommit("g", "T", 0, 0);
        AskedStep step = new AskedStep(
                reply -> commits.reset(List.of(wish), Holders.NONE, reply, () -> reply.ok(NoHeader.NONE)));
        CompletableFuture<Answer<NoHeader>> answer = step.ask();

        commits.doWork(0);
        logAnswers(AppendResult.DISK_FULL);
        step.settle();
        assertThat(answer).isDone();
        assertThat(answer.get().code()).isEqualTo(ResponseCode.SERVICE_NOT_AVAILABLE);
        assertThat(heard).isEmpty();

        commits.doWork(OffsetCommits.PERIOD_MS);
        logAnswers(AppendResult.APPENDED);
        assertThat(heard).containsExactly("T");
    }
}
