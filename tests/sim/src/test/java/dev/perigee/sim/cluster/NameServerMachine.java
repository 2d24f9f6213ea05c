package dev.perigee.sim.cluster;

import dev.perigee.namesrv.NameServer;
import dev.perigee.namesrv.NameServerConfig;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The machine a name server runs on. It keeps nothing that matters here: what it knows, brokers tell it again. */
public final class NameServerMachine implements Machine {
    private final String name;
    private final Network network;
    private final MachineClock clock;
    private final NameServerConfig config;
    private @Nullable NameServer server;
    private @Nullable Cable cable;

    NameServerMachine(String name, int port, Network network, MachineClock clock, Path folder) {
        this.name = name;
        this.network = network;
        this.clock = clock;
        this.config = NameServerConfig.defaults().listenOn("127.0.0.1", port).keepKvIn(folder.resolve("kv.json"));
        network.roads().own(port, name);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean isUp() {
        return server != null;
    }

    @Override
    public void start() throws Exception {
        Cable plugged = network.cables().make(name);
        NameServer started = new NameServer(config, plugged, Runnable::run, clock);
        started.start();
        cable = plugged;
        server = started;
    }

    @Override
    public void stop() {
        NameServer stopped = server;
        server = null;
        if (stopped != null) {
            stopped.close();
        }
    }

    @Override
    public void end(End how) {
        network.unplug(config.listenPort());
        Cable pulled = cable;
        if (pulled != null) {
            pulled.vanish();
        }
        stop(); // lets go of its folder; nobody hears it any more
    }

    @Override
    public void freeze() {
        Optional.ofNullable(cable).ifPresent(Cable::freeze);
    }

    @Override
    public void thaw() {
        Optional.ofNullable(cable).ifPresent(Cable::thaw);
    }

    @Override
    public void jump(long ms) {
        clock.jump(ms);
    }
}
