package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.send.HalfListHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.transaction.HalfMessage;
import dev.perigee.protocol.transaction.HalfMessageList;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.kv.MemoryViewStores;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Losses of power while two decide about each half: what was acknowledged holds, and each half has one outcome. */
class DecisionsThroughCrashesTest {
    private static final int SEEDS = 60;
    private static final int HALVES = 12;

    /** A decision on its way. */
    private record Asked(String key, int outcome, CompletableFuture<Answer<NoHeader>> answer) {}

    @Test
    void whatWasAcknowledgedHoldsAndNothingIsDecidedTwice() throws Exception {
        int early = 0;
        for (int seed = 1; seed <= SEEDS; seed++) {
            early += run(seed);
        }
        assertThat(early)
                .as("decisions that the crash came before, of %s", SEEDS * HALVES)
                .isBetween(SEEDS, SEEDS * HALVES - SEEDS);
    }

    /** Gives how many halves were still undecided after the crash. */
    private static int run(int seed) throws Exception {
        Random random = new Random(seed);
        CrashingDisk disk = new CrashingDisk(random);
        MemoryViewStores stores = new MemoryViewStores();
        SteppedBroker.TurnedClock clock = new SteppedBroker.TurnedClock();
        SteppedBroker broker = new SteppedBroker(disk, stores, clock, seed);
        broker.run(broker.createTopic("T", 1));
        TransactionPeer producer = new TransactionPeer(broker, "g");
        Map<String, TransactionPeer.Half> halves = new HashMap<>();
        for (int i = 0; i < HALVES; i++) {
            halves.put("k" + i, producer.half("T", "k" + i, ""));
        }
        Map<String, Integer> acknowledged = decide(broker, producer, halves, random);
        disk.crash();
        stores.crash(random);

        SteppedBroker restored = new SteppedBroker(disk, stores, clock, seed + 1_000);
        List<String> undecided = undecided(restored);
        assertThat(undecided).as("seed %s", seed).noneMatch(acknowledged::containsKey);
        List<TransactionPeer.Half> all = List.copyOf(halves.values());
        Map<String, Integer> codes = committed(restored, all.subList(0, HALVES / 2));
        restored.broker.close();
        SteppedBroker rebuilt = new SteppedBroker(disk, new MemoryViewStores(), clock, seed + 2_000);
        assertThat(undecided(rebuilt))
                .as("seed %s", seed)
                .isEqualTo(undecided.stream()
                        .filter(key -> !codes.containsKey(key))
                        .toList());
        codes.putAll(committed(rebuilt, all.subList(HALVES / 2, HALVES)));

        List<String> delivered = delivered(rebuilt);
        assertThat(delivered).as("seed %s", seed).doesNotHaveDuplicates();
        codes.forEach((key, code) -> {
            assertThat(code).as("seed %s half %s", seed, key).isIn(0, ResponseCode.ILLEGAL_OPERATION);
            assertThat(code == 0)
                    .as("seed %s half %s is committed, and only then delivered", seed, key)
                    .isEqualTo(delivered.contains(key));
        });
        undecided.forEach(key -> assertThat(codes).as("seed %s", seed).containsEntry(key, 0));
        acknowledged.forEach((key, outcome) -> assertThat(delivered.contains(key))
                .as("seed %s half %s", seed, key)
                .isEqualTo(outcome == TransactionPeer.COMMIT));
        assertThat(undecided(rebuilt)).isEmpty();
        assertThat(committed(rebuilt, all)).as("seed %s, once more", seed).isEqualTo(codes);
        rebuilt.broker.close();
        return undecided.size();
    }

    /** Asks for the commit of halves; gives what was answered. */
    private static Map<String, Integer> committed(SteppedBroker broker, List<TransactionPeer.Half> halves)
            throws Exception {
        TransactionPeer producer = new TransactionPeer(broker, "g");
        Map<String, Integer> codes = new HashMap<>();
        for (TransactionPeer.Half half : halves) {
            codes.put(half.key(), producer.ended(half, TransactionPeer.COMMIT).code());
        }
        return codes;
    }

    /** Lets two decide about each half for a while; gives the outcomes that were acknowledged, which are never two. */
    private static Map<String, Integer> decide(
            SteppedBroker broker, TransactionPeer producer, Map<String, TransactionPeer.Half> halves, Random random) {
        List<Asked> asked = new ArrayList<>();
        for (TransactionPeer.Half half : halves.values()) {
            int first = random.nextBoolean() ? TransactionPeer.COMMIT : TransactionPeer.ROLLBACK;
            int second = first == TransactionPeer.COMMIT ? TransactionPeer.ROLLBACK : TransactionPeer.COMMIT;
            asked.add(new Asked(half.key(), first, producer.end(half, first)));
            asked.add(new Asked(half.key(), second, producer.end(half, second)));
            for (int steps = random.nextInt(3); steps > 0; steps--) {
                broker.step();
            }
        }
        for (int steps = random.nextInt(8); steps > 0; steps--) {
            broker.step();
        }
        Map<String, Integer> acknowledged = new HashMap<>();
        for (Asked each : asked) {
            if (each.answer().isDone() && each.answer().join().code() == 0) {
                assertThat(acknowledged.put(each.key(), each.outcome())).isNull();
            }
        }
        return acknowledged;
    }

    private static List<String> undecided(SteppedBroker broker) throws Exception {
        Answer<NoHeader> answer = broker.run(
                broker.call(broker.client, Rpcs.LIST_HALF_MESSAGES, new HalfListHeader(null, null, -1, 1_000), null));
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        return Json.read(answer.body(), HalfMessageList.class).halves().stream()
                .map(HalfMessage::uniqueKey)
                .toList();
    }

    private static List<String> delivered(SteppedBroker broker) throws Exception {
        return broker.stored("T").stream()
                .map(message -> String.valueOf(message.property("UNIQ_KEY")))
                .toList();
    }
}
