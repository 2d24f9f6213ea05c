package dev.perigee.broker.client;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.address.AddressText;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.transport.Payload;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client as another member of the group describes it that hands over its request: to be compared, and for its address. Nothing can be sent
 * to it, and it counts as open as long as the connection to that member. Two are equal when they are the same member's, at one address.
 */
@Immutable
public final class ForwardedClient implements Connection {
    private static final String NO_WAY = "a client of another member is reached over that one only";

    private final Connection member;
    private final InetSocketAddress remote;
    private final String remoteAddress;
    private final @Nullable String clientId;
    private final long number;

    private ForwardedClient(
            Connection member, InetSocketAddress remote, String remoteAddress, @Nullable String clientId, long number) {
        this.member = member;
        this.remote = remote;
        this.remoteAddress = remoteAddress;
        this.clientId = clientId;
        this.number = number;
    }

    /**
     * As the member on that connection describes it.
     *
     * @param address {@code ip:port}; nothing is looked up
     * @param clientId how it names itself as a consumer; null when it does not
     * @param number the how manieth request it is that the member hands over; 0 when it does not say
     * @return empty when the address is none
     */
    public static Optional<ForwardedClient> of(
            Connection member, String address, @Nullable String clientId, long number) {
        return AddressText.parse(address)
                .filter(text -> isNumber(text.host()))
                .flatMap(ForwardedClient::resolved)
                .map(remote -> new ForwardedClient(member, remote, address, clientId, number));
    }

    private static boolean isNumber(String host) {
        return host.indexOf(':') >= 0 || host.chars().allMatch(c -> c == '.' || (c >= '0' && c <= '9'));
    }

    private static Optional<InetSocketAddress> resolved(AddressText text) {
        try {
            return Optional.of(new InetSocketAddress(InetAddress.getByName(text.host()), text.port()));
        } catch (UnknownHostException e) {
            return Optional.empty(); // of a network interface that is not here
        }
    }

    /** How it names itself as a consumer; null when it does not. */
    public @Nullable String clientId() {
        return clientId;
    }

    /** Of two requests over one connection to the member the later one has the higher number, whichever comes here first. */
    public long number() {
        return number;
    }

    @Override
    public String remoteAddress() {
        return remoteAddress;
    }

    @Override
    public InetSocketAddress remote() {
        return remote;
    }

    @Override
    public InetSocketAddress local() {
        return member.local();
    }

    @Override
    public boolean isOpen() {
        return member.isOpen();
    }

    @Override
    public boolean isWritable() {
        return false;
    }

    @Override
    public int loopIndex() {
        return member.loopIndex();
    }

    /** That of the member's, over which others come as well. */
    @Override
    public long openedMs() {
        return member.openedMs();
    }

    @Override
    public <Q extends Record, R extends Record> CompletableFuture<Answer<R>> call(
            Rpc<Q, R> rpc, Q header, byte @Nullable [] body, Deadline deadline) {
        throw new UnsupportedOperationException(NO_WAY);
    }

    @Override
    public <Q extends Record, R extends Record> void oneway(Rpc<Q, R> rpc, Q header, byte @Nullable [] body) {
        throw new UnsupportedOperationException(NO_WAY);
    }

    @Override
    public <Q extends Record, R extends Record> void onewayLent(Rpc<Q, R> rpc, Q header, Payload body) {
        throw new UnsupportedOperationException(NO_WAY);
    }

    @Override
    public void pauseReading() {
        throw new UnsupportedOperationException(NO_WAY);
    }

    @Override
    public void resumeReading() {
        throw new UnsupportedOperationException(NO_WAY);
    }

    @Override
    public void onClose(Consumer<Connection> listener) {
        throw new UnsupportedOperationException(NO_WAY);
    }

    @Override
    public void execute(Runnable task) {
        throw new UnsupportedOperationException(NO_WAY);
    }

    @Override
    public void close(String reason) {
        throw new UnsupportedOperationException(NO_WAY);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ForwardedClient client
                && client.member.equals(member)
                && client.remoteAddress.equals(remoteAddress);
    }

    @Override
    public int hashCode() {
        return 31 * member.hashCode() + remoteAddress.hashCode();
    }

    @Override
    public String toString() {
        return remoteAddress + " by way of " + member.remoteAddress();
    }
}
