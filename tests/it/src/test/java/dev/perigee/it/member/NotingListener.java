package dev.perigee.it.member;

import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.protocol.message.MessageExt;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A listener that notes every call. */
final class NotingListener {
    private final MemberSettings settings;
    private final NoteFile.Writer notes;

    NotingListener(MemberSettings settings, NoteFile.Writer notes) {
        this.settings = settings;
        this.notes = notes;
    }

    /** Notes the end of the call only: concurrent calls may overlap. */
    ConsumeResult consume(List<MessageExt> messages) throws InterruptedException {
        dawdle(settings);
        return end(messages);
    }

    ConsumeResult consumeInOrder(List<MessageExt> messages) throws InterruptedException {
        notes.add(note(Note.Kind.BEGUN, messages));
        dawdle(settings);
        return end(messages);
    }

    private ConsumeResult end(List<MessageExt> messages) {
        boolean fails = settings.isBlocked(messages.get(0).queueId())
                || messages.stream().anyMatch(message -> failsOnce(settings, message));
        notes.add(note(fails ? Note.Kind.FAILED : Note.Kind.DONE, messages));
        return fails ? ConsumeResult.LATER : ConsumeResult.SUCCESS;
    }

    private static boolean failsOnce(MemberSettings settings, MessageExt message) {
        return settings.failEvery() > 0
                && message.reconsumeTimes() == 0
                && numberOf(message) % settings.failEvery() == 0;
    }

    static void dawdle(MemberSettings settings) throws InterruptedException {
        if (settings.callMs() > 0) {
            new CountDownLatch(1).await(settings.callMs(), TimeUnit.MILLISECONDS);
        }
    }

    static Note note(Note.Kind kind, List<MessageExt> messages) {
        MessageExt first = messages.get(0);
        return new Note(
                kind,
                first.topic(),
                first.queueId(),
                messages.size(),
                first.queueOffset(),
                numberOf(first),
                System.nanoTime());
    }

    /** What the sender counted: the body up to the colon. */
    static long numberOf(MessageExt message) {
        String body = message.bodyText();
        return Long.parseLong(body.substring(0, body.indexOf(':')));
    }
}
