package dev.perigee.broker.check;

import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.store.view.ColdReaders;

/**
 * Answers on the cold readers what may read far from the log's tail. Whatever happens there, the request is answered: busy
 * when too many reads wait, code 1 when the read fails.
 */
public final class ColdAnswer {
    private ColdAnswer() {}

    /** Runs the task, which answers the reply, on a cold reader. */
    public static void give(ColdReaders readers, Reply<?> reply, Runnable task) {
        if (!readers.execute(() -> reply.guard(task))) {
            reply.fail(ResponseCode.SYSTEM_BUSY, "[OVERLOAD]too many reads of old messages wait, try again");
        }
    }
}
