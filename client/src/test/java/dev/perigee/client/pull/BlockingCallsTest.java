package dev.perigee.client.pull;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.FakeNameServer;
import dev.perigee.client.fake.Resources;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.remoting.netty.EventLoops;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The methods of a pull consumer that wait, over real sockets and on its own loop. */
final class BlockingCallsTest {
    private static final MessageQueue QUEUE = new MessageQueue("T", "a", 0);

    @RegisterExtension
    private final Resources resources = new Resources();

    private FakeBroker broker;
    private PullConsumer consumer;

    @BeforeEach
    void tenMessages() throws Exception {
        EventLoops loops = resources.opened(EventLoops.start("blocking-calls-test", 1));
        FakeNameServer nameServer = resources.opened(new FakeNameServer(loops, Clock.system()));
        broker = resources.opened(new FakeBroker("a", loops, Clock.system()));
        nameServer.route("T", 1, broker);
        for (int i = 0; i < 10; i++) {
            broker.log().append("T", 0, "m" + i, "");
        }
        consumer = resources.opened(PullConsumer.builder()
                .nameServers(nameServer.address())
                .callTimeoutMs(30_000)
                .group("g")
                .consumeFrom(ConsumeFrom.firstOffset())
                .build());
        consumer.subscribe("T", "*");
        consumer.start();
    }

    private List<String> poll() throws Exception {
        return consumer.poll(30_000).stream().map(MessageExt::bodyText).toList();
    }

    @Test
    void seeksGoToBeginEndAndTimeAndSayWhereOutsideOfTheLogTheyEnded() throws Exception {
        assertThat(poll()).hasSize(10);
        consumer.seekToBegin(QUEUE);
        assertThat(poll()).hasSize(10).startsWith("m0");
        assertThat(consumer.seek(QUEUE, 7)).isEqualTo(7);
        assertThat(poll()).containsExactly("m7", "m8", "m9");
        assertThat(consumer.seek(QUEUE, 1_000)).isEqualTo(10);
        assertThat(consumer.seek(QUEUE, -3)).isZero();
        consumer.seekToEnd(QUEUE);
        broker.log().append("T", 0, "new", "");
        assertThat(poll()).containsExactly("new");
        consumer.seekToTime(QUEUE, 0);
        assertThat(poll()).hasSize(11);
        consumer.seekToTime(QUEUE, Long.MAX_VALUE);
        assertThat(consumer.position(QUEUE)).hasValue(11);
        assertThatThrownBy(() -> consumer.seek(new MessageQueue("T", "a", 9), 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("queueId=9");
    }

    @Test
    void positionsAreToldAndCommitted() throws Exception {
        assertThat(consumer.assignment()).containsExactly(QUEUE);
        assertThat(consumer.queues("T")).containsExactly(QUEUE);
        assertThat(consumer.minOffset(QUEUE)).isZero();
        assertThat(consumer.maxOffset(QUEUE)).isEqualTo(10);
        assertThat(consumer.offsetAt(QUEUE, 0)).isZero();
        poll();
        consumer.commit();
        assertThat(consumer.committed(QUEUE)).isEqualTo(OptionalLong.of(10));
        assertThat(consumer.pull(QUEUE, "*", 8, 32).messages()).hasSize(2);
        assertThat(consumer.poll(0)).isEmpty();
    }
}
