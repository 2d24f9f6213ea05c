package dev.perigee.client.pull;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.World;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.protocol.message.MessageExt;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Members that come, leave and die: nothing is lost, and what comes twice was polled and not committed when its queue went. */
final class PullChurnTest {
    private static final int ROUNDS = 60;

    private final World world = new World();
    private final FakeBroker broker = world.broker("a");
    private final List<Member> members = new ArrayList<>();
    private final Map<String, Integer> deliveries = new HashMap<>();
    private final Set<String> inFlight = new HashSet<>();
    private int sent;
    private int joined;

    PullChurnTest() throws Exception {
        world.nameServer().route("T", 6, broker);
    }

    private final class Member {
        private final PullConsumer consumer;
        private final Set<String> uncommitted = new HashSet<>();

        Member() throws Exception {
            consumer = world.in(PullConsumer.builder())
                    .group("g")
                    .instanceName("c" + joined++)
                    .consumeFrom(ConsumeFrom.firstOffset())
                    .pullBatchSize(5)
                    .autoCommitMs(0)
                    .build();
            world.add(consumer.loop());
            consumer.subscribe("T", "*");
            world.await(consumer.startAsync(), 10_000);
        }

        int poll() throws Exception {
            world.settle();
            List<MessageExt> messages = consumer.poll(0);
            for (MessageExt message : messages) {
                deliveries.merge(message.bodyText(), 1, Integer::sum);
                uncommitted.add(message.bodyText());
            }
            return messages.size();
        }

        void commit() {
            world.await(consumer.commitAsync(), 5_000);
            uncommitted.clear();
        }
    }

    private void send(Random random, int messages) {
        for (int i = 0; i < messages; i++) {
            broker.log().append("T", random.nextInt(6), "m" + sent++, "");
        }
    }

    /** Somebody comes, leaves or dies. What is polled and not committed by anybody then is in flight. */
    private void change(Random random) throws Exception {
        members.forEach(member -> inFlight.addAll(member.uncommitted));
        if (members.size() < 2 || (members.size() < 5 && random.nextBoolean())) {
            members.add(new Member());
        } else {
            Member gone = members.remove(random.nextInt(members.size()));
            if (random.nextBoolean()) {
                world.await(gone.consumer.leave(), 5_000);
            }
            world.remove(gone.consumer.loop());
            gone.consumer.close();
        }
        members.forEach(member -> inFlight.addAll(member.uncommitted));
        world.run(2_000, 100);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void nothingIsLostAndOnlyWhatWasInFlightComesTwice(long seed) throws Exception {
        Random random = new Random(seed);
        members.add(new Member());
        for (int round = 0; round < ROUNDS; round++) {
            send(random, 20);
            for (int i = 0; i < 8; i++) {
                Member member = members.get(random.nextInt(members.size()));
                member.poll();
                if (random.nextInt(3) == 0) {
                    member.commit();
                }
            }
            if (random.nextInt(3) == 0) {
                change(random);
            }
        }
        int polled = 1;
        while (polled > 0) {
            world.run(1_000, 100);
            polled = 0;
            for (Member member : members) {
                polled += member.poll();
                member.commit();
            }
        }

        assertThat(deliveries).hasSize(sent);
        deliveries.values().removeIf(times -> times == 1);
        assertThat(inFlight).containsAll(deliveries.keySet());
    }
}
