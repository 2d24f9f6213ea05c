package dev.perigee.replica.follow;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.replica.FetchedHeader;
import dev.perigee.protocol.header.replica.ForkAnswer;
import dev.perigee.protocol.header.replica.ForkHeader;
import dev.perigee.protocol.header.replica.HeldHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.transport.Payload;
import dev.perigee.replica.LogFacts;
import dev.perigee.replica.feed.FeedFrame;
import dev.perigee.replica.feed.TailReader;
import dev.perigee.store.log.PacedTask;
import java.io.IOException;
import java.util.function.Predicate;

/** What a replica answers a master that starts and asks for what the replica has beyond the master's end (R10). */
@ThreadSafe
final class TailAnswers {
    private final LogFacts facts;
    private final TailReader reader;
    private final Predicate<PacedTask> background;

    /** @param background takes a task to the preparer; false when too many wait */
    TailAnswers(LogFacts facts, TailReader reader, Predicate<PacedTask> background) {
        this.facts = facts;
        this.reader = reader;
        this.background = background;
    }

    /** One round of the master's search for where both logs part. */
    void fork(ForkHeader asked, Reply<ForkAnswer> reply) {
        reply.ok(facts.fork(asked.epoch()));
    }

    /** One piece of the log; read on the preparer, for it may have to come from the disk. */
    void tail(HeldHeader asked, Reply<FetchedHeader> reply) {
        boolean taken = background.test(() -> {
            reply.guard(() -> answer(asked, reply));
            return false;
        });
        if (!taken) {
            reply.fail(ResponseCode.SYSTEM_BUSY, "too much waits for the disk of this replica");
        }
    }

    private void answer(HeldHeader asked, Reply<FetchedHeader> reply) {
        try {
            FeedFrame piece = reader.next(asked, facts.answer().epoch());
            reply.ok(piece.header(), Payload.of(piece.bytes()));
        } catch (IOException e) {
            reply.fail(ResponseCode.SYSTEM_ERROR, String.valueOf(e.getMessage()));
        }
    }
}
