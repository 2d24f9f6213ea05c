package dev.perigee.client.query;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.header.offset.OffsetResponse;
import dev.perigee.protocol.header.offset.SearchOffsetHeader;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.query.QueryMessageHeader;
import dev.perigee.protocol.header.query.QueryMessageResponse;
import dev.perigee.protocol.message.CompressionType;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.netty.EventLoops;
import dev.perigee.remoting.transport.Payload;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A broker of a script: what it stores, how much it gives, how it counts time, and when it falls silent. */
final class ScriptedBroker implements AutoCloseable {
    private static final int SYS_FLAG_AT = 36;
    private static final int STORE_TIMESTAMP_AT = 56;
    private static final int FRAME_ROOM = 4_096;
    static final int BROKEN_BODY_BYTES = 50;

    /** A message as this broker stores it; its place in the list is its queue offset and tells its place in the log. */
    private record Stored(long storeMs, String key, String uniqueKey, int bodyBytes, int sysFlag) {}

    private final RemotingServer server;
    private final List<Stored> stored = new ArrayList<>();
    private final AtomicInteger answers = new AtomicInteger();
    private final AtomicReference<@Nullable Runnable> once = new AtomicReference<>();
    private int maxMessages = 64;
    private int maxBytes = Integer.MAX_VALUE;
    private long clockStepMs = 1;
    private boolean comparesHashes;
    private int silentAfter = Integer.MAX_VALUE;
    private int refusesAfter = Integer.MAX_VALUE;

    ScriptedBroker(EventLoops loops, Clock clock) throws Exception {
        HandlerTable table = HandlerTable.builder()
                .on(Rpcs.QUERY_MESSAGE, (request, reply) -> query(request.header(), reply))
                .on(Rpcs.PULL_MESSAGE, (request, reply) -> pull(request.header(), reply))
                .on(Rpcs.SEARCH_OFFSET_BY_TIMESTAMP, (request, reply) -> search(request.header(), reply))
                .on(Rpcs.VIEW_MESSAGE_BY_ID, (request, reply) -> fail(reply))
                .build();
        server = new RemotingServer(ServerConfig.of("127.0.0.1", 0), table, loops, clock);
        server.start();
    }

    String address() {
        return "127.0.0.1:" + server.boundPort();
    }

    /** Stores a message that is newer than those before. */
    ScriptedBroker store(long storeMs, String key) {
        return store(storeMs, key, "unique-" + stored.size(), 1);
    }

    ScriptedBroker store(long storeMs, String key, String uniqueKey, int bodyBytes) {
        stored.add(new Stored(storeMs, key, uniqueKey, bodyBytes, 0));
        return this;
    }

    /** Stores a message whose body says that it is compressed, and is not. */
    ScriptedBroker storeBroken(long storeMs, String key) {
        int zlib = SysFlag.COMPRESSED | CompressionType.ZLIB.flag();
        stored.add(new Stored(storeMs, key, "unique-" + stored.size(), BROKEN_BODY_BYTES, zlib));
        return this;
    }

    /** Gives at most so many messages at once, whatever is asked for. */
    ScriptedBroker gives(int messages) {
        maxMessages = messages;
        return this;
    }

    /** Gives no more bytes at once, but always one message. */
    ScriptedBroker givesBytes(int bytes) {
        maxBytes = bytes;
        return this;
    }

    /** Knows store times in whole seconds only, as stock brokers do. */
    ScriptedBroker countsSeconds() {
        clockStepMs = 1_000;
        return this;
    }

    /** Gives messages with other keys too. */
    ScriptedBroker comparesHashes() {
        comparesHashes = true;
        return this;
    }

    /** Answers so many questions and then no more. */
    ScriptedBroker silentAfter(int questions) {
        silentAfter = questions;
        return this;
    }

    /** Answers so many questions and refuses the rest. */
    ScriptedBroker refusesAfter(int questions) {
        refusesAfter = questions;
        return this;
    }

    /** Does this once, instead of an answer. */
    ScriptedBroker insteadOfAnAnswer(Runnable act) {
        once.set(act);
        return this;
    }

    int timesAsked() {
        return answers.get();
    }

    /** Whether this question is not to be answered as it should. */
    private boolean isOver(Reply<?> reply) {
        int asked = answers.incrementAndGet();
        Runnable act = once.getAndSet(null);
        if (act != null) {
            act.run();
            return true;
        }
        if (asked > refusesAfter) {
            fail(reply);
        }
        return asked > silentAfter || asked > refusesAfter;
    }

    private static void fail(Reply<?> reply) {
        reply.fail(ResponseCode.SYSTEM_ERROR, "the script says so");
    }

    private void query(QueryMessageHeader header, Reply<QueryMessageResponse> reply) {
        if (isOver(reply)) {
            return;
        }
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        int given = 0;
        for (int i = stored.size() - 1; i >= 0 && given < Math.min(maxMessages, header.maxNum()); i--) {
            Stored message = stored.get(i);
            long countedMs = message.storeMs / clockStepMs * clockStepMs;
            boolean isWanted =
                    comparesHashes || header.key().equals(header.isByUniqueKey() ? message.uniqueKey : message.key);
            if (isWanted && countedMs >= header.beginTimestamp() && countedMs <= header.endTimestamp()) {
                byte[] frame = frame(i, 0);
                if (given > 0 && frames.size() + frame.length > maxBytes) {
                    break;
                }
                frames.writeBytes(frame);
                given++;
            }
        }
        if (given == 0) {
            reply.fail(ResponseCode.QUERY_NOT_FOUND, "nothing");
        } else {
            reply.ok(new QueryMessageResponse(0, 0), Payload.of(frames.toByteArray()));
        }
    }

    /** Every queue holds the same. */
    private void pull(PullMessageHeader header, Reply<PullMessageResponse> reply) {
        if (isOver(reply)) {
            return;
        }
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        long next = header.queueOffset();
        while (next < stored.size() && next < header.queueOffset() + Math.min(maxMessages, header.maxMsgNums())) {
            frames.writeBytes(frame((int) next++, header.queueId()));
        }
        PullMessageResponse response = new PullMessageResponse(0, next, 0, stored.size(), null, null, null, null);
        if (frames.size() == 0) {
            reply.send(ResponseCode.PULL_NOT_FOUND, "nothing", response, null);
        } else {
            reply.ok(response, Payload.of(frames.toByteArray()));
        }
    }

    private void search(SearchOffsetHeader header, Reply<OffsetResponse> reply) {
        if (isOver(reply)) {
            return;
        }
        int offset = 0;
        while (offset < stored.size() && stored.get(offset).storeMs < header.timestamp()) {
            offset++;
        }
        reply.ok(new OffsetResponse(offset));
    }

    private byte[] frame(int place, int queueId) {
        Stored message = stored.get(place);
        FrameDraft draft = new FrameDraft()
                .topic("T".getBytes(StandardCharsets.UTF_8))
                .body(ByteBuffer.wrap(new byte[message.bodyBytes]))
                .properties(PropertyText.of(
                        "KEYS\u0001" + message.key + "\u0002UNIQ_KEY\u0001" + message.uniqueKey + "\u0002"));
        ByteBuffer frame = ByteBuffer.allocate(draft.sizeBytes());
        draft.writeTo(frame);
        frame.putInt(SYS_FLAG_AT, message.sysFlag);
        frame.putInt(MessageFrame.QUEUE_ID_AT, queueId);
        frame.putLong(MessageFrame.QUEUE_OFFSET_AT, place);
        frame.putLong(MessageFrame.PHYSICAL_OFFSET_AT, (long) place * FRAME_ROOM);
        frame.putLong(STORE_TIMESTAMP_AT, message.storeMs);
        return frame.array();
    }

    @Override
    public void close() {
        server.close();
    }
}
