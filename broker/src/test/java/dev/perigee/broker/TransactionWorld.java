package dev.perigee.broker;

import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.kv.MemoryViewStores;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A stepped broker with the topic {@code T} and a producer of transactions of group {@code g}, which can go down in several ways. */
final class TransactionWorld {
    /** How the broker goes down and comes up again. */
    enum Restart {
        /** Not at all. */
        NONE,
        CLOSED,
        KILLED,
        /** Killed, with the views of what waits lost. */
        FROM_THE_LOG_ALONE
    }

    final SteppedBroker.TurnedClock clock = new SteppedBroker.TurnedClock();
    final CrashingDisk disk = new CrashingDisk(new Random(1));
    private final Map<String, String> settings;
    private MemoryViewStores stores = new MemoryViewStores();
    private long seed = 1;
    /** The broker that runs now, and a producer with a connection to it. */
    SteppedBroker broker;

    TransactionPeer producer;

    TransactionWorld(Map<String, String> settings) throws Exception {
        this.settings = Map.copyOf(settings);
        this.broker = newBroker();
        this.producer = newProducer();
        broker.run(broker.createTopic("T", 1));
    }

    private SteppedBroker newBroker() throws Exception {
        return new SteppedBroker(disk, stores, clock, seed++, settings);
    }

    private TransactionPeer newProducer() throws Exception {
        TransactionPeer peer = new TransactionPeer(broker, "g");
        peer.heartbeat();
        broker.settle();
        return peer;
    }

    void restart(Restart how) throws Exception {
        if (how != Restart.NONE) {
            goDown(how);
            comeUp();
            producer = newProducer();
        }
    }

    void goDown(Restart how) throws Exception {
        switch (how) {
            case NONE -> throw new IllegalArgumentException("not at all");
            case CLOSED -> {
                broker.settle();
                broker.broker.close();
            }
            case KILLED -> {
                disk.kill();
                stores.crash(new Random(seed));
            }
            case FROM_THE_LOG_ALONE -> {
                disk.kill();
                for (String view : List.of("timers", "transactions")) {
                    if (disk.exists(view + "/view.checkpoint")) {
                        disk.delete(view + "/view.checkpoint");
                    }
                }
                stores = new MemoryViewStores();
            }
        }
    }

    /** The broker runs again, and no producer is connected. */
    void comeUp() throws Exception {
        broker = newBroker();
    }
}
