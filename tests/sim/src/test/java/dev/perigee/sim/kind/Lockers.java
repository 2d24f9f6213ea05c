package dev.perigee.sim.kind;

import dev.perigee.client.error.Completion;
import dev.perigee.protocol.client.QueueLockRequest;
import dev.perigee.protocol.client.QueueLockResult;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.cluster.Cluster;
import dev.perigee.sim.ledger.Verdict;
import dev.perigee.sim.question.Inspector;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Two clients of an ordered group that want the same queues, and say which they hold: none is granted what the other one holds,
 * whichever member they ask and whoever leads. A client asks for one thing at a time. One that gets no answer is gone, and another one
 * comes: nobody knows when what it asked for is done.
 */
final class Lockers {
    /** So long after it was renewed a lock is its holder's. */
    private static final long LIFE_MS = 60_000;

    private static final int CLIENTS = 2;
    private static final int QUEUES = 4;

    private final Cluster cluster;
    private final Inspector inspector;
    private final Verdict verdict;
    private final Random random;
    private final String group;
    private final String topic;
    private final Map<MessageQueue, Held> held = new HashMap<>();
    /** Who was granted a queue last, given up since or not. */
    private final Map<MessageQueue, String> holders = new HashMap<>();

    private final List<Client> clients = new ArrayList<>();
    private int born;
    private int granted;
    private int moved;

    private record Held(String client, long renewedMs) {}

    private static final class Client {
        final String id;
        boolean isWaiting;

        Client(String id) {
            this.id = id;
        }
    }

    Lockers(Cluster cluster, Inspector inspector, Verdict verdict, Random random, String group, String topic) {
        this.cluster = cluster;
        this.inspector = inspector;
        this.verdict = verdict;
        this.random = random;
        this.group = group;
        this.topic = topic;
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(born());
        }
    }

    private Client born() {
        return new Client("locker-" + ++born);
    }

    /** How many locks were granted, or renewed. */
    int granted() {
        return granted;
    }

    /** How many went from one to the other. */
    int moved() {
        return moved;
    }

    /** One of them asks for all queues, at some member; and now and then gives one up. */
    void act() {
        List<BrokerMachine> up =
                cluster.brokers().stream().filter(BrokerMachine::isUp).toList();
        if (up.isEmpty()) {
            return;
        }
        BrokerMachine machine = up.get(random.nextInt(up.size()));
        Client client = clients.get(random.nextInt(clients.size()));
        boolean mayGiveUp = random.nextInt(3) == 0;
        if (client.isWaiting) {
            return;
        }
        long nowMs = cluster.clock().monotonicMs();
        Set<MessageQueue> all = new LinkedHashSet<>();
        IntStream.range(0, QUEUES).forEach(id -> all.add(new MessageQueue(topic, machine.brokerName(), id)));
        Set<MessageQueue> own = new LinkedHashSet<>(all);
        own.removeIf(queue -> !isHeldBy(client.id, queue, nowMs));
        if (mayGiveUp && !own.isEmpty()) {
            MessageQueue given = own.iterator().next();
            held.remove(given); // whether the answer comes or not: it works on it no more
            ask(machine, Rpcs.UNLOCK_BATCH_MQ, client, Set.of(given), own, answer -> {});
        } else {
            ask(
                    machine,
                    Rpcs.LOCK_BATCH_MQ,
                    client,
                    all,
                    own,
                    answer -> locked(answer).forEach(queue -> grant(machine, client.id, queue, nowMs)));
        }
    }

    private void ask(
            BrokerMachine machine,
            Rpc<NoHeader, NoHeader> rpc,
            Client client,
            Set<MessageQueue> queues,
            Set<MessageQueue> own,
            Consumer<Answer<NoHeader>> hear) {
        client.isWaiting = true;
        byte[] body = Json.write(new QueueLockRequest(group, client.id, true, queues, own));
        Completion.on(inspector.begin(machine, rpc, NoHeader.NONE, body), (answer, failure) -> {
            client.isWaiting = false;
            if (failure != null) {
                clients.set(clients.indexOf(client), born());
            } else if (answer.isOk()) {
                hear.accept(answer);
            }
        });
    }

    private Set<MessageQueue> locked(Answer<NoHeader> answer) {
        try {
            return Json.read(answer.body(), QueueLockResult.class).lockedQueues();
        } catch (BadBodyException e) {
            verdict.broken(getClass(), "an answer to a lock cannot be read: " + e.getMessage());
            return Set.of();
        }
    }

    private boolean isHeldBy(String client, MessageQueue queue, long nowMs) {
        @Nullable Held now = held.get(queue);
        return now != null && now.client.equals(client) && nowMs - now.renewedMs <= LIFE_MS;
    }

    private void grant(BrokerMachine machine, String client, MessageQueue queue, long askedMs) {
        granted++;
        Held before = held.put(queue, new Held(client, askedMs));
        String last = holders.put(queue, client);
        if (last != null && !last.equals(client)) {
            moved++;
        }
        long unrenewedMs = before == null ? 0 : askedMs - before.renewedMs;
        if (before != null && !before.client.equals(client) && unrenewedMs <= LIFE_MS) {
            verdict.broken(
                    getClass(),
                    machine.name() + " grants " + client + " " + queue + ", which " + before.client + " renewed "
                            + unrenewedMs + " ms before it was asked");
        }
    }
}
