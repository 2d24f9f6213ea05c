package dev.perigee.it.member;

import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.consumer.PushConsumerBuilder;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.protocol.group.MessageModel;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A consumer in a JVM of its own: notes what it does, leaves its group on SIGTERM, and otherwise runs until it is killed. */
public final class MemberMain {
    /** So long a call may take on a machine that is full. */
    public static final long PATIENT_MS = 20_000;

    private static final long SLOW_LEAVE_SECONDS = 15;

    private MemberMain() {}

    /** What {@link MemberSettings#toArguments} gives. */
    public static void main(String[] args) throws Exception {
        MemberSettings settings = MemberSettings.parse(args);
        NoteFile.Writer notes = settings.notes().writer();
        notes.add(Note.Kind.STARTING);
        if (settings.kind() == MemberSettings.Kind.PULL) {
            new Puller(settings, notes).run();
        } else {
            push(settings, notes);
            new CountDownLatch(1).await();
        }
    }

    private static void push(MemberSettings settings, NoteFile.Writer notes) throws ClientException {
        PushConsumerBuilder builder = PushConsumer.builder()
                .nameServers(settings.nameServers())
                .group(settings.group())
                .callTimeoutMs(PATIENT_MS)
                .consumeFrom(ConsumeFrom.firstOffset())
                .batchSize(settings.batchSize())
                .threads(8)
                .suspendMs(50);
        NotingListener listener = new NotingListener(settings, notes);
        switch (settings.kind()) {
            case ORDERLY -> builder.orderlyListener(listener::consumeInOrder);
            case BROADCAST ->
                builder.listener(listener::consume)
                        .model(MessageModel.BROADCASTING)
                        .instanceName("broadcasting")
                        .offsetFolder(settings.home().resolve("offsets"));
            default -> builder.listener(listener::consume);
        }
        settings.topics().forEach(topic -> builder.subscribe(topic, "*"));
        PushConsumer consumer = builder.build();
        leaveOnSigterm(consumer, notes);
        consumer.start();
        notes.add(Note.Kind.STARTED);
    }

    /** Leaving that takes long is shown with the stacks of all threads. */
    static void leaveOnSigterm(AutoCloseable consumer, NoteFile.Writer notes) {
        CountDownLatch left = new CountDownLatch(1);
        Thread watch = new Thread(() -> showStacksUnless(left), "leave-watch");
        watch.setDaemon(true);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            watch.start();
            notes.add(Note.Kind.CLOSING);
            try {
                consumer.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            notes.add(Note.Kind.CLOSED);
            left.countDown();
        }));
    }

    private static void showStacksUnless(CountDownLatch left) {
        try {
            if (!left.await(SLOW_LEAVE_SECONDS, TimeUnit.SECONDS)) {
                Thread.getAllStackTraces()
                        .forEach((thread, stack) -> System.out.println(thread + " " + Arrays.toString(stack)));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
