package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.send.RecallMessageHeader;
import dev.perigee.protocol.header.send.RecallMessageResponse;
import dev.perigee.protocol.header.send.RecallOutcome;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.header.topic.TopicHeader;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.RecallHandle;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.kv.MemoryViewStores;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A message that waits is taken back (370): what becomes of it, and what its producer is told. */
class RecallTest {
    private static final long SECOND_MS = 1_000;

    private final SteppedBroker.TurnedClock clock = new SteppedBroker.TurnedClock();
    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    private MemoryViewStores stores = new MemoryViewStores();
    private SteppedBroker broker;
    private long seed = 1;

    @BeforeEach
    void open() throws Exception {
        start(Map.of());
        broker.run(broker.createTopic("T", 4));
        broker.run(broker.heartbeat("c"));
    }

    private void start(Map<String, String> settings) throws Exception {
        broker = new SteppedBroker(disk, stores, clock, seed++, settings);
    }

    private String sent(String properties, String body) throws Exception {
        Answer<SendMessageResponse> answer = broker.sendWith("T", 0, properties, body);
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        return Objects.requireNonNull(answer.require().recallHandle(), "no handle");
    }

    private CompletableFuture<Answer<RecallMessageResponse>> recall(String topic, String handle) {
        return broker.call(broker.client, Rpcs.RECALL_MESSAGE, new RecallMessageHeader("p", topic, handle), null);
    }

    private Answer<RecallMessageResponse> recalled(String handle) throws Exception {
        return broker.run(recall("T", handle));
    }

    private static void assertOutcome(
            Answer<RecallMessageResponse> answer, int code, RecallOutcome outcome, @Nullable String key) {
        assertThat(answer.code()).as(answer.remarkText()).isEqualTo(code);
        RecallMessageResponse header = Objects.requireNonNull(answer.header());
        assertThat(header.outcome()).isEqualTo(outcome.name());
        assertThat(header.msgId()).isEqualTo(key);
        assertThat(header.region()).isEqualTo("DefaultRegion");
    }

    private List<String> bodies() throws Exception {
        return broker.messages("T", 0).stream().map(MessageExt::bodyText).toList();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"TIMER_DELAY_SEC=7;", "TIMER_DELAY_MS=7000;", "TIMER_DELIVER_MS=1760000007000;", "DELAY=3;"})
    void aRecalledMessageNeverComesAndTheOthersDo(String form) throws Exception {
        String handle = sent(form + "UNIQ_KEY=KEY1;", "recalled");
        sent(form + "UNIQ_KEY=KEY2;", "kept");
        assertOutcome(recalled(handle), ResponseCode.SUCCESS, RecallOutcome.RECALLED, "KEY1");
        broker.pass(60 * SECOND_MS);
        assertThat(bodies()).containsExactly("kept");
    }

    @Test
    void whoAsksAgainIsToldThatItIsRecalledAlsoAfterARestartAndFromTheLogAlone() throws Exception {
        String handle = sent("TIMER_DELAY_SEC=600;UNIQ_KEY=KEY1;", "order");
        assertOutcome(recalled(handle), ResponseCode.SUCCESS, RecallOutcome.RECALLED, "KEY1");
        assertOutcome(recalled(handle), ResponseCode.SUCCESS, RecallOutcome.ALREADY_RECALLED, "KEY1");
        disk.kill();
        stores.crash(new Random(1));
        start(Map.of());
        assertOutcome(recalled(handle), ResponseCode.SUCCESS, RecallOutcome.ALREADY_RECALLED, "KEY1");
        disk.kill();
        if (disk.exists("timers/view.checkpoint")) {
            disk.delete("timers/view.checkpoint");
        }
        stores = new MemoryViewStores();
        start(Map.of());
        assertOutcome(recalled(handle), ResponseCode.SUCCESS, RecallOutcome.ALREADY_RECALLED, "KEY1");
        broker.pass(600 * SECOND_MS);
        assertThat(bodies()).isEmpty();
        assertOutcome(recalled(handle), ResponseCode.SUCCESS, RecallOutcome.ALREADY_RECALLED, "KEY1");
    }

    @Test
    void whatWasDeliveredIsTooLate() throws Exception {
        String handle = sent("TIMER_DELAY_SEC=7;UNIQ_KEY=KEY1;", "order");
        broker.pass(7 * SECOND_MS);
        assertThat(bodies()).containsExactly("order");
        long end = broker.broker.logEndOffset();
        Answer<RecallMessageResponse> answer = recalled(handle);
        assertOutcome(answer, ResponseCode.ILLEGAL_OPERATION, RecallOutcome.TOO_LATE, null);
        assertThat(answer.remarkText()).contains("too late", "KEY1", Long.toString(1_760_000_007_000L));
        assertThat(broker.broker.logEndOffset()).isEqualTo(end);
    }

    @Test
    void whatIsBeingDeliveredIsTooLateAndComesOnce() throws Exception {
        String handle = sent("TIMER_DELAY_SEC=7;UNIQ_KEY=KEY1;", "order");
        clock.nowMs += 7 * SECOND_MS;
        broker.stepAllBut("perigee-flusher"); // the delivery is on its way to the disk
        CompletableFuture<Answer<RecallMessageResponse>> asked = recall("T", handle);
        broker.stepNetworkOnly();
        broker.stepAllBut("perigee-flusher");
        assertOutcome(broker.run(asked), ResponseCode.ILLEGAL_OPERATION, RecallOutcome.TOO_LATE, null);
        broker.settle();
        assertThat(bodies()).containsExactly("order");
    }

    @Test
    void whatNobodySentIsUnknown() throws Exception {
        sent("TIMER_DELAY_SEC=7;UNIQ_KEY=KEY1;", "order");
        long end = broker.broker.logEndOffset();
        long dueMs = clock.wallMs() + 7 * SECOND_MS;
        for (RecallHandle handle : List.of(
                new RecallHandle("T", "broker-a", dueMs + 1, "KEY2"),
                new RecallHandle("T", "broker-a", dueMs + 2, "KEY1"),
                new RecallHandle("T", "broker-a", Long.MAX_VALUE, "KEY1"))) {
            assertOutcome(recalled(handle.text()), ResponseCode.QUERY_NOT_FOUND, RecallOutcome.UNKNOWN, null);
        }
        assertOutcome(
                recalled(new RecallHandle("T", "broker-a", 5, "KEY1").text()),
                ResponseCode.ILLEGAL_OPERATION,
                RecallOutcome.TOO_LATE,
                null);
        assertThat(broker.broker.logEndOffset()).isEqualTo(end);
        broker.pass(7 * SECOND_MS);
        assertThat(bodies()).containsExactly("order");
    }

    @Test
    void twoWhoAskAtOnceAreToldApart() throws Exception {
        String handle = sent("TIMER_DELAY_SEC=7;UNIQ_KEY=KEY1;", "order");
        List<CompletableFuture<Answer<RecallMessageResponse>>> both =
                List.of(recall("T", handle), recall("T", handle), recall("T", handle));
        List<String> outcomes = new ArrayList<>();
        for (CompletableFuture<Answer<RecallMessageResponse>> each : both) {
            while (!each.isDone()) {
                broker.pass(10);
            }
            outcomes.add(Objects.requireNonNull(each.get().header()).outcome());
        }
        assertThat(outcomes).containsExactlyInAnyOrder("RECALLED", "ALREADY_RECALLED", "ALREADY_RECALLED");
    }

    @Test
    void manyAreRecalledTogether() throws Exception {
        List<CompletableFuture<Answer<RecallMessageResponse>>> all = new ArrayList<>();
        for (int i = 0; i < 1_500; i++) {
            all.add(recall("T", sent("TIMER_DELAY_SEC=7;", "m" + i)));
        }
        for (CompletableFuture<Answer<RecallMessageResponse>> each : all) {
            assertThat(broker.run(each).code()).isZero();
        }
        broker.pass(60 * SECOND_MS);
        assertThat(bodies()).isEmpty();
    }

    @Test
    void aMessageThatWasSentTwiceUnderOneKeyAndTimeIsTakenBackWhole() throws Exception {
        String first = sent("TIMER_DELIVER_MS=1760000007000;UNIQ_KEY=KEY1;", "order");
        String again = sent("TIMER_DELIVER_MS=1760000007000;UNIQ_KEY=KEY1;", "order");
        assertThat(again).isEqualTo(first);
        assertOutcome(recalled(first), ResponseCode.SUCCESS, RecallOutcome.RECALLED, "KEY1");
        broker.pass(60 * SECOND_MS);
        assertThat(bodies()).isEmpty();
    }

    @Test
    void howeverManyWereSentUnderOneKeyAndTimeNoneComes() throws Exception {
        String handle = "";
        for (int i = 0; i < 150; i++) {
            handle = sent("TIMER_DELIVER_MS=1760000007000;UNIQ_KEY=KEY1;", "order");
        }
        assertOutcome(recalled(handle), ResponseCode.SUCCESS, RecallOutcome.RECALLED, "KEY1");
        assertOutcome(recalled(handle), ResponseCode.SUCCESS, RecallOutcome.ALREADY_RECALLED, "KEY1");
        broker.pass(60 * SECOND_MS);
        assertThat(bodies()).isEmpty();
    }

    @Test
    void badHandlesAreRefusedAndNothingIsStored() throws Exception {
        String handle = sent("TIMER_DELAY_SEC=7;UNIQ_KEY=KEY1;", "order");
        broker.run(broker.createTopic("Other", 1));
        broker.settle();
        long end = broker.broker.logEndOffset();
        String foreign = new RecallHandle("T", "broker-b", clock.wallMs() + 7_001, "KEY1").text();
        assertRefused(recall("T", "no handle"), ResponseCode.ILLEGAL_OPERATION, "recallHandle[no handle] is no handle");
        assertRefused(recall("T", ""), ResponseCode.ILLEGAL_OPERATION, "recallHandle[] is no handle");
        assertRefused(recall("T", "A".repeat(1_000)), ResponseCode.ILLEGAL_OPERATION, "A…] is no handle");
        assertRefused(recall("T", words("v2 T broker-a 5 KEY1")), ResponseCode.ILLEGAL_OPERATION, "is no handle");
        assertRefused(recall("T", words("v1 T broker-a -5 KEY1")), ResponseCode.ILLEGAL_OPERATION, "is no handle");
        assertRefused(
                recall("T", foreign), ResponseCode.ILLEGAL_OPERATION, "broker[broker-b], this is broker[broker-a]");
        assertRefused(recall("Other", handle), ResponseCode.ILLEGAL_OPERATION, "topic[T], asked for topic[Other]");
        assertRefused(recall("Nowhere", handle), ResponseCode.TOPIC_NOT_EXIST, "topic[Nowhere] not exist");
        broker.settle();
        assertThat(broker.broker.logEndOffset()).isEqualTo(end);
        broker.pass(7 * SECOND_MS);
        assertThat(bodies()).containsExactly("order");
    }

    private static String words(String words) {
        return Base64.getUrlEncoder().encodeToString(words.getBytes(StandardCharsets.UTF_8));
    }

    private void assertRefused(CompletableFuture<Answer<RecallMessageResponse>> asked, int code, String text)
            throws Exception {
        Answer<RecallMessageResponse> answer = broker.run(asked);
        assertThat(answer.code()).as(answer.remarkText()).isEqualTo(code);
        assertThat(answer.remarkText()).contains(text);
    }

    @Test
    void aBrokerThatMayNotRecallSaysWhy() throws Exception {
        String handle = sent("TIMER_DELAY_SEC=7;UNIQ_KEY=KEY1;", "order");
        broker.broker.close();
        start(Map.of("recallMessageEnable", "false"));
        assertRefused(recall("T", handle), ResponseCode.NO_PERMISSION, "recallMessageEnable is false");
        broker.broker.close();
        start(Map.of("brokerPermission", "4"));
        assertRefused(recall("T", handle), ResponseCode.SERVICE_NOT_AVAILABLE, "brokerPermission 4");
        broker.broker.close();
        start(Map.of("startAcceptSendRequestTimeStamp", Long.toString(clock.wallMs() + 60_000)));
        assertRefused(recall("T", handle), ResponseCode.SERVICE_NOT_AVAILABLE, "startAcceptSendRequestTimeStamp");
    }

    @Test
    void aRecallGoesThroughWhileTheDiskIsFull() throws Exception {
        String handle = sent("TIMER_DELAY_SEC=7;UNIQ_KEY=KEY1;", "order");
        disk.freeBytes(0);
        broker.pass(2 * SECOND_MS);
        assertOutcome(recalled(handle), ResponseCode.SUCCESS, RecallOutcome.RECALLED, "KEY1");
        disk.freeBytes(disk.totalBytes());
        broker.pass(60 * SECOND_MS);
        assertThat(bodies()).isEmpty();
    }

    @Test
    void aMessageOfADeletedTopicIsNotRecalled() throws Exception {
        String handle = sent("TIMER_DELAY_SEC=7;UNIQ_KEY=KEY1;", "order");
        broker.run(broker.call(broker.client, Rpcs.DELETE_TOPIC_IN_BROKER, new TopicHeader("T"), null));
        assertRefused(recall("T", handle), ResponseCode.TOPIC_NOT_EXIST, "topic[T] not exist");
    }
}
