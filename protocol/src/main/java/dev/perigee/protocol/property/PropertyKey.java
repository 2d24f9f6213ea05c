package dev.perigee.protocol.property;

import java.util.Set;

/** The property names with a meaning of their own, which user code may not set. */
public final class PropertyKey {
    /** Index keys, separated by one blank. */
    public static final String KEYS = "KEYS";
    /** The tag. */
    public static final String TAGS = "TAGS";
    /** False: answer at append; absent means true. */
    public static final String WAIT_STORE = "WAIT";
    /** Delay level as a decimal number. */
    public static final String DELAY_LEVEL = "DELAY";
    /** Original topic of a retried message. */
    public static final String RETRY_TOPIC = "RETRY_TOPIC";
    /** Original topic of a delayed or half message. */
    public static final String REAL_TOPIC = "REAL_TOPIC";
    /** Original queue of a delayed or half message. */
    public static final String REAL_QUEUE_ID = "REAL_QID";
    /** True for a half message. */
    public static final String TRANSACTION_PREPARED = "TRAN_MSG";
    /** Producer group of a transaction. */
    public static final String PRODUCER_GROUP = "PGROUP";
    /** Queue minimum, added by the consumer client. */
    public static final String MIN_OFFSET = "MIN_OFFSET";
    /** Queue end, added by the consumer client. */
    public static final String MAX_OFFSET = "MAX_OFFSET";
    /** Legacy. */
    public static final String BUYER_ID = "BUYER_ID";
    /** Offset message id of the first copy of a retried message. */
    public static final String ORIGIN_MESSAGE_ID = "ORIGIN_MESSAGE_ID";
    /** Legacy. */
    public static final String TRANSFER_FLAG = "TRANSFER_FLAG";
    /** Legacy. */
    public static final String CORRECTION_FLAG = "CORRECTION_FLAG";
    /** Legacy. */
    public static final String MQ2_FLAG = "MQ2_FLAG";
    /** Retries so far of a message sent again as an ordinary one. */
    public static final String RECONSUME_TIME = "RECONSUME_TIME";
    /** Region, set by the broker on send. */
    public static final String MSG_REGION = "MSG_REGION";
    /** Trace switch, set by the broker on send. */
    public static final String TRACE_ON = "TRACE_ON";
    /** Unique id made by the client. */
    public static final String UNIQ_KEY = "UNIQ_KEY";
    /** Legacy. */
    public static final String EXTEND_UNIQ_INFO = "EXTEND_UNIQ_INFO";
    /** Retry limit of a message sent again as an ordinary one. */
    public static final String MAX_RECONSUME_TIMES = "MAX_RECONSUME_TIMES";
    /** Set by the consumer client, milliseconds. */
    public static final String CONSUME_START_TIME = "CONSUME_START_TIME";
    /** Messages in an inner batch. */
    public static final String INNER_NUM = "INNER_NUM";
    /** First offset of an inner batch. */
    public static final String INNER_BASE = "INNER_BASE";
    /** Duplicate info. */
    public static final String DUP_INFO = "DUP_INFO";
    /** No transaction check before this age. */
    public static final String CHECK_IMMUNITY_TIME = "CHECK_IMMUNITY_TIME_IN_SECONDS";
    /** Seconds between two transaction checks of this message; users set it. Perigee's own. */
    public static final String CHECK_INTERVAL = "CHECK_INTERVAL_IN_SECONDS";
    /** Most transaction checks of this message; users set it. Perigee's own. */
    public static final String CHECK_MAX_TIMES = "CHECK_MAX_TIMES";
    /** Why an undecided half was set aside. Perigee's own. */
    public static final String HALF_REASON = "HALF_REASON";
    /** Queue offset of the first half copy. */
    public static final String TRAN_PREPARED_QUEUE_OFFSET = "TRAN_PREPARED_QUEUE_OFFSET";
    /** Transaction id. */
    public static final String TRANSACTION_ID = "__transactionId__";
    /** Checks done. */
    public static final String TRANSACTION_CHECK_TIMES = "TRANSACTION_CHECK_TIMES";
    /** Namespace. */
    public static final String INSTANCE_ID = "INSTANCE_ID";
    /** Ties a reply to its request. */
    public static final String CORRELATION_ID = "CORRELATION_ID";
    /** Client id of the requester. */
    public static final String REPLY_TO_CLIENT = "REPLY_TO_CLIENT";
    /** Timeout of a request, milliseconds. */
    public static final String TTL = "TTL";
    /** Arrival of a reply. */
    public static final String ARRIVE_TIME = "ARRIVE_TIME";
    /** Push of a reply. */
    public static final String PUSH_REPLY_TIME = "PUSH_REPLY_TIME";
    /** Cluster name, set by the broker on send. */
    public static final String CLUSTER = "CLUSTER";
    /** Reply for replies. */
    public static final String MESSAGE_TYPE = "MSG_TYPE";
    /** Pop check point, never accepted from a producer. */
    public static final String POP_CK = "POP_CK";
    /** Legacy pop. */
    public static final String POP_CK_OFFSET = "POP_CK_OFFSET";
    /** First pop, milliseconds. */
    public static final String FIRST_POP_TIME = "1ST_POP_TIME";
    /** Order key. */
    public static final String SHARDING_KEY = "__SHARDINGKEY";
    /** Static topics. */
    public static final String FORWARD_QUEUE_ID = "PROPERTY_FORWARD_QUEUE_ID";
    /** Static topics. */
    public static final String REDIRECT = "REDIRECT";
    /** Light queue names. */
    public static final String INNER_MULTI_DISPATCH = "INNER_MULTI_DISPATCH";
    /** Light queue offsets. */
    public static final String INNER_MULTI_QUEUE_OFFSET = "INNER_MULTI_QUEUE_OFFSET";
    /** Opaque. */
    public static final String TRACE_CONTEXT = "TRACE_CONTEXT";
    /** Timer request, seconds from now. */
    public static final String TIMER_DELAY_SEC = "TIMER_DELAY_SEC";
    /** Timer request, milliseconds from now. */
    public static final String TIMER_DELAY_MS = "TIMER_DELAY_MS";
    /** Timer request, absolute milliseconds. */
    public static final String TIMER_DELIVER_MS = "TIMER_DELIVER_MS";
    /** Timer internals. */
    public static final String TIMER_ENQUEUE_MS = "TIMER_ENQUEUE_MS";
    /** Timer internals. */
    public static final String TIMER_DEQUEUE_MS = "TIMER_DEQUEUE_MS";
    /** Timer internals. */
    public static final String TIMER_ROLL_TIMES = "TIMER_ROLL_TIMES";
    /** Timer internals. */
    public static final String TIMER_OUT_MS = "TIMER_OUT_MS";
    /** Timer internals. */
    public static final String TIMER_DEL_UNIQKEY = "TIMER_DEL_UNIQKEY";
    /** Timer internals. */
    public static final String TIMER_DELAY_LEVEL = "TIMER_DELAY_LEVEL";
    /** Born host, set by proxies. */
    public static final String BORN_HOST = "__BORNHOST";
    /** Born time, set by proxies. */
    public static final String BORN_TIMESTAMP = "BORN_TIMESTAMP";
    /** Whole-record CRC of stock brokers. */
    public static final String CRC32 = "__CRC32#";
    /** Where a dead letter came from. */
    public static final String DLQ_ORIGIN_TOPIC = "DLQ_ORIGIN_TOPIC";
    /** Where a dead letter came from. */
    public static final String DLQ_ORIGIN_MESSAGE_ID = "DLQ_ORIGIN_MESSAGE_ID";
    /** Where a dead letter came from: the queue of the copy that failed last. Perigee's own. */
    public static final String DLQ_ORIGIN_QUEUE_ID = "DLQ_ORIGIN_QUEUE_ID";
    /** Where a dead letter came from: the queue offset of the copy that failed last. Perigee's own. */
    public static final String DLQ_ORIGIN_OFFSET = "DLQ_ORIGIN_OFFSET";
    /** Why a message became a dead letter. Perigee's own. */
    public static final String DLQ_REASON = "DLQ_REASON";
    /** Set by the consumer client in memory. */
    public static final String TRANSIENT_TOPIC_SYS_FLAG = "__RMQ.TRANSIENT.TOPIC_SYS_FLAG";
    /** Set by the consumer client in memory. */
    public static final String TRANSIENT_GROUP_SYS_FLAG = "__RMQ.TRANSIENT.GROUP_SYS_FLAG";
    /** Priority message. */
    public static final String PRIORITY = "_SYS_MSG_PRIORITY_";
    /** Lite topic. */
    public static final String LITE_TOPIC = "__LITE_TOPIC";
    /** Origin group. */
    public static final String ORIGIN_GROUP = "ORIGIN_GROUP";
    /** Timer internals. */
    public static final String TIMER_ROLL_LABEL = "TIMER_ROLL_LABEL";
    /** Transaction internals. */
    public static final String TRANS_OFFSET = "TRANS_OFFSET";
    /** Frame stamp of this broker. */
    public static final String STAMP = "__STAMP#";
    /** When a waiting message is due, or which waiting message this one delivers; see docs/store-format.md. */
    public static final String TIMER_MARK = "__TIMER#";
    /** Which undecided half of a transaction this is, or which one it closes; see docs/store-format.md. */
    public static final String HALF_MARK = "__HALF#";
    /** Kind of a fact; only in frames of the fact topic. */
    public static final String FACT = "FACT";
    /** Whether a reader must know the fact; only in frames of the fact topic. */
    public static final String MUST_UNDERSTAND = "MU";

    private static final Set<String> RESERVED = Set.of(
            KEYS,
            TAGS,
            WAIT_STORE,
            DELAY_LEVEL,
            RETRY_TOPIC,
            REAL_TOPIC,
            REAL_QUEUE_ID,
            TRANSACTION_PREPARED,
            PRODUCER_GROUP,
            MIN_OFFSET,
            MAX_OFFSET,
            BUYER_ID,
            ORIGIN_MESSAGE_ID,
            TRANSFER_FLAG,
            CORRECTION_FLAG,
            MQ2_FLAG,
            RECONSUME_TIME,
            MSG_REGION,
            TRACE_ON,
            UNIQ_KEY,
            EXTEND_UNIQ_INFO,
            MAX_RECONSUME_TIMES,
            CONSUME_START_TIME,
            INNER_NUM,
            INNER_BASE,
            DUP_INFO,
            CHECK_IMMUNITY_TIME,
            HALF_REASON,
            TRAN_PREPARED_QUEUE_OFFSET,
            TRANSACTION_ID,
            TRANSACTION_CHECK_TIMES,
            INSTANCE_ID,
            CORRELATION_ID,
            REPLY_TO_CLIENT,
            TTL,
            ARRIVE_TIME,
            PUSH_REPLY_TIME,
            CLUSTER,
            MESSAGE_TYPE,
            POP_CK,
            POP_CK_OFFSET,
            FIRST_POP_TIME,
            SHARDING_KEY,
            FORWARD_QUEUE_ID,
            REDIRECT,
            INNER_MULTI_DISPATCH,
            INNER_MULTI_QUEUE_OFFSET,
            TRACE_CONTEXT,
            TIMER_DELAY_SEC,
            TIMER_DELAY_MS,
            TIMER_DELIVER_MS,
            TIMER_ENQUEUE_MS,
            TIMER_DEQUEUE_MS,
            TIMER_ROLL_TIMES,
            TIMER_OUT_MS,
            TIMER_DEL_UNIQKEY,
            TIMER_DELAY_LEVEL,
            BORN_HOST,
            BORN_TIMESTAMP,
            CRC32,
            DLQ_ORIGIN_TOPIC,
            DLQ_ORIGIN_MESSAGE_ID,
            DLQ_ORIGIN_QUEUE_ID,
            DLQ_ORIGIN_OFFSET,
            DLQ_REASON,
            TRANSIENT_TOPIC_SYS_FLAG,
            TRANSIENT_GROUP_SYS_FLAG,
            PRIORITY,
            LITE_TOPIC,
            ORIGIN_GROUP,
            TIMER_ROLL_LABEL,
            TRANS_OFFSET,
            STAMP,
            TIMER_MARK,
            HALF_MARK);

    private PropertyKey() {}

    /** Whether user code may not set this name as its own property. */
    public static boolean isReserved(String key) {
        return RESERVED.contains(key);
    }
}
