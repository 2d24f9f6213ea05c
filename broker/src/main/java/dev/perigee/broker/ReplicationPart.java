package dev.perigee.broker;

import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.fact.ReadGate;
import dev.perigee.broker.metrics.GroupMetrics;
import dev.perigee.broker.offset.OffsetCommits;
import dev.perigee.broker.offset.OffsetsUpstream;
import dev.perigee.broker.registration.RegistrationDuty.MasterSearch;
import dev.perigee.broker.view.OffsetView;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.ConnectionLimits;
import dev.perigee.remoting.Gate;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.replica.Standing;
import dev.perigee.store.view.Duty;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** What replication is on a broker, by its role; unless said otherwise, on one that is alone. Made of an open store, before its loops run. */
interface ReplicationPart extends AutoCloseable {
    /** Of what waits in a connection over which a log goes: more than the window and a unit, for what its replica holds must be heard. */
    int HIGH_WATER_BYTES = 32 << 20;

    /** Below this, more is read again. */
    int LOW_WATER_BYTES = 16 << 20;

    /** The port over which a log goes to its replicas. */
    static ServerConfig port(BrokerConfig config, String host, int port) {
        return ServerConfig.of(host, port)
                .withTls(config.network().tls())
                .withLimits(ConnectionLimits.DEFAULT.withWaterMarks(LOW_WATER_BYTES, HIGH_WATER_BYTES));
    }

    /** Before the store is open. */
    ReplicationPart NOT_CONNECTED = () -> {
        throw new IllegalStateException("the store is not open");
    };

    /** This broker's place among those of its name. */
    default Standing standing() {
        return Standing.ALONE;
    }

    /** The id under which NameServers are told of it now. Any thread. */
    default long brokerId(BrokerIdentity identity) {
        return identity.id();
    }

    /** Asked before the handlers of clients. */
    default Gate gate(BrokerCore core) {
        return core.opening;
    }

    /** Adds what tools ask of brokers of this role alone. */
    default void addTo(HandlerTable.Builder table) {
        // Nothing.
    }

    /** What answers clients: this table, or what stands before it. */
    default HandlerTable ofClients(BrokerCore core, HandlerTable handlers) {
        return handlers;
    }

    /**
     * What appends, when this broker may serve.
     *
     * @param duties what a master does
     * @return what of that is done while this node may append, in whichever role
     */
    default List<Duty> leading(BrokerCore core, List<Duty> duties) {
        return duties;
    }

    /**
     * Hands the place of the master over before a stop in order, where another one can take it at once. Blocks.
     *
     * @param until waits for something within a limit, and tells whether it came to be
     * @return whether another one is the master, or is to become it
     */
    default boolean handOver(BrokerCore core, Predicate<BooleanSupplier> until) {
        return false;
    }

    /** This broker is about to stop: it is to be the master no more, if another one can be. Any thread. */
    default void resign() {
        // Whoever is to be the master says the operator.
    }

    /** Whether clients may still take this broker for the master, which another one is now, for it was one within this time. Any thread. */
    default boolean wasMasterWithin(long ms) {
        return false;
    }

    /** How many requests were handed on to another one that is the master. Any thread. */
    default long handedOn() {
        return 0;
    }

    /** Connections to those that may hold what is damaged here. Any thread. */
    default Collection<Connection> others() {
        return List.of();
    }

    /** What tools are told of it. Any thread. */
    HaStatus status();

    /** What it is in its group; empty where it is in none. Any thread. */
    default Optional<GroupMetrics.Figures> group() {
        return Optional.empty();
    }

    /** Whether it belongs to a group and knows nobody who leads that. Any thread. */
    default boolean lacksLeader() {
        return false;
    }

    /** The same in words, for people; empty where it is in none. Any thread. */
    default Optional<String> place() {
        return Optional.empty();
    }

    /** What it appends on the view loop. */
    default List<Duty> duties() {
        return List.of();
    }

    /** What it does on the view loop besides, though it may append nothing. */
    default List<Duty> dutiesEverywhere() {
        return List.of();
    }

    /**
     * What hands up the offsets that are committed to a slave, with those that were kept. Blocks; the views are level, and the loops do not run.
     *
     * @throws IOException when those cannot be read
     */
    default Optional<OffsetsUpstream> offsetsUpstream(OffsetCommits commits, OffsetView view) throws IOException {
        return Optional.empty();
    }

    /** A master that waits for its slaves says where it is; of use where a slave's settings do not. Any thread. */
    default void masterWaitsAt(String haAddress) {
        // Nobody but a slave looks for it.
    }

    /** How a slave finds its master where its settings do not say, and what comes of it. */
    default MasterSearch search() {
        return MasterSearch.NONE;
    }

    /**
     * What a start needs of the broker.
     *
     * @param commits take what consumers committed to slaves
     * @param clients what answers clients here
     * @param gate keeps that back until the views show its queues
     * @param farther finds ids of brokers of this name that say that they have more than this log; blocks
     * @param onWait hears in one line what a master waits for, again each minute; on an event loop
     * @param onFailure hears that a master cannot begin, or why a slave must be started anew
     */
    record Begun(
            BrokerIdentity identity,
            HandlerTable clients,
            OffsetCommits commits,
            ReadGate gate,
            Supplier<List<Long>> farther,
            Consumer<String> onWait,
            Consumer<Throwable> onFailure) {}

    /**
     * Opens the replication port and asks who has more, or begins to follow; the store's loops run, or are stepped.
     *
     * @throws RemotingException when the port cannot be opened
     * @throws IOException when another member of the group has this one's place, or is of another group
     */
    default void start(Begun begun) throws RemotingException, IOException {
        // Alone there is nobody to speak to.
    }

    /** Whether this is a master that may have to wait for its replicas. */
    default boolean startsAsMaster() {
        return false;
    }

    /**
     * Whether clients may be served and duties decide: a master has asked the replicas its log names, and what its log held then is
     * confirmed, by them or a smaller set in sync, and in the views. Any thread.
     */
    default boolean mayServe() {
        return true;
    }

    /** A slave that stops in order tells its master, so that no send waits for it; completed soon. */
    default CompletableFuture<?> leave() {
        return CompletableFuture.completedFuture(Boolean.TRUE);
    }

    /** Whether no slave in sync lacks anything of the log, or does not know that it is confirmed. Any thread. */
    default boolean areSlavesLevel() {
        return true;
    }

    /** Ends all connections of replication; before the store is closed. */
    @Override
    default void close() {
        // Alone there are none.
    }
}
