package dev.perigee.broker.check;

import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.store.view.ColdReaders;

/**
 * Answers on the cold readers what may read far from the log's tail. Whatever happens there, the request is answered: busy
 * when too many reads wait or when it waited too long behind them, code 1 when the read fails.
 */
public final class ColdAnswer {
    private ColdAnswer() {}

    /** Runs the task, which answers the reply, on a cold reader. */
    public static void give(ColdReaders readers, Reply<?> reply, Runnable task) {
        boolean taken = readers.execute(
                () -> reply.guard(task),
                waitedMs -> reply.fail(
                        ResponseCode.SYSTEM_BUSY,
                        "[TIMEOUT_CLEAN_QUEUE]broker busy: the request waited " + waitedMs
                                + " ms behind reads of old messages, limit waitTimeMillsInPullQueue="
                                + readers.maxWaitMs() + " ms"));
        if (!taken) {
            reply.fail(ResponseCode.SYSTEM_BUSY, "[OVERLOAD]too many reads of old messages wait, try again");
        }
    }
}
