package dev.perigee.it.member;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.ClosedException;
import dev.perigee.client.pull.PullConsumer;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import java.util.List;
import java.util.Map;

/** Polls, notes what it got, and commits: automatically, or itself after every poll. */
final class Puller {
    private static final long POLL_MS = 100;

    private final MemberSettings settings;
    private final NoteFile.Writer notes;
    private final PullConsumer consumer;

    Puller(MemberSettings settings, NoteFile.Writer notes) {
        this.settings = settings;
        this.notes = notes;
        this.consumer = PullConsumer.builder()
                .nameServers(settings.nameServers())
                .group(settings.group())
                .callTimeoutMs(MemberMain.PATIENT_MS)
                .consumeFrom(ConsumeFrom.firstOffset())
                .pullBatchSize(settings.batchSize())
                .autoCommitMs(settings.autoCommitMs())
                .build();
    }

    void run() throws ClientException, InterruptedException {
        for (String topic : settings.topics()) {
            consumer.subscribe(topic, "*");
        }
        MemberMain.leaveOnSigterm(consumer, notes);
        consumer.start();
        notes.add(Note.Kind.STARTED);
        try {
            while (true) {
                poll();
            }
        } catch (ClosedException e) {
            return; // asked to leave
        }
    }

    private void poll() throws ClientException, InterruptedException {
        List<MessageExt> messages = consumer.poll(POLL_MS);
        if (messages.isEmpty()) {
            return;
        }
        notes.add(NotingListener.note(Note.Kind.DONE, messages));
        NotingListener.dawdle(settings);
        if (settings.autoCommitMs() == 0) {
            commit(messages);
        }
    }

    /** A queue that is not ours any more is not committed: its next owner gets the messages again. */
    private void commit(List<MessageExt> messages) throws ClientException {
        MessageExt last = messages.get(messages.size() - 1);
        MessageQueue queue = last.queue();
        long next = last.queueOffset() + 1;
        try {
            consumer.commit(Map.of(queue, next));
        } catch (IllegalArgumentException e) {
            return; // lost meanwhile
        }
        notes.add(new Note(Note.Kind.COMMITTED, queue.topic(), queue.queueId(), 0, next, 0, System.nanoTime()));
    }
}
