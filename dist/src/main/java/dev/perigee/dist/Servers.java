package dev.perigee.dist;

import dev.perigee.broker.Broker;
import dev.perigee.broker.DescriptorShare;
import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.loop.Clock;
import dev.perigee.namesrv.NameServer;
import dev.perigee.namesrv.NameServerConfig;
import dev.perigee.remoting.address.FreePort;
import dev.perigee.remoting.address.ListenPort;
import dev.perigee.remoting.call.RemotingException;
import java.io.IOException;
import java.util.List;

/** Starts servers and says in one line why one does not start. */
final class Servers {
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
            throw new CommandException(ExitCode.FAILED, server + " does not start: " + e.getMessage(), e);
        }
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

    /** @param servers how many servers share the process */
    static Broker broker(BrokerConfig config, Lifecycle lifecycle, int servers) throws CommandException {
        try {
            Broker broker = new Broker(config, Clock.system());
            broker.onFatal(lifecycle::fail);
            broker.shareDescriptors(servers);
            broker.start();
            return broker;
        } catch (RemotingException e) {
            throw new CommandException(ExitCode.FAILED, "the broker does not start: " + e.getMessage(), e);
        } catch (IOException e) {
            String why = FileFault.text(e, config.storage().rootDir());
            throw new CommandException(ExitCode.FAILED, "the broker does not start: " + why, e);
        }
    }
}
