package dev.perigee.broker.replica.follow;

import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.replica.RangeAnswer;
import dev.perigee.protocol.header.replica.RangeHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.call.RemotingException;
import java.io.IOException;
import java.io.InterruptedIOException;

/** Asks a master for ranges of its log; one that does not answer yet is asked for a while. */
@OwnedBy("starting thread")
public final class MasterRange implements RangeRepair.RangeSource {
    /** So long a master that does not answer is asked again; then the start fails, and whoever supervises it tries anew. */
    static final long PATIENCE_MS = 60_000;

    private static final long CALL_TIMEOUT_MS = 5_000;

    private final RemotingClient client;
    private final String address;
    private final Clock clock;

    /** @param address of the master's replication port, {@code host:port} */
    public MasterRange(RemotingClient client, String address, Clock clock) {
        this.client = client;
        this.address = address;
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
                try {
                    return accepted(client.callBlocking(
                            address, Rpcs.REPLICA_RANGE, asked, null, Deadline.after(clock, CALL_TIMEOUT_MS)));
                } catch (RemotingException e) {
                    if (clock.monotonicMs() >= endMs) {
                        throw new IOException("the master at " + address + " does not answer", e);
                    }
                    Thread.sleep(MasterLink.RETRY_MS); // the starting thread has nothing else to do
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("stopped while the master was asked");
        }
    }

    private byte[] accepted(Answer<RangeAnswer> answer) throws IOException {
        if (!answer.isOk()) {
            throw new IOException("the master at " + address + " answered: " + answer.remarkText());
        }
        return answer.body();
    }
}
