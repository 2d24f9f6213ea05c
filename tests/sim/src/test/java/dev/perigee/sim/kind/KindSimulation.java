package dev.perigee.sim.kind;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.instance.BrokerCalls;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.producer.WhenFull;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.send.SendStatus;
import dev.perigee.client.transaction.TransactionListener;
import dev.perigee.client.transaction.TransactionProducer;
import dev.perigee.client.transaction.TransactionState;
import dev.perigee.protocol.header.send.EndTransactionHeader;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.cluster.Cluster;
import dev.perigee.sim.fault.FaultKind;
import dev.perigee.sim.fault.FaultPlan;
import dev.perigee.sim.kind.KindModel.Fate;
import dev.perigee.sim.kind.KindModel.Local;
import dev.perigee.sim.kind.KindModel.Plan;
import dev.perigee.sim.ledger.Verdict;
import dev.perigee.sim.question.Inspector;
import dev.perigee.sim.watch.AcknowledgedByAGroup;
import dev.perigee.sim.watch.AcknowledgedIsConfirmed;
import dev.perigee.sim.watch.CommittedOffsetsNeverFall;
import dev.perigee.sim.watch.LogInvariant;
import dev.perigee.sim.watch.TimersAreNeverEarly;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One run: plain, batched, delayed, ordered and transactional messages are sent and consumed on a cluster, by a seed, while what a
 * {@link Scene} says goes wrong. In the end everything but the logs is taken away, and the views made from them anew are compared
 * with those that lived.
 */
public final class KindSimulation implements Exercise.Part {
    private static final String TOPIC = Exercise.TOPIC;
    private static final String GROUP = "tx";
    /** Its queues are locked, and hold nothing. */
    private static final String ORDERS = "orders";

    private static final int QUEUES = 4;
    private static final long ELECTED_MS = 60_000;
    private static final long STEP_MS = 10;
    private static final long PROBE_MS = 500;
    /** A sender waits no longer for an answer. */
    private static final long LATEST_ANSWER_MS = 3_000;

    private static final int KEYS = 3;
    private static final long CALM_LIMIT_MS = 400_000;
    private static final long HOUR_MS = 3_600_000;
    private static final long MINUTE_MS = 60_000;
    private static final int DELAY_LIMIT_MS = 20_000;
    /** In this time every delay of a round ends, and every half message it left without a decision is asked about. */
    private static final long SETTLED_MS = 180_000;

    private static final int ROUNDS_BETWEEN_OFFSETS = 10;
    private static final int PAIRS_A_REBUILD = 5;
    private static final int GROUPS_A_REBUILD = 10;
    /** One run in so many lets messages wait for an hour before views are made anew: of hours the hearts that beat are all there is. */
    private static final int RUNS_AN_HOUR = 4;

    /** What can be done in a round. */
    public enum Act {
        PLAIN,
        BATCH,
        DELAYED,
        ORDERED,
        TRANSACTION
    }

    private final Exercise exercise;
    private final Random random;
    private final Cluster cluster;
    private final KindModel model;
    /** Frames come twice or too late to be of one connection, which no TCP does: what senders are told is not all. */
    private final boolean hasLooseFrames;

    private final CommittedOffsetsNeverFall offsets;
    private final AcknowledgedIsConfirmed acknowledged;
    private final Promise promise;
    private final Copies copies;
    private final Losses losses;
    private final Inspector inspector;
    private final AcknowledgedByAGroup byAGroup;
    private final Lockers lockers;
    private final Map<Act, Integer> acts = new EnumMap<>(Act.class);
    private final Producer producer;
    private final TransactionProducer transactions;
    private final LiveAndRebuilt views;
    /** Of pairs, of which many are run, not every one is taken apart at the end. */
    private final boolean rebuilds;
    /** How long messages wait that are to be found in views made anew. */
    private final long waitMs;

    private int offsetsOfSlaves;
    private int numbers;
    private int rounds;

    /** @param folder where name servers keep files */
    public KindSimulation(long seed, Path folder, Scene scene) throws Exception {
        this.exercise = new Exercise(seed, folder, scene, this);
        this.random = exercise.random();
        this.cluster = exercise.cluster();
        this.model = new KindModel(cluster.masters().size() == 1);
        this.hasLooseFrames = scene.plan().events().stream()
                .anyMatch(event -> event.kind() == FaultKind.DOUBLE || event.kind() == FaultKind.OVERTAKE);
        this.offsets = new CommittedOffsetsNeverFall(exercise.verdict());
        this.promise = Promise.of(scene);
        this.copies = new Copies(cluster, scene, exercise.verdict(), TOPIC, QUEUES);
        this.inspector = new Inspector(cluster);
        this.byAGroup = new AcknowledgedByAGroup(cluster, exercise.verdict(), LATEST_ANSWER_MS);
        this.lockers = new Lockers(cluster, inspector, exercise.verdict(), new Random(~seed), Exercise.PUSHED, ORDERS);
        this.losses = new Losses(cluster, copies, inspector, promise, exercise::note);
        this.acknowledged = new AcknowledgedIsConfirmed(exercise.verdict(), exercise.watch()::isRead, losses::isGone);
        exercise.watch().add(acknowledged);
        exercise.watch().add(copies.onSlaves());
        this.views = new LiveAndRebuilt(cluster, inspector, TOPIC, QUEUES, exercise.verdict());
        this.rebuilds = cluster.isGroup()
                ? seed % GROUPS_A_REBUILD == GROUPS_A_REBUILD - 1
                : cluster.slaves().isEmpty() || seed % PAIRS_A_REBUILD == 0;
        this.waitMs = cluster.slaves().isEmpty() && seed % RUNS_AN_HOUR == 0 ? HOUR_MS : MINUTE_MS;
        this.producer = exercise.producer();
        this.transactions = TransactionProducer.builder()
                .group(GROUP)
                .topics(TOPIC)
                .listener(new Answering())
                .checkExecutor(cluster.calls().of("checks", 0))
                .producer(settings -> cluster.in(settings, cluster.cable("transactions"))
                        .instanceName("transactions")
                        .whenFull(WhenFull.FAIL)
                        .random(new Random(seed + 1)))
                .build();
        cluster.add(transactions.producer().loop());
        exercise.watch()
                .add(new TimersAreNeverEarly(
                        exercise.verdict(), cluster.clock(), model::dueMs, exercise.faults()::mayBeEarly));
    }

    /** Holds one more invariant against the logs. */
    public void add(Function<Verdict, LogInvariant> invariant) {
        exercise.watch().add(invariant.apply(exercise.verdict()));
    }

    /** Answers checks by the model: what became of a local transaction does not change. */
    private final class Answering implements TransactionListener {
        @Override
        public TransactionState execute(Message message, String transactionId, @Nullable Object argument) {
            throw new IllegalStateException("half messages are sent without it: it would block the only thread");
        }

        @Override
        public TransactionState check(MessageExt half) {
            note("check " + half.bodyText());
            return switch (model.local(half.bodyText())) {
                case COMMITTED -> TransactionState.COMMIT;
                case ROLLED_BACK -> TransactionState.ROLLBACK;
                case NONE, UNKNOWN -> TransactionState.UNKNOWN;
            };
        }
    }

    /** What happened, and how often. */
    public Map<Act, Integer> acts() {
        return acts;
    }

    /** How many messages are known to be stored. */
    public int stored() {
        return model.stored();
    }

    /** Everything in its order. */
    public List<String> trace() {
        return exercise.trace();
    }

    /** How many frames of logs were looked at. */
    public long frames() {
        return exercise.watch().frames();
    }

    /** How often a broker refused to start on a rotten log. */
    public int refusals() {
        return exercise.faults().refusals();
    }

    /** How often a slave was made the master. */
    public int promotions() {
        return exercise.faults().promotions();
    }

    /** How often slaves said where a group stands while their master was down. */
    public int offsetsOfSlaves() {
        return offsetsOfSlaves;
    }

    /** What went wrong. */
    public FaultPlan plan() {
        return exercise.faults().plan();
    }

    /** What slaves had to show. */
    public Copies copies() {
        return copies;
    }

    /** How many messages that were acknowledged are gone, where that may be. */
    public int lost() {
        return losses.lost();
    }

    /** How often somebody had to say that what is gone may be gone. */
    public int givenUp() {
        return losses.givenUp();
    }

    /** How many acknowledged messages were looked for on a majority of a group. */
    public long onMajority() {
        return byAGroup.checked();
    }

    /** How many locks of queues a group granted. */
    public int locksGranted() {
        return lockers.granted();
    }

    /** How many of them somebody else had held. */
    public int locksMoved() {
        return lockers.moved();
    }

    /** Of a group: how often what happened while it was under load. */
    public Map<FaultKind, Integer> happened() {
        return exercise.faults().happened();
    }

    /** How fast the part under load was simulated. */
    public Pace pace() {
        return exercise.pace();
    }

    /** How long the run was, on its own clock. */
    public long simulatedMs() {
        return cluster.clock().sinceStartMs();
    }

    /** Runs; gives what went wrong, nothing when all is as the model says. */
    public List<String> run() throws Exception {
        cluster.pass(1_000);
        if (cluster.isGroup()) {
            awaitLeader();
            inspector.createTopic(cluster.master(), ORDERS, QUEUES);
        }
        cluster.masters().forEach(machine -> inspector.createTopic(machine, TOPIC, QUEUES));
        producer.start();
        transactions.start();
        try {
            exercise.playRounds();
            exercise.calm(CALM_LIMIT_MS);
            if (cluster.isGroup() && isSound()) {
                workAgain();
            }
            if (isSound() && rebuilds) {
                rebuild();
            }
        } catch (IllegalStateException e) {
            if (isSound()) {
                throw e;
            }
            note("what does not hold keeps the rest from going on: " + e);
        }
        exercise.watch().close();
        List<String> problems = new ArrayList<>();
        exercise.verdict().problem().ifPresent(problems::add);
        problems.addAll(exercise.faults().problems());
        problems.addAll(copies.unlike());
        long nowMs = cluster.clock().wallMs();
        problems.addAll(model.verdict("push", nowMs));
        problems.addAll(model.verdict("pull", nowMs));
        return problems;
    }

    private void awaitLeader() {
        if (!cluster.passUntil(() -> cluster.master().serves(), ELECTED_MS, STEP_MS)) {
            throw new IllegalStateException("nobody leads the group");
        }
    }

    /** The faults are over: as soon as a message is taken, whatever is sent is stored at the first try, and comes. */
    private void workAgain() throws Exception {
        awaitLeader();
        long limitMs = cluster.clock().monotonicMs() + ELECTED_MS;
        while (!areTaken() && cluster.clock().monotonicMs() < limitMs) {
            cluster.pass(PROBE_MS); // a NameServer that was down hears of the master within its period
        }
        int numberBefore = numbers;
        plain();
        batch();
        ordered();
        delayed(DELAY_LIMIT_MS);
        transaction(Local.COMMITTED);
        exercise.calm(CALM_LIMIT_MS);
        for (String body : model.notStored()) {
            if (Integer.parseInt(body.replaceAll("-.*|[a-z]+", "")) >= numberBefore) {
                exercise.verdict().broken(getClass(), body + " is not taken when nothing goes wrong any more");
            }
        }
    }

    /** Whether either producer finds somebody who takes what it sends. */
    private boolean areTaken() {
        String body = name("plain");
        model.sends(Plan.plain(body));
        CompletableFuture<SendResult> sent = placed(body, producer.sendAsync(Message.of(TOPIC, body)));
        follow(body, sent, 0);
        return isTaken(sent) && isTaken(transacted(Local.COMMITTED));
    }

    private boolean isTaken(CompletableFuture<SendResult> sent) {
        cluster.passUntil(sent::isDone, ELECTED_MS, STEP_MS);
        return !sent.isCompletedExceptionally() && sent.join().status() == SendStatus.SEND_OK;
    }

    private boolean isSound() {
        return exercise.verdict().problem().isEmpty()
                && exercise.faults().problems().isEmpty();
    }

    @Override
    public void act() throws Exception {
        if (rounds++ % ROUNDS_BETWEEN_OFFSETS == 0 && !hasLooseFrames) { // an old commit that comes again counts again
            readOffsets();
        }
        readOffsetsOfSlaves();
        if (cluster.isGroup()) {
            lockers.act();
        }
        copies.lookWhenMasterIsDown();
        views.afterCrashes();
        Act act = Act.values()[random.nextInt(Act.values().length)];
        acts.merge(act, 1, Integer::sum);
        note(act.toString());
        switch (act) {
            case PLAIN -> plain();
            case BATCH -> batch();
            case DELAYED -> delayed(1 + random.nextInt(DELAY_LIMIT_MS));
            case ORDERED -> ordered();
            case TRANSACTION -> transaction(random.nextInt(3) == 0 ? Local.ROLLED_BACK : Local.COMMITTED);
        }
    }

    /** Asks those masters that are there where groups stand; of a group all members, whoever leads. */
    private void readOffsets() {
        for (BrokerMachine machine : cluster.isGroup() ? cluster.brokers() : cluster.masters()) {
            String place = promise.mayLose() ? machine.memory() : machine.brokerName();
            askOffsets(machine, (group, queue, offset) -> offsets.read(group, place + "/" + queue, offset));
        }
    }

    /**
     * Asks the slaves of a master that is down, while one node fails at a time and is heard again soon. They may be behind what it said in its last moments; but when
     * it is back, it knows what they said, be it what consumers committed to them meanwhile (R27).
     */
    private void readOffsetsOfSlaves() {
        if (promise.isOneAtATime()
                && promise.hearsSlaves()
                && !cluster.isGroup()
                && !promise.mayLose()
                && !hasLooseFrames
                && !cluster.master().isUp()) {
            for (BrokerMachine slave : cluster.slaves()) {
                askOffsets(slave, (group, queue, offset) -> {
                    offsetsOfSlaves++;
                    offsets.readBehind(group, slave.brokerName() + "/" + queue, offset);
                });
            }
        }
    }

    /** Hears where a group stands. */
    @FunctionalInterface
    private interface OffsetReader {
        void read(String group, int queue, long offset);
    }

    private void askOffsets(BrokerMachine machine, OffsetReader reader) {
        for (String group : List.of(Exercise.PUSHED, Exercise.POLLED)) {
            for (int queue = 0; machine.isUp() && queue < QUEUES; queue++) {
                int asked = queue;
                inspector.offset(machine, group, TOPIC, queue).ifPresent(offset -> reader.read(group, asked, offset));
            }
        }
    }

    private String name(String kind) {
        return kind + numbers++;
    }

    private void plain() {
        for (int i = random.nextInt(10); i >= 0; i--) {
            String body = name("plain");
            model.sends(Plan.plain(body));
            follow(body, placed(body, producer.sendAsync(Message.of(TOPIC, body))), 0);
        }
    }

    private void batch() {
        String batch = name("batch");
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < 2 + random.nextInt(5); i++) {
            String body = batch + "-" + i;
            model.sends(new Plan(body, Local.NONE, 0, null, batch));
            messages.add(Message.of(TOPIC, body));
        }
        CompletableFuture<SendResult> sent = producer.sendAsync(messages);
        for (int i = 0; i < messages.size(); i++) {
            follow(messages.get(i).bodyText(), sent, i);
        }
    }

    private void delayed(long delayMs) {
        String body = name("delayed");
        model.sends(new Plan(body, Local.NONE, cluster.clock().wallMs() + delayMs, null, null));
        follow(
                body,
                producer.sendAsync(
                        Message.builder(TOPIC).body(body).delayMs(delayMs).build()),
                0);
    }

    private void ordered() {
        for (int i = random.nextInt(6); i >= 0; i--) {
            String key = "key-" + random.nextInt(KEYS);
            String body = name("ordered");
            model.sends(new Plan(body, Local.NONE, 0, key, null));
            Message message = Message.builder(TOPIC).body(body).orderKey(key).build();
            follow(body, placed(body, producer.sendOrderedAsync(message)), 0);
        }
    }

    private void transaction(Local local) {
        CompletableFuture<?> unused = transacted(local);
    }

    /** As a transaction producer does, without blocking: a half message, and mostly a decision. */
    private CompletableFuture<SendResult> transacted(Local local) {
        String body = name("transaction");
        model.sends(new Plan(body, local, 0, null, null));
        boolean decides = local != Local.UNKNOWN && random.nextInt(10) < 7;
        Message half = Message.of(TOPIC, body).withProperty(PropertyKey.PRODUCER_GROUP, GROUP);
        CompletableFuture<SendResult> sent = sentHalf(half);
        follow(body, sent, 0);
        Completion.on(sent, (stored, failure) -> {
            if (failure == null && decides) {
                decide(stored, local == Local.COMMITTED ? SysFlag.TRANSACTION_COMMIT : SysFlag.TRANSACTION_ROLLBACK);
            }
        });
        return sent;
    }

    private CompletableFuture<SendResult> sentHalf(Message half) {
        try {
            return transactions.producer().half(half).result();
        } catch (ClientException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void decide(SendResult half, int decision) {
        ClientInstance client = transactions.producer().instance();
        EndTransactionHeader header = new EndTransactionHeader(
                TOPIC,
                GROUP,
                half.queueOffset(),
                MessageId.parse(half.offsetMessageId()).physicalOffset(),
                decision,
                false,
                half.messageId(),
                half.transactionId());
        client.routes()
                .masterAddress(half.queue().brokerName())
                .ifPresent(address -> Completion.on(
                        client.calls().ask(BrokerCalls.Question.of(address, Rpcs.END_TRANSACTION, header, TOPIC)),
                        (answer, failure) -> note("decided " + half.messageId() + " "
                                + (failure == null ? answer.code() : failure.getClass()))));
    }

    /** A message that lies where its sender is told, at once. */
    private CompletableFuture<SendResult> placed(String body, CompletableFuture<SendResult> sent) {
        return sent.thenApply(stored -> {
            if (stored.status() == SendStatus.SEND_OK) {
                acknowledged.acknowledged(stored.queue(), stored.queueOffset(), body);
            }
            return stored;
        });
    }

    /** @param index which of the messages that were sent together it is */
    private void follow(String body, CompletableFuture<SendResult> sent, int index) {
        Completion.on(sent, (stored, failure) -> {
            if (failure == null) {
                copies.sent(stored, index, body);
                if (cluster.isGroup() && stored.status() == SendStatus.SEND_OK) {
                    byAGroup.acknowledged(
                            MessageId.parse(stored.offsetMessageId().split(",", -1)[index]), body);
                }
            }
            Fate fate = failure == null
                    ? stored.status() == SendStatus.SEND_OK ? Fate.STORED : Fate.DOUBTFUL
                    : failure instanceof ClientException known && !known.mayHaveTakenEffect() && !hasLooseFrames
                            ? Fate.NOT_STORED
                            : Fate.DOUBTFUL;
            model.became(body, fate);
            note(fate + " " + body + (failure == null ? "" : " " + failure));
        });
    }

    @Override
    public void saw(String consumer, MessageExt message) {
        note(consumer + " saw " + message.bodyText());
        model.saw(
                consumer,
                message.bodyText(),
                message.queue(),
                message.queueOffset(),
                exercise.faults().mayBeEarly(message.queue().brokerName())
                        ? Long.MAX_VALUE
                        : cluster.clock().wallMs());
    }

    @Override
    public boolean isDone() {
        long nowMs = cluster.clock().wallMs();
        model.lost(losses.of(model.storedBodies()));
        return model.isDone("push", nowMs)
                && model.isDone("pull", nowMs)
                && exercise.faults().isSettled()
                && copies.areLevel();
    }

    @Override
    public void tend() throws Exception {
        losses.tend();
    }

    /** Has views made anew from nothing but the logs while messages wait and transactions are open. */
    private void rebuild() throws Exception {
        cluster.pass(SETTLED_MS);
        delayed(waitMs);
        delayed(waitMs + MINUTE_MS);
        transaction(Local.UNKNOWN);
        exercise.calm(CALM_LIMIT_MS);
        views.atTheEnd(random);
        cluster.pass(waitMs + MINUTE_MS);
        exercise.calm(CALM_LIMIT_MS);
    }

    private void note(String what) {
        exercise.note(what);
    }
}
