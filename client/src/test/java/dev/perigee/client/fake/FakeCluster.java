package dev.perigee.client.fake;

import dev.perigee.client.producer.Producer;
import dev.perigee.client.producer.ProducerBuilder;
import dev.perigee.client.transaction.TransactionListener;
import dev.perigee.client.transaction.TransactionProducer;
import dev.perigee.client.transaction.TransactionProducerBuilder;
import dev.perigee.loop.Clock;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.netty.EventLoops;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A NameServer, the brokers that a test wants and its producers, over real sockets on one event loop: started for the test, and
 * closed after it.
 */
public final class FakeCluster implements AfterEachCallback {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(10);
    private static final int PATIENT_MS = 60_000;

    private final Resources resources = new Resources();
    private final EventLoops loops = resources.opened(EventLoops.start("fake-cluster", 1));
    private final FakeNameServer nameServer;

    public FakeCluster() {
        try {
            nameServer = resources.opened(new FakeNameServer(loops, Clock.system()));
        } catch (RemotingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Its NameServer, which knows no topic yet. */
    public FakeNameServer nameServer() {
        return nameServer;
    }

    /** Starts another broker. */
    public FakeBroker broker(String name) throws RemotingException {
        return resources.opened(new FakeBroker(name, loops, Clock.system()));
    }

    /** Starts a producer of the group {@code p}, unless the settings say otherwise. */
    public Producer producer(UnaryOperator<ProducerBuilder> settings) {
        Producer producer = resources.opened(settings.apply(onLoops(
                        Producer.builder().nameServers(nameServer.address()).group("p")))
                .build());
        producer.start();
        return producer;
    }

    /** Starts a producer of the group {@code tx}, unless the settings say otherwise. */
    public TransactionProducer transactions(
            TransactionListener listener, UnaryOperator<TransactionProducerBuilder> settings) {
        TransactionProducer producer = resources.opened(settings.apply(TransactionProducer.builder()
                        .nameServers(nameServer.address())
                        .group("tx")
                        .listener(listener)
                        .producer(this::onLoops))
                .build());
        producer.start();
        return producer;
    }

    private ProducerBuilder onLoops(ProducerBuilder settings) {
        return settings.transport(loops)
                .clientIp("127.0.0.1")
                .callTimeoutMs(PATIENT_MS)
                .sendTimeoutMs(PATIENT_MS);
    }

    /** Waits until something is so that producers or brokers bring about. */
    public static void await(Callable<Boolean> condition) {
        patient().until(condition);
    }

    /** Waits until assertions hold. */
    public static void awaitAsserted(ThrowingRunnable assertions) {
        patient().untilAsserted(assertions);
    }

    private static ConditionFactory patient() {
        return Awaitility.await().atMost(PATIENCE).pollDelay(Duration.ZERO).pollInterval(POLL);
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        resources.afterEach(context);
    }
}
