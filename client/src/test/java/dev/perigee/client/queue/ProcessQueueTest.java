package dev.perigee.client.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ProcessQueueTest {
    private static final InetSocketAddress HOST = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);

    private final ProcessQueue queue = new ProcessQueue(10);

    private static MessageExt message(long offset) {
        return new MessageExt(Message.of("T", "m"), "b", 0, offset, offset * 100, 100, 0, 0, HOST, 0, HOST, 0, 0, 0);
    }

    private List<ProcessQueue.Slot> add(long next, long... offsets) {
        List<MessageExt> messages = new ArrayList<>();
        for (long offset : offsets) {
            messages.add(message(offset));
        }
        return queue.add(messages, next);
    }

    @Test
    void neverCommitsBeyondTheOldestUnfinishedMessage() {
        List<ProcessQueue.Slot> slots = add(13, 10, 11, 12);
        queue.finish(slots.get(2));
        assertThat(queue.commitOffset()).isEqualTo(10);
        queue.finish(slots.get(0));
        assertThat(queue.commitOffset()).isEqualTo(11);
        queue.finish(slots.get(1));
        assertThat(queue.commitOffset()).isEqualTo(13);
    }

    @Test
    void commitsPastFilteredMessagesWhenNothingIsUnfinished() {
        List<ProcessQueue.Slot> slots = add(20, 15);
        assertThat(queue.commitOffset()).isEqualTo(15);
        queue.finish(slots.get(0));
        assertThat(queue.commitOffset()).isEqualTo(20);
    }

    @Test
    void countsOnlyWhatIsUnfinished() {
        List<ProcessQueue.Slot> slots = add(13, 10, 11, 12);
        assertThat(queue.count()).isEqualTo(3);
        assertThat(queue.bytes()).isEqualTo(300);
        assertThat(queue.span()).isEqualTo(2);
        queue.finish(slots.get(1));
        queue.finish(slots.get(1));
        assertThat(queue.count()).isEqualTo(2);
        assertThat(queue.bytes()).isEqualTo(200);
    }

    @Test
    void ignoresMessagesBelowWhatWasAskedFor() {
        add(13, 10, 11, 12);
        assertThat(add(14, 12, 13)).hasSize(1);
        assertThat(queue.nextOffset()).isEqualTo(14);
    }

    @Test
    void ignoresSlotsOfAnotherQueue() {
        ProcessQueue.Slot foreign =
                new ProcessQueue(0).add(List.of(message(0)), 1).get(0);
        add(11, 10);
        queue.finish(foreign);
        assertThat(queue.count()).isEqualTo(1);
    }

    @Test
    void commitOffsetNeverFallsWhateverTheOrderOfFinishing() {
        Random random = new Random(7);
        List<ProcessQueue.Slot> open = new ArrayList<>();
        long next = 10;
        long last = queue.commitOffset();
        for (int round = 0; round < 200; round++) {
            open.addAll(add(next + 3, next, next + 2));
            next += 3;
            Collections.shuffle(open, random);
            for (int i = random.nextInt(4); i > 0 && !open.isEmpty(); i--) {
                queue.finish(open.remove(open.size() - 1));
                assertThat(queue.commitOffset()).isGreaterThanOrEqualTo(last);
                last = queue.commitOffset();
            }
        }
        open.forEach(queue::finish);
        assertThat(queue.commitOffset()).isEqualTo(next);
        assertThat(queue.count()).isZero();
    }
}
