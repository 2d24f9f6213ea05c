package dev.perigee.broker;

import dev.perigee.broker.offset.OffsetsUpstream;
import dev.perigee.broker.registration.FirstRegistration;
import dev.perigee.broker.registration.MasterFence;
import dev.perigee.broker.registration.MasterNotice;
import dev.perigee.broker.registration.RegistrationDuty;
import dev.perigee.broker.start.ServingStart;
import dev.perigee.loop.Opened;
import dev.perigee.loop.OwnedBy;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.metrics.MetricsEndpoint;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A broker whose parts are made and whose store runs: how it comes to serve clients, and how it stops. */
@OwnedBy("starting thread")
final class RunningBroker {
    /** Of a broker without threads, before its start is left to the loops that the caller steps. */
    private static final int STEPS_OF_START = 100;

    /** What exists while the broker runs. */
    record Parts(
            BrokerCore core,
            Optional<OffsetsUpstream> upstream,
            RemotingServer server,
            RemotingClient client,
            RegistrationDuty registration,
            MasterNotice notice,
            Optional<MasterFence> fence,
            MetricsEndpoint metrics) {}

    private final Parts parts;
    private final CompletableFuture<Throwable> logFailure;
    private final boolean threads;
    private @Nullable ServingStart start;

    /**
     * One that serves nobody yet.
     *
     * @param logFailure completed when the log has failed
     * @param threads whether its loops run by themselves
     */
    RunningBroker(Parts parts, CompletableFuture<Throwable> logFailure, boolean threads) {
        this.parts = parts;
        this.logFailure = logFailure;
        this.threads = threads;
    }

    /** Names what waits until clients may be served. Once. */
    void startsBy(ServingStart last) {
        start = last;
    }

    /** What waits until clients may be served, and has them served. */
    ServingStart start() {
        ServingStart named = start;
        if (named == null) {
            throw new IllegalStateException("not named yet");
        }
        return named;
    }

    BrokerCore core() {
        return parts.core;
    }

    RemotingServer server() {
        return parts.server;
    }

    MetricsEndpoint metrics() {
        return parts.metrics;
    }

    /**
     * Waits until clients are served; without threads that is left to the loops that the caller steps, where it takes more than a few steps.
     * Blocks.
     *
     * @param closed whether the broker was closed meanwhile
     */
    void awaitServing(BooleanSupplier closed) throws IOException, RemotingException {
        ServingStart last = start();
        if (threads) {
            last.await(() -> closed.getAsBoolean() || logFailure.isDone());
        } else if (parts.core.stepUntil(last::isReady, STEPS_OF_START)) {
            last.open();
        }
    }

    /** Says to the others of its name that it waits for them: a slave that was not told where its master is finds it so. */
    void announce() {
        parts.notice.begin();
        parts.core.wakeViews();
    }

    /** Opens the ports of clients, and makes the broker known. Blocks. */
    void serveClients() throws IOException, RemotingException {
        BrokerCore core = parts.core;
        if (!core.standing.isSlave()) {
            core.alignTemplate();
            new OwnTopics(core, logFailure, threads).make();
        }
        parts.server.start();
        parts.notice.end();
        new FirstRegistration(parts.registration, parts.fence, core.clock).begin(core::wakeViews);
        core.opening.open();
    }

    /**
     * Stops in order, see {@link Broker#close}. Blocks.
     *
     * @param handsOver whether another one of its group is to go on
     */
    void stop(AutoCloseable loops, boolean handsOver) throws IOException {
        BrokerCore core = parts.core;
        try (Opened rest = new Opened()) {
            rest.add(loops);
            rest.add(core.views::close);
            rest.add(parts.metrics);
            rest.add(parts.client);
            rest.add(parts.server);
            try {
                CleanStop stop = new CleanStop(core, parts.server, parts.registration, threads);
                if (logFailure.isDone() || !start().isOver()) { // then no duty runs, and much would never be answered
                    stop.deregister();
                } else if (parts.upstream.isPresent()) {
                    stop.leave(parts.upstream.get());
                } else {
                    stop.run(handsOver);
                }
            } finally {
                core.replication.close();
                core.store.close();
                parts.upstream.ifPresent(OffsetsUpstream::keepLast);
            }
        }
    }
}
