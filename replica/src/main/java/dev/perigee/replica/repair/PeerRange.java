package dev.perigee.replica.repair;

import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.replica.RangeAnswer;
import dev.perigee.protocol.header.replica.RangeHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.replica.follow.Confirmed;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Collection;
import java.util.function.Supplier;

/** Asks the other brokers of the name for ranges of the log, one after the other; those that do not answer yet for a while. */
@OwnedBy("starting thread")
public final class PeerRange implements RangeRepair.RangeSource {
    /** So long brokers that do not answer are asked again; then the start fails, and whoever supervises it tries anew. */
    static final long PATIENCE_MS = 60_000;

    private static final long RETRY_MS = 1_000;
    private static final long CALL_TIMEOUT_MS = 5_000;

    private final RemotingClient client;
    private final Supplier<Collection<String>> peers;
    private final Clock clock;

    /** @param peers where the others may be reached now, {@code host:port} of clients or of replication; may block */
    public PeerRange(RemotingClient client, Supplier<Collection<String>> peers, Clock clock) {
        this.client = client;
        this.peers = peers;
        this.clock = clock;
    }

    @Override
    public byte[] fetch(long logId, Confirmed confirmed, long offset) throws IOException {
        RangeHeader asked = new RangeHeader(
                Long.toHexString(logId),
                offset,
                confirmed.offset(),
                confirmed.epoch(),
                Long.toHexString(confirmed.epochId()));
        long endMs = clock.monotonicMs() + PATIENCE_MS;
        try {
            while (true) {
                Round round = new Round();
                for (String peer : peers.get()) {
                    byte[] units = round.ask(peer, asked);
                    if (units.length > 0) {
                        return units;
                    }
                }
                if (round.isFinal || clock.monotonicMs() >= endMs) {
                    throw round.failure;
                }
                Thread.sleep(RETRY_MS); // the starting thread has nothing else to do
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("stopped while other brokers were asked");
        }
    }

    /** What all others answered. */
    private final class Round {
        private final IOException failure = new IOException("no other broker of this name has what is damaged here");
        /** Whether to ask again is of no use: all that are known have answered. */
        private boolean isFinal = true;

        /** The units; none when the peer has not got them, or does not say. */
        byte[] ask(String peer, RangeHeader asked) throws InterruptedException {
            try {
                Answer<RangeAnswer> answer = client.callBlocking(
                        peer, Rpcs.REPLICA_RANGE, asked, null, Deadline.after(clock, CALL_TIMEOUT_MS));
                if (answer.isOk()) {
                    return answer.body();
                }
                isFinal &= answer.code() != ResponseCode.SYSTEM_BUSY;
                failure.addSuppressed(new IOException(peer + " answered: " + answer.remarkText()));
            } catch (RemotingException e) {
                isFinal = false;
                failure.addSuppressed(e);
            }
            return new byte[0];
        }
    }
}
