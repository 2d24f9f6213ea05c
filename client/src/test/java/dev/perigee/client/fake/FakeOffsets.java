package dev.perigee.client.fake;

import dev.perigee.protocol.header.offset.MaxOffsetHeader;
import dev.perigee.protocol.header.offset.OffsetResponse;
import dev.perigee.protocol.header.offset.QueryOffsetHeader;
import dev.perigee.protocol.header.offset.QueueHeader;
import dev.perigee.protocol.header.offset.SearchOffsetHeader;
import dev.perigee.protocol.header.offset.UpdateOffsetHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** The positions of groups at a fake broker, and what a test wants to happen to questions about offsets. */
public final class FakeOffsets {
    /** What may be asked. */
    public enum Question {
        STORED,
        COMMIT,
        END,
        TIME
    }

    private final FakeLog log;
    private final Consumer<String> commits;
    private final Map<String, Long> offsets = new HashMap<>();
    private final Map<Question, Integer> scripted = new EnumMap<>(Question.class);
    private final Map<Question, Integer> asked = new EnumMap<>(Question.class);

    private final List<Runnable> heldEnds = new ArrayList<>();
    private boolean holdsEnds;
    private final List<Runnable> heldCommits = new ArrayList<>();
    private boolean holdsCommits;

    /** @param commits told of every commit that is taken */
    FakeOffsets(FakeLog log, Consumer<String> commits) {
        this.log = log;
        this.commits = commits;
    }

    void register(HandlerTable.Builder table) {
        table.on(Rpcs.QUERY_CONSUMER_OFFSET, this::stored)
                .on(Rpcs.UPDATE_CONSUMER_OFFSET, this::commit)
                .on(Rpcs.GET_MAX_OFFSET, this::end)
                .on(Rpcs.GET_MIN_OFFSET, this::begin)
                .on(Rpcs.SEARCH_OFFSET_BY_TIMESTAMP, this::time);
    }

    /** From now on these questions get this code, {@link FakeBroker#SILENCE} for no answer; 0 for a proper one. */
    public synchronized void answer(Question question, int code) {
        scripted.put(question, code);
    }

    /** Leaves questions for the end of a queue without an answer for now. */
    public synchronized void holdEnds() {
        holdsEnds = true;
    }

    /** Answers them as things are now. */
    public synchronized void answerHeldEnds() {
        holdsEnds = false;
        heldEnds.forEach(Runnable::run);
        heldEnds.clear();
    }

    /** Leaves commits without an answer for now; none counts before it has one. */
    public synchronized void holdCommits() {
        holdsCommits = true;
    }

    /** Takes and answers them, in the order in which they came. */
    public synchronized void answerHeldCommits() {
        holdsCommits = false;
        heldCommits.forEach(Runnable::run);
        heldCommits.clear();
    }

    /** How often that was asked. */
    public synchronized int timesAsked(Question question) {
        return asked.getOrDefault(question, 0);
    }

    synchronized Map<String, Long> all() {
        return new TreeMap<>(offsets);
    }

    /** Stores a position as if a group had committed it. */
    public synchronized void put(String group, String topic, int queueId, long offset) {
        offsets.put(key(group, topic, queueId), offset);
    }

    private static String key(String group, String topic, int queueId) {
        return group + "@" + topic + "@" + queueId;
    }

    /** Whether the question is dealt with as the test wants. */
    private boolean isScripted(Question question, Reply<?> reply) {
        asked.merge(question, 1, Integer::sum);
        int code = scripted.getOrDefault(question, 0);
        if (code > 0) {
            reply.fail(code, "scripted");
        }
        return code != 0;
    }

    private synchronized void stored(Request<QueryOffsetHeader> request, Reply<OffsetResponse> reply) {
        if (isScripted(Question.STORED, reply)) {
            return;
        }
        QueryOffsetHeader header = request.header();
        Long offset = offsets.get(key(header.consumerGroup(), header.topic(), header.queueId()));
        if (offset == null) {
            reply.fail(ResponseCode.QUERY_NOT_FOUND, "not stored");
        } else {
            reply.ok(new OffsetResponse(offset));
        }
    }

    private synchronized void commit(Request<UpdateOffsetHeader> request, Reply<NoHeader> reply) {
        if (holdsCommits) {
            heldCommits.add(() -> commit(request, reply));
        } else if (!isScripted(Question.COMMIT, reply)) {
            UpdateOffsetHeader header = request.header();
            put(header.consumerGroup(), header.topic(), header.queueId(), header.commitOffset());
            commits.accept("commit " + header.topic() + " " + header.queueId() + " " + header.commitOffset());
            reply.ok(NoHeader.NONE);
        }
    }

    private synchronized void end(Request<MaxOffsetHeader> request, Reply<OffsetResponse> reply) {
        if (holdsEnds) {
            heldEnds.add(() -> end(request, reply));
        } else if (!isScripted(Question.END, reply)) {
            MaxOffsetHeader header = request.header();
            reply.ok(new OffsetResponse(log.endOffset(header.topic(), header.queueId())));
        }
    }

    private void begin(Request<QueueHeader> request, Reply<OffsetResponse> reply) {
        reply.ok(new OffsetResponse(0));
    }

    private synchronized void time(Request<SearchOffsetHeader> request, Reply<OffsetResponse> reply) {
        if (!isScripted(Question.TIME, reply)) {
            SearchOffsetHeader header = request.header();
            reply.ok(new OffsetResponse(log.offsetAt(header.topic(), header.queueId(), header.timestamp())));
        }
    }
}
