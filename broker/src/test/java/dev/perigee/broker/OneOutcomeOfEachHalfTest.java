package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.client.ProducerData;
import dev.perigee.protocol.header.send.CheckTransactionHeader;
import dev.perigee.protocol.header.send.EndTransactionHeader;
import dev.perigee.protocol.header.send.HalfListHeader;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.transaction.HalfMessageList;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.netty.EventLoops;
import dev.perigee.store.disk.Folders;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three deciders at once about each of many halves, while the broker asks a producer about them: one outcome, the same for all that see it.
 */
class OneOutcomeOfEachHalfTest {
    private static final int HALVES = 10_000;
    private static final int PER_ROUND = 250;
    private static final int ASKED_EVERY = 8 * PER_ROUND;
    private static final int COMMIT = 8;
    private static final int ROLLBACK = 12;
    private static final long CALL_MS = 60_000;

    private record Half(int number, long queueOffset, long commitLogOffset) {}

    /** What one of the three wants of every half. */
    private record Decider(RemotingClient client, int outcome, boolean fromCheck) {}

    /** A producer that commits every second half when it is asked, and rolls back the others. */
    private static final class Checker {
        private final RemotingClient client;
        private final String broker;
        private final AtomicInteger asked = new AtomicInteger();

        Checker(RemotingClient client, String broker) {
            this.client = client;
            this.broker = broker;
            client.onRequest(HandlerTable.builder()
                    .on(Rpcs.CHECK_TRANSACTION_STATE, (request, reply) -> answer(request.header()))
                    .build());
        }

        void heartbeat() throws Exception {
            HeartbeatData data = new HeartbeatData("checker", Set.of(new ProducerData("g")), Set.of(), 0, false);
            Answer<?> answer = client.callBlocking(
                    broker, Rpcs.HEART_BEAT, NoHeader.NONE, Json.write(data), Deadline.after(Clock.system(), CALL_MS));
            assertThat(answer.code()).as(answer.remarkText()).isZero();
        }

        private void answer(CheckTransactionHeader check) {
            asked.incrementAndGet();
            String key = String.valueOf(check.msgId());
            int outcome = Integer.parseInt(key.substring(1)) % 2 == 0 ? COMMIT : ROLLBACK;
            CompletableFuture<?> unused = client.call(
                    broker,
                    Rpcs.END_TRANSACTION,
                    new EndTransactionHeader(
                            "T", "g", check.tranStateTableOffset(), check.commitLogOffset(), outcome, true, key, key),
                    null,
                    Deadline.after(Clock.system(), CALL_MS));
        }
    }

    @Test
    void theFirstDecisionWinsAndTheOthersAreToldTheTruthAlsoByABrokerThatHasOnlyTheLog(@TempDir Path folder)
            throws Exception {
        Set<Integer> committed = new HashSet<>();
        List<List<Half>> rounds = new ArrayList<>();
        try (EventLoops loops = EventLoops.start("deciders", 3)) {
            List<Decider> deciders = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, loops, Clock.system());
                deciders.add(new Decider(client, i == 1 ? ROLLBACK : COMMIT, i == 2));
            }
            RemotingClient checking = new RemotingClient(ClientConfig.DEFAULT, loops, Clock.system());
            try (TestBroker broker = new TestBroker(
                    folder,
                    Map.of(
                            "flushDiskType", "ASYNC_FLUSH",
                            "transactionTimeOut", "20",
                            "transactionCheckMax", "1000", // nobody gives a half up while a slow machine decides it
                            "transactionCheckInterval", "100"))) {
                Checker checker = new Checker(checking, broker.address);
                for (int from = 0; from < HALVES; from += PER_ROUND) {
                    checker.heartbeat();
                    rounds.add(round(broker, deciders, from, checker, committed));
                }
                assertThat(delivered(broker)).isEqualTo(committed);
                assertThat(committed.size()).as("both outcomes come about").isBetween(1, HALVES - 1);
                assertThat(undecided(broker)).isZero();
                assertThat(checker.asked.get()).as("checks while others decide").isPositive();
            }
            checking.close();
            Path view = folder.resolve("transactions");
            assertThat(view).isNotEmptyDirectory();
            Folders.delete(view);
            try (TestBroker rebuilt = new TestBroker(folder, Map.of("flushDiskType", "ASYNC_FLUSH"))) {
                for (List<Half> halves : rounds) {
                    List<List<Integer>> codes = decide(rebuilt, deciders, halves);
                    for (int i = 0; i < halves.size(); i++) {
                        boolean commits = committed.contains(halves.get(i).number());
                        assertThat(List.of(
                                        codes.get(0).get(i),
                                        codes.get(1).get(i),
                                        codes.get(2).get(i)))
                                .as("half %s again", halves.get(i).number())
                                .isEqualTo(commits ? List.of(0, 604, 0) : List.of(604, 0, 604));
                    }
                }
                assertThat(delivered(rebuilt)).isEqualTo(committed);
            }
            deciders.forEach(decider -> decider.client().close());
        }
    }

    /** Gives the halves that were decided, and adds those that were committed. In some rounds the broker asks before anybody decides. */
    private static List<Half> round(
            TestBroker broker, List<Decider> deciders, int from, Checker checker, Set<Integer> committed)
            throws Exception {
        int asked = checker.asked.get(); // before the sends: all of them may be asked about while they are answered
        List<Half> halves = new ArrayList<>();
        List<CompletableFuture<Answer<SendMessageResponse>>> sends = new ArrayList<>();
        for (int i = 0; i < PER_ROUND; i++) {
            sends.add(send(broker, from + i));
        }
        for (int i = 0; i < PER_ROUND; i++) {
            Answer<SendMessageResponse> sent = sends.get(i).get(CALL_MS, TimeUnit.MILLISECONDS);
            assertThat(sent.code()).as(sent.remarkText()).isZero();
            long offset = MessageId.parse(TestBroker.messageId(sent)).physicalOffset();
            halves.add(new Half(from + i, sent.require().queueOffset(), offset));
        }
        if (from % ASKED_EVERY == 0) {
            await().atMost(Duration.ofMillis(CALL_MS)).until(() -> checker.asked.get() > asked);
        }
        List<List<Integer>> codes = decide(broker, deciders, halves);
        for (int i = 0; i < PER_ROUND; i++) {
            int first = codes.get(0).get(i);
            int second = codes.get(1).get(i);
            int third = codes.get(2).get(i);
            boolean commits = second == ResponseCode.ILLEGAL_OPERATION;
            assertThat(List.of(first, second, third))
                    .as("half %s", from + i)
                    .isEqualTo(commits ? List.of(0, 604, 0) : List.of(604, 0, 604));
            if (commits) {
                committed.add(from + i);
            }
        }
        return halves;
    }

    private static CompletableFuture<Answer<SendMessageResponse>> send(TestBroker broker, int number) {
        String properties = "TRAN_MSG=true;PGROUP=g;UNIQ_KEY=k" + number + ";";
        SendMessageHeader header = new SendMessageHeader(
                "g",
                "T",
                "TBW102",
                1,
                0,
                4,
                1,
                0,
                PropertyText.of(properties.replace('=', '\u0001').replace(';', '\u0002')),
                0,
                false,
                -1,
                false,
                null);
        return broker.client.call(
                broker.address, Rpcs.SEND_MESSAGE_V2, header, new byte[] {1}, Deadline.after(Clock.system(), CALL_MS));
    }

    /** The codes of each decider, in the order of the halves; all three begin together. */
    private static List<List<Integer>> decide(TestBroker broker, List<Decider> deciders, List<Half> halves)
            throws Exception {
        CyclicBarrier begin = new CyclicBarrier(deciders.size());
        List<CompletableFuture<List<Integer>>> all = new ArrayList<>();
        for (Decider decider : deciders) {
            CompletableFuture<List<Integer>> codes = new CompletableFuture<>();
            all.add(codes);
            new Thread(() -> {
                        try {
                            begin.await(CALL_MS, TimeUnit.MILLISECONDS);
                            codes.complete(decideAll(broker, decider, halves));
                        } catch (Exception e) {
                            codes.completeExceptionally(e);
                        }
                    })
                    .start();
        }
        List<List<Integer>> codes = new ArrayList<>();
        for (CompletableFuture<List<Integer>> each : all) {
            codes.add(each.get(CALL_MS, TimeUnit.MILLISECONDS));
        }
        return codes;
    }

    private static List<Integer> decideAll(TestBroker broker, Decider decider, List<Half> halves) throws Exception {
        List<CompletableFuture<Answer<NoHeader>>> calls = new ArrayList<>();
        for (int i = 0; i < halves.size(); i++) {
            calls.add(decide(broker, decider, halves.get(place(i, decider, halves.size()))));
        }
        Integer[] codes = new Integer[halves.size()];
        for (int i = 0; i < calls.size(); i++) {
            codes[place(i, decider, halves.size())] =
                    calls.get(i).get(CALL_MS, TimeUnit.MILLISECONDS).code();
        }
        return List.of(codes);
    }

    /** Each decider begins elsewhere, so that each is the first now and then. */
    private static int place(int turn, Decider decider, int count) {
        int begin = decider.fromCheck() ? 2 : decider.outcome() == COMMIT ? 0 : 1;
        return (turn + begin * count / 3) % count;
    }

    private static CompletableFuture<Answer<NoHeader>> decide(TestBroker broker, Decider decider, Half half) {
        String key = "k" + half.number();
        return decider.client()
                .call(
                        broker.address,
                        Rpcs.END_TRANSACTION,
                        new EndTransactionHeader(
                                "T",
                                "g",
                                half.queueOffset(),
                                half.commitLogOffset(),
                                decider.outcome(),
                                decider.fromCheck(),
                                key,
                                key),
                        null,
                        Deadline.after(Clock.system(), CALL_MS));
    }

    private static Set<Integer> delivered(TestBroker broker) throws Exception {
        Set<Integer> found = new HashSet<>();
        long offset = 0;
        while (true) {
            Answer<?> answer =
                    broker.call(Rpcs.PULL_MESSAGE, TestBroker.pullHeader("TOOLS_CONSUMER", "T", 0, offset, 0), null);
            if (answer.code() != 0) {
                return found;
            }
            for (MessageExt message : TestBroker.messages(answer)) {
                String key = String.valueOf(message.property("UNIQ_KEY"));
                assertThat(found.add(Integer.parseInt(key.substring(1))))
                        .as("%s comes once", key)
                        .isTrue();
                offset = message.queueOffset() + 1;
            }
        }
    }

    private static int undecided(TestBroker broker) throws Exception {
        Answer<NoHeader> answer = broker.call(Rpcs.LIST_HALF_MESSAGES, new HalfListHeader(null, null, -1, 1_000), null);
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        return Json.read(answer.body(), HalfMessageList.class).halves().size();
    }
}
