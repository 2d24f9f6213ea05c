package dev.perigee.client.send;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.fake.World;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.call.RemotingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whom sends leave for another broker of the name, and when; in the time of a world. */
final class DestinationsTest {
    private static final String TOPIC = "T";
    private static final String ONE = "127.0.0.1:1";
    private static final String TWO = "127.0.0.1:2";
    private static final long LONG_MS = OpenTries.SILENT_MS;

    private final List<OpenTries.Try> left = new ArrayList<>();
    private World world;
    private ClientInstance instance;
    private Destinations destinations;

    @BeforeEach
    void twoOfOneName() throws Exception {
        world = new World();
        instance = world.instance("i");
        destinations = new Destinations(instance.routes(), world.clock());
        route(Map.of(0L, ONE, 1L, TWO));
        assertThat(world.await(instance.routes().get(TOPIC), 1_000).topic()).isEqualTo(TOPIC);
    }

    private void route(Map<Long, String> members) {
        world.nameServer().routeToOneName(TOPIC, 1, members);
    }

    @Test
    void aMasterIsLeftForAWhileWhenItIsNotReached() {
        destinations.failed(ONE, new RemotingException.ConnectFailed(ONE, "refused", null), 1);
        assertThat(destinations.of("a")).contains(TWO);
        world.run(Destinations.DOUBT_MS, 100);
        assertThat(destinations.of("a")).contains(ONE);
        destinations.failed(ONE, new RemotingException.ConnectionClosed(ONE, "SEND", 1, "reset"), 1);
        assertThat(destinations.of("a")).contains(TWO);
    }

    @Test
    void aMasterIsNotLeftForWhatSaysNothingOfIt() {
        RemotingException late = new RemotingException.CallTimeout(ONE, "SEND", Deadline.after(world.clock(), 5));
        destinations.failed(ONE, late, LONG_MS - 1);
        destinations.failed(ONE, new RemotingException.TooManyCalls(ONE, "SEND", "4096"), LONG_MS);
        destinations.failed(ONE, new RemotingException.FrameTooLarge(ONE, "SEND", 2, 1), LONG_MS);
        assertThat(destinations.of("a")).contains(ONE);
        destinations.failed(ONE, late, LONG_MS);
        assertThat(destinations.of("a")).contains(TWO);
    }

    @Test
    void whatNobodyAnswersGoesToAMasterThatIsConnectedWhateverIsThoughtOfIt() {
        destinations.doubt(ONE);
        assertThat(destinations.ofOneway("a", ONE::equals)).contains(ONE);
        assertThat(destinations.ofOneway("a", address -> false)).contains(TWO);
    }

    @Test
    void aTryWhoseBrokerIsReplacedHasAMomentToBeHandedOn() {
        OpenTries tries = new OpenTries(
                destinations,
                topic -> assertThat(instance.routes().refresh(topic)).isNotNull(),
                instance.loop(),
                world.clock());
        OpenTries.Try sent = tries.begin(TOPIC, "a", ONE, left::add);
        world.run(2 * LONG_MS, 10);
        assertThat(left).isEmpty();

        route(Map.of(0L, TWO, 1L, ONE));
        for (int runs = 0; runs < 1_000 && !destinations.isReplaced("a", ONE); runs++) {
            world.run(10, 10);
        }
        assertThat(destinations.isReplaced("a", ONE)).isTrue();
        world.run(OpenTries.LOOK_MS + 10, 10);
        assertThat(left).as("given up before it could be answered").isEmpty();
        world.run(OpenTries.LOOK_MS, 10);
        assertThat(left).containsExactly(sent);
        assertThat(tries.end(sent)).isFalse();
    }

    /** What {@link Sender#send} throws for is over. */
    @Test
    void whatCannotBeSentIsNotLookedAfter() {
        Sender sender = new Sender(instance, new SendCounters(), 3, 4, 0);
        Deadline minute = Deadline.after(world.clock(), 60_000);
        assertThatIllegalStateException().isThrownBy(() -> sender.send(new Unsendable(minute)));
        int asked = world.nameServer().timesAsked();
        world.run(5 * LONG_MS, 50);
        assertThat(world.nameServer().timesAsked()).isEqualTo(asked);
    }

    /** A unit that has no header. */
    private record Unsendable(Deadline deadline) implements Outgoing {
        @Override
        public String topic() {
            return TOPIC;
        }

        @Override
        public @Nullable QueueChoice choice() {
            return null;
        }

        @Override
        public Rpc<SendMessageHeader, SendMessageResponse> rpc() {
            return Rpcs.SEND_MESSAGE_V2;
        }

        @Override
        public SendMessageHeader header(MessageQueue queue) {
            throw new IllegalStateException("no header for " + queue);
        }

        @Override
        public byte[] body() {
            return new byte[0];
        }

        @Override
        public void stored(SendStatus status, MessageQueue storedIn, SendMessageResponse answer) {
            throw new AssertionError("it was never sent");
        }

        @Override
        public void failed(ClientException failure) {
            throw new AssertionError("it was never sent", failure);
        }
    }
}
