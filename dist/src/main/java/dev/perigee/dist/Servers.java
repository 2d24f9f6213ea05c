package dev.perigee.dist;

import dev.perigee.broker.Broker;
import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.broker.member.StartRefusedException;
import dev.perigee.broker.start.DescriptorShare;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.loop.Clock;
import dev.perigee.namesrv.NameServer;
import dev.perigee.namesrv.NameServerConfig;
import dev.perigee.remoting.address.FreePort;
import dev.perigee.remoting.address.ListenPort;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.tls.TlsFiles;
import dev.perigee.remoting.transport.TlsConfig;
import dev.perigee.remoting.transport.TlsMode;
import dev.perigee.store.recovery.RecoveryReport;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Starts servers and says in one line why one does not start. */
final class Servers {
    private static final long LOOK_MS = 5;

    private Servers() {}

    /**
     * Checks ports before anything is opened, a log file included. Blocks a moment.
     *
     * @param server who wants them, for the text
     */
    static void requireFree(String server, List<ListenPort> ports) throws CommandException {
        try {
            FreePort.check(ports);
        } catch (RemotingException e) {
            String instead = server.equals("up") ? "; --namesrv-port 0 --broker-port 0 takes free ones" : "";
            throw new CommandException(ExitCode.FAILED, server + " does not start: " + e.getMessage() + instead, e);
        }
    }

    /**
     * Checks the files that encryption names before anything is opened. Blocks on the disk.
     *
     * @param own of the server's ports
     * @param towards of its connections to other servers
     */
    static void requireTlsFiles(TlsConfig own, TlsConfig towards) throws CommandException {
        try {
            TlsFiles.read(own, TlsFiles.Side.SERVER);
            TlsFiles.read(towards, TlsFiles.Side.CLIENT);
        } catch (IOException e) {
            throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Waits for what the servers of this process do meanwhile. Blocks, looking every few milliseconds.
     *
     * @return what was looked for; empty when it is not there and the time is over
     */
    static <T> Optional<T> await(Supplier<Optional<T>> look, long limitMs) {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMs);
        Optional<T> found = look.get();
        while (found.isEmpty() && System.nanoTime() <= endNs) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK_MS));
            found = look.get();
        }
        return found;
    }

    /**
     * Has servers make ready what their first encrypted connections need. Where every connection is one, waits for it, so that a server
     * that says it is ready is; elsewhere it is made beside what the server does, and starts do not take longer (ADR 0026).
     */
    static void prepareTls(TlsMode mode, CompletableFuture<?>... preparations) throws CommandException {
        if (mode != TlsMode.ENFORCING) {
            return;
        }
        try {
            CompletableFuture.allOf(preparations).join();
        } catch (CompletionException e) {
            throw new CommandException(ExitCode.FAILED, "encryption cannot be made ready: " + e.getCause(), e);
        }
    }

    /** What an operator should know of how the log was found: a line, or none. */
    static List<String> found(RecoveryReport recovery) {
        return recovery.cutBytes() == 0
                ? List.of()
                : List.of("recovery cut " + recovery.cutBytes()
                        + " bytes of an unfinished tail off the log, which ends at " + recovery.endOffset() + " now: "
                        + recovery.cutReason());
    }

    /** @param servers how many servers share the process */
    static NameServer nameServer(NameServerConfig config, int servers) throws CommandException {
        NameServer server = new NameServer(config, Clock.system());
        try {
            server.maxConnections(DescriptorShare.ofProcess(0).maxConnections(servers));
            server.start();
            return server;
        } catch (RemotingException e) {
            throw new CommandException(ExitCode.FAILED, "the name server does not start: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new CommandException(ExitCode.FAILED, "the name server does not start: " + FileFault.text(e), e);
        }
    }

    /**
     * Starts a broker; blocks, also while it waits for its replicas.
     *
     * @param start told in one line what the start waits for
     * @param servers how many servers share the process
     */
    static Broker broker(BrokerConfig config, Lifecycle lifecycle, ServerStart start, int servers)
            throws CommandException {
        try {
            Broker broker = new Broker(config, Clock.system());
            broker.onFatal(lifecycle::fail);
            broker.onWait(line -> start.warn(List.of(line)));
            broker.shareDescriptors(servers);
            lifecycle.starts(broker::giveUpStart);
            broker.start();
            return broker;
        } catch (RemotingException e) {
            throw new CommandException(ExitCode.FAILED, "the broker does not start: " + e.getMessage(), e);
        } catch (StartRefusedException e) {
            throw new CommandException(ExitCode.USAGE, "the broker does not start: " + e.getMessage(), e);
        } catch (IOException e) {
            String why = FileFault.text(e, config.storage().rootDir());
            throw new CommandException(ExitCode.FAILED, "the broker does not start: " + why, e);
        }
    }
}
