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
import dev.perigee.sim.cluster.Exercise;
import dev.perigee.sim.kind.KindModel.Fate;
import dev.perigee.sim.kind.KindModel.Local;
import dev.perigee.sim.kind.KindModel.Plan;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One run: plain, batched, delayed, ordered and transactional messages are sent and consumed while connections break and the
 * broker restarts, is killed and loses power, all by one seed. In the end everything but the log is taken away, and the views
 * made from it anew are compared with those that lived.
 */
public final class KindSimulation implements Exercise.Part {
    private static final String TOPIC = Exercise.TOPIC;
    private static final String GROUP = "tx";
    private static final int QUEUES = 4;
    private static final int KEYS = 3;
    private static final long CALM_LIMIT_MS = 400_000;
    private static final long HOUR_MS = 3_600_000;
    private static final int DELAY_LIMIT_MS = 20_000;
    /** In this time every delay of a round ends, and every half message it left without a decision is asked about. */
    private static final long SETTLED_MS = 180_000;

    /** What can happen in a round. */
    public enum Act {
        PLAIN(15),
        BATCH(15),
        DELAYED(15),
        ORDERED(15),
        TRANSACTION(18),
        BREAK(12),
        RESTART(4),
        KILL(3),
        POWER_LOSS(3);

        private final int percent;

        Act(int percent) {
            this.percent = percent;
        }

        /** The act that a throw of 0 to 99 stands for. */
        static Act of(int dice) {
            int below = 0;
            for (Act act : values()) {
                below += act.percent;
                if (dice < below) {
                    return act;
                }
            }
            throw new IllegalArgumentException("dice=" + dice + ", must be below " + below);
        }
    }

    private final Exercise exercise;
    private final Random random;
    private final Cluster cluster;
    private final KindModel model = new KindModel();
    private final Map<Act, Integer> acts = new EnumMap<>(Act.class);
    private final Producer producer;
    private final TransactionProducer transactions;
    private final Exercise.Consumers consumers;
    private int numbers;

    public KindSimulation(long seed, Path folder) throws Exception {
        this.exercise = new Exercise(seed, folder, this);
        this.random = exercise.random();
        this.cluster = exercise.cluster();
        this.producer = exercise.producer();
        this.transactions = TransactionProducer.builder()
                .group(GROUP)
                .topics(TOPIC)
                .listener(new Answering())
                .checkExecutor(cluster.calls().of("checks", 0))
                .producer(settings -> cluster.in(settings)
                        .instanceName("transactions")
                        .whenFull(WhenFull.FAIL)
                        .random(new Random(seed + 1)))
                .build();
        cluster.add(transactions.producer().loop());
        this.consumers = exercise.consumers(push -> push.orderlyListener(exercise::consume));
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

    /** Runs; gives what went wrong, nothing when all is as the model says. */
    public List<String> run() throws Exception {
        producer.start();
        transactions.start();
        plain();
        cluster.pass(2_000);
        consumers.playRounds();
        consumers.calm(CALM_LIMIT_MS);
        List<String> problems = new ArrayList<>(rebuilt());
        long nowMs = cluster.clock().wallMs();
        problems.addAll(model.verdict("push", nowMs));
        problems.addAll(model.verdict("pull", nowMs));
        return problems;
    }

    @Override
    public void act() throws Exception {
        Act act = Act.of(random.nextInt(100));
        acts.merge(act, 1, Integer::sum);
        note(act.toString());
        switch (act) {
            case PLAIN -> plain();
            case BATCH -> batch();
            case DELAYED -> delayed(1 + random.nextInt(DELAY_LIMIT_MS));
            case ORDERED -> ordered();
            case TRANSACTION -> transaction(random.nextInt(3) == 0 ? Local.ROLLED_BACK : Local.COMMITTED);
            case BREAK -> cluster.breakConnection(random.nextInt(1_000));
            case RESTART -> cluster.restartBroker();
            case KILL -> {
                cluster.machine().end(BrokerMachine.End.KILLED);
                cluster.machine().start();
            }
            case POWER_LOSS -> cluster.crashBroker();
        }
    }

    private String name(String kind) {
        return kind + numbers++;
    }

    private void plain() {
        for (int i = random.nextInt(10); i >= 0; i--) {
            String body = name("plain");
            model.sends(Plan.plain(body));
            follow(body, producer.sendAsync(Message.of(TOPIC, body)));
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
        messages.forEach(message -> follow(message.bodyText(), sent));
    }

    private void delayed(long delayMs) {
        String body = name("delayed");
        model.sends(new Plan(body, Local.NONE, cluster.clock().wallMs() + delayMs, null, null));
        follow(
                body,
                producer.sendAsync(
                        Message.builder(TOPIC).body(body).delayMs(delayMs).build()));
    }

    private void ordered() {
        for (int i = random.nextInt(6); i >= 0; i--) {
            String key = "key-" + random.nextInt(KEYS);
            String body = name("ordered");
            model.sends(new Plan(body, Local.NONE, 0, key, null));
            follow(
                    body,
                    producer.sendOrderedAsync(
                            Message.builder(TOPIC).body(body).orderKey(key).build()));
        }
    }

    /** As a transaction producer does, without blocking: a half message, and mostly a decision. */
    private void transaction(Local local) {
        String body = name("transaction");
        model.sends(new Plan(body, local, 0, null, null));
        boolean decides = local != Local.UNKNOWN && random.nextInt(10) < 7;
        Message half = Message.of(TOPIC, body).withProperty(PropertyKey.PRODUCER_GROUP, GROUP);
        CompletableFuture<SendResult> sent = sentHalf(half);
        follow(body, sent);
        Completion.on(sent, (stored, failure) -> {
            if (failure == null && decides) {
                decide(stored, local == Local.COMMITTED ? SysFlag.TRANSACTION_COMMIT : SysFlag.TRANSACTION_ROLLBACK);
            }
        });
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

    private void follow(String body, CompletableFuture<SendResult> sent) {
        Completion.on(sent, (stored, failure) -> {
            Fate fate = failure == null
                    ? stored.status() == SendStatus.SEND_OK ? Fate.STORED : Fate.DOUBTFUL
                    : failure instanceof ClientException known && !known.mayHaveTakenEffect()
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
                message.queue().queueId(),
                message.queueOffset(),
                cluster.clock().wallMs());
    }

    @Override
    public boolean isDone() {
        long nowMs = cluster.clock().wallMs();
        return model.isDone("push", nowMs) && model.isDone("pull", nowMs);
    }

    /** What differs when the views are made anew from nothing but the log, while messages wait and transactions are open. */
    private List<String> rebuilt() throws Exception {
        cluster.pass(SETTLED_MS);
        delayed(HOUR_MS);
        delayed(HOUR_MS + 60_000);
        transaction(Local.UNKNOWN);
        consumers.calm(CALM_LIMIT_MS);
        BrokerContents contents = new BrokerContents(cluster, producer.instance(), TOPIC);
        List<String> lived = contents.lines(QUEUES);
        if (random.nextBoolean()) {
            cluster.machine().end(BrokerMachine.End.KILLED);
        } else {
            cluster.machine().stop();
        }
        cluster.machine().keepOnlyTheLog();
        cluster.machine().start();
        cluster.pass(5_000);
        List<String> anew = contents.lines(QUEUES);
        note("rebuilt " + anew.size() + " lines");
        cluster.pass(HOUR_MS + 60_000);
        consumers.calm(CALM_LIMIT_MS);
        List<String> problems = new ArrayList<>();
        if (lived.stream().noneMatch(line -> line.startsWith("half "))) {
            problems.add("no half message was open when the views were made anew");
        }
        if (!lived.equals(anew)) {
            problems.add("views made anew differ:\nlived " + lived + "\nanew  " + anew);
        }
        return problems;
    }

    private void note(String what) {
        exercise.note(what);
    }
}
