package dev.perigee.broker.check;

import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.disk.DiskSpace;

/** The one table from append results to response codes and texts. */
public final class Appends {
    private Appends() {}

    /** The response code of a result. */
    public static int code(AppendResult result) {
        return switch (result) {
            case APPENDED -> ResponseCode.SUCCESS;
            case FLUSH_TIMEOUT -> ResponseCode.FLUSH_DISK_TIMEOUT;
            case SLAVE_TIMEOUT -> ResponseCode.FLUSH_SLAVE_TIMEOUT;
            case SLAVE_NOT_AVAILABLE -> ResponseCode.SLAVE_NOT_AVAILABLE;
            case BUSY, EXPIRED -> ResponseCode.SYSTEM_BUSY;
            case DISK_FULL, VIEWS_HELD_UP, NOT_WRITABLE -> ResponseCode.SERVICE_NOT_AVAILABLE;
            case TOPIC_DELETED -> ResponseCode.TOPIC_NOT_EXIST;
            case TOO_LARGE -> ResponseCode.MESSAGE_ILLEGAL;
            case TOO_FEW_REPLICAS, OUTCOME_UNKNOWN -> ResponseCode.SYSTEM_ERROR;
        };
    }

    /** What a result means, in words; empty for success. */
    public static String remark(AppendResult result) {
        return switch (result) {
            case APPENDED -> "";
            case FLUSH_TIMEOUT -> "the message is stored, but its fsync is slower than syncFlushTimeout";
            case SLAVE_TIMEOUT -> "the message is stored here, but no replica in sync confirmed it within slaveTimeout";
            case SLAVE_NOT_AVAILABLE ->
                "the message is stored here, but fewer replicas are in sync than inSyncReplicas asks for";
            case TOO_FEW_REPLICAS ->
                "the message is not stored: fewer replicas are in sync than minInSyncReplicas asks for";
            case BUSY -> "[TIMEOUT_CLEAN_QUEUE]broker busy: the queue in front of the log is full, try again";
            case EXPIRED ->
                "[TIMEOUT_CLEAN_QUEUE]broker busy: waited too long in front of the log, which takes messages slower "
                        + "than they come: its disk is behind, or too many are sent; nothing is stored, try again";
            case DISK_FULL ->
                "the disk is nearly full: less is free than minFreeDiskBytes or minFreeDiskPercent allow, or than a new "
                        + "reserve (file ballast) needs; writes are refused until space returns, reads go on";
            case VIEWS_HELD_UP ->
                "the files of the consume queues or of the key index cannot be written and much waits in memory; "
                        + "writes are refused until they can, reads go on; the broker's log tells why";
            case TOPIC_DELETED -> "the topic was deleted while the message was on its way";
            case TOO_LARGE ->
                "the message, or the batch with a head for each of its messages, is larger than the log takes at once: twice "
                        + "maxMessageSize and a MiB, half a segment of the log (mappedFileSizeCommitLog), or 15 MiB";
            case NOT_WRITABLE ->
                "the store takes no messages now: another broker is the master, or it is stopping or has failed";
            case OUTCOME_UNKNOWN ->
                "the log failed while the message was on its way, or another broker took this one's place: it may or "
                        + "may not be stored";
        };
    }

    /** What a result means, in words, with the true reason and the figures where the disk is the cause. */
    public static String remark(AppendResult result, DiskSpace space) {
        if (result != AppendResult.DISK_FULL) {
            return remark(result);
        }
        String found = space.usedPercent() + " % are used, " + space.freeBytes() + " of " + space.totalBytes()
                + " bytes are free, limit ";
        if (space.lacksReserveOnly()) {
            return "the disk was full and its reserve (file ballast) is spent; writes are refused until there is room for a "
                    + "new one, reads go on: " + found + space.reserveBytes() + " bytes free";
        }
        return "the disk is nearly full; writes are refused until space returns, reads go on: " + found
                + space.neededBytes() + " bytes free (the larger of minFreeDiskBytes="
                + space.rule().minFreeBytes() + " and minFreeDiskPercent="
                + space.rule().minFreePercent() + ")";
    }

    /** As above, as a refusal. */
    public static Refusal refusal(AppendResult result, DiskSpace space) {
        return new Refusal(code(result), remark(result, space));
    }

    /** A result other than success as a refusal. */
    public static Refusal refusal(AppendResult result) {
        return new Refusal(code(result), remark(result));
    }

    /** Answers with code and text of a result that carries no header. */
    public static <R extends Record> void answer(Reply<R> reply, AppendResult result, R header) {
        reply.guard(() -> {
            if (result == AppendResult.APPENDED) {
                reply.ok(header);
            } else {
                reply.fail(code(result), remark(result));
            }
        });
    }
}
