package dev.perigee.client.recall;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.perigee.client.error.Failures;
import dev.perigee.client.error.InvalidMessageException;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.World;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.protocol.header.send.RecallOutcome;
import dev.perigee.protocol.message.RecallHandle;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.call.Deadline;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What becomes of a recall, as brokers of both kinds say it. */
final class RecallTest {
    private static final long LATER_MS = 60_000;

    private World world;
    private FakeBroker a;
    private FakeBroker b;
    private ClientInstance instance;
    private Recalls recalls;

    @BeforeEach
    void open() throws Exception {
        world = new World();
        a = world.broker("a");
        b = world.broker("b");
        world.nameServer().route("T", 1, a, b);
        instance = world.instance("i");
        recalls = new Recalls(instance, "p");
    }

    private String handle(String topic, String brokerName, long fromNowMs) {
        return new RecallHandle(topic, brokerName, world.clock().wallMs() + fromNowMs, "KEY").text();
    }

    private CompletableFuture<RecallOutcome> recall(String topic, String handle) {
        CompletableFuture<RecallOutcome> outcome = recalls.recall(topic, handle, Deadline.after(world.clock(), 3_000));
        world.settle();
        return outcome;
    }

    private static Throwable failure(CompletableFuture<?> future) {
        assertThat(future).isCompletedExceptionally();
        return Failures.unwrap(catchThrowable(future::join));
    }

    static Stream<Arguments> answers() {
        return Stream.of(
                Arguments.of(0, "RECALLED", LATER_MS, RecallOutcome.RECALLED),
                Arguments.of(0, "ALREADY_RECALLED", LATER_MS, RecallOutcome.ALREADY_RECALLED),
                Arguments.of(ResponseCode.ILLEGAL_OPERATION, "TOO_LATE", LATER_MS, RecallOutcome.TOO_LATE),
                Arguments.of(ResponseCode.QUERY_NOT_FOUND, "UNKNOWN", LATER_MS, RecallOutcome.UNKNOWN),
                Arguments.of(0, null, LATER_MS, RecallOutcome.RECALLED),
                Arguments.of(ResponseCode.ILLEGAL_OPERATION, null, 0L, RecallOutcome.TOO_LATE));
    }

    @ParameterizedTest(name = "code {0} {1}, due in {2} ms: {3}")
    @MethodSource("answers")
    void eachAnswerHasItsMeaning(int code, @Nullable String outcome, long fromNowMs, RecallOutcome meant) {
        b.producers().answerRecalls(code, outcome);
        String handle = handle("T", "b", fromNowMs);
        assertThat(recall("T", handle).join()).isEqualTo(meant);
        assertThat(b.producers().recalls()).hasSize(1);
        assertThat(b.producers().recalls().get(0).recallHandle()).isEqualTo(handle);
        assertThat(b.producers().recalls().get(0).producerGroup()).isEqualTo("p");
        assertThat(a.producers().recalls()).as("the handle names the other one").isEmpty();
    }

    @Test
    void whatNoOutcomeStandsForIsARefusal() {
        a.producers().answerRecalls(ResponseCode.ILLEGAL_OPERATION, null);
        assertThat(failure(recall("T", handle("T", "a", LATER_MS))))
                .as("a stock broker that calls a handle illegal which is not due")
                .isInstanceOf(RefusedException.class);
        a.producers().answerRecalls(ResponseCode.NO_PERMISSION, null);
        assertThat(failure(recall("T", handle("T", "a", LATER_MS))))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused -> assertThat(refused.code()).isEqualTo(ResponseCode.NO_PERMISSION));
    }

    @Test
    void badHandlesAreRefusedByNameWithoutAsking() {
        assertThat(failure(recall("T", "no handle at all")))
                .isInstanceOf(InvalidMessageException.class)
                .hasMessageContaining("recallHandle=no handle at all");
        assertThat(failure(recall("T", handle("U", "a", LATER_MS))))
                .isInstanceOf(InvalidMessageException.class)
                .hasMessageContaining("topic=T limit: the topic of the handle: U");
        for (String topic : new String[] {"%RETRY%g", "%DLQ%g"}) {
            assertThat(failure(recall(topic, handle(topic, "a", LATER_MS))))
                    .isInstanceOf(InvalidMessageException.class)
                    .hasMessageContaining("topic=" + topic);
        }
        assertThat(failure(recall("T", handle("T", "gone", LATER_MS))))
                .isInstanceOf(NoRouteException.class)
                .hasMessageContaining("no address known of broker gone");
        assertThat(a.producers().recalls()).isEmpty();
        assertThat(b.producers().recalls()).isEmpty();
    }
}
