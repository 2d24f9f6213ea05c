package dev.perigee.broker.member;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.rpc.RequestCode;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.transport.Payload;
import dev.perigee.store.view.Duty;
import java.util.Comparator;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests that came to a member that does not take them, on their way to the one that does: they go to its port of the group, and what it
 * answers goes back. While nobody is known to take them they are kept, for {@link #KEPT_MS} at most, as an election or a handing over does
 * not take longer. Who asks goes along, see {@link ForwardedFields}. At {@link #MAX_CALLS} of them, or {@link #MAX_BYTES}, a further one is refused as busy. What becomes of a
 * request whose connection to the leader ends, or whose leader does not answer while another one leads by now, is not known: what may be asked
 * twice is asked of the next leader, all else is answered as busy, which clients send again; a send with
 * {@link ResponseCode#SYSTEM_ERROR}, for busy says that nothing was stored. Answers that wait until their clients take them are counted: at
 * {@link #MAX_ANSWER_BYTES} pulls are refused as busy, on their way there or back.
 */
@ThreadSafe
public final class ForwardedCalls implements Duty {
    /** Kept, or on their way, at most: as many calls as may wait on one connection. */
    public static final int MAX_CALLS = 65_535;

    /**
     * Bytes of them, of headers as of bodies, at most; one alone may be larger: 64 MiB, or a sixteenth of a smaller heap, and 8 MiB at least.
     */
    public static final long MAX_BYTES =
            Math.min(64L << 20, Math.max(8L << 20, Runtime.getRuntime().maxMemory() / 16));

    /**
     * Bytes of answers that are not sent on yet, at which pulls are refused as busy: the leader may give them all at once, while their clients
     * take them slowly.
     */
    static final long MAX_ANSWER_BYTES = 64L << 20;

    /** Longest wait for somebody who takes it: less than a producer waits for its answer. */
    public static final long KEPT_MS = 2_500;

    /** Longest wait for an answer. */
    static final long CALL_MS = 10_000;

    /** A pull waits no longer at the leader, and then comes again: so that few take a place here, and a stop waits for none for long. */
    static final long SUSPEND_MS = 1_000;

    /** What stores something. */
    private static final Set<Integer> SENDS = new TreeSet<>(Set.of(
            RequestCode.SEND_MESSAGE,
            RequestCode.SEND_MESSAGE_V2,
            RequestCode.SEND_BATCH_MESSAGE,
            RequestCode.CONSUMER_SEND_MSG_BACK));

    /** What may be asked of the next leader when the one before did not answer: it changes nothing, or nothing that asking twice would. */
    private static final Set<Integer> ASKED_AGAIN = new TreeSet<>(Set.of(
            RequestCode.PULL_MESSAGE,
            RequestCode.LITE_PULL_MESSAGE,
            RequestCode.QUERY_CONSUMER_OFFSET,
            RequestCode.GET_MAX_OFFSET,
            RequestCode.GET_MIN_OFFSET,
            RequestCode.SEARCH_OFFSET_BY_TIMESTAMP,
            RequestCode.LOCK_BATCH_MQ,
            RequestCode.UNLOCK_BATCH_MQ,
            RequestCode.GET_CONSUMER_LIST_BY_GROUP,
            RequestCode.QUERY_MESSAGE,
            RequestCode.VIEW_MESSAGE_BY_ID));

    /** What was sent to a leader so long ago, while another one leads now, has no answer to come: that one stands still, or is cut off. */
    static final long SILENT_MS = 1_000;

    /** Between two looks at those. */
    private static final long LOOK_MS = 50;

    /** Between two tries of one that was not taken where it was sent. */
    private static final long AGAIN_MS = 20;

    /** Sent in one pass at most, for the view loop has more to do. */
    private static final int MOST_A_PASS = 4_096;

    private final RemotingClient client;
    private final Supplier<Optional<String>> leader;
    private final Runnable wake;
    private final Clock clock;
    private final String self;
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final long maxBytes;
    private final AnswerBytes answers;
    private final AtomicLong came = new AtomicLong();
    /** The one that is kept for the shortest time first. */
    private final Queue<Call<?, ?>> kept = new PriorityBlockingQueue<>(
            64, Comparator.<Call<?, ?>>comparingLong(Call::untilMs).thenComparingLong(Call::number));
    /** On their way, by their numbers. */
    private final ConcurrentSkipListMap<Long, Flight<?, ?>> flights = new ConcurrentSkipListMap<>();
    /** Something may be on its way to one that does not lead any more. */
    private volatile boolean strays;

    // view loop only
    private long againMs = Long.MIN_VALUE;
    private String lastLeader = "";
    private long strayMs = Long.MIN_VALUE;

    /**
     * None yet.
     *
     * @param leader where whoever takes requests now listens for members; also this member itself
     * @param wake makes the view loop run soon
     * @param self who this is, for refusals
     */
    public ForwardedCalls(
            RemotingClient client, Supplier<Optional<String>> leader, Runnable wake, String self, Clock clock) {
        this(client, leader, wake, self, clock, MAX_BYTES, MAX_ANSWER_BYTES);
    }

    ForwardedCalls(
            RemotingClient client,
            Supplier<Optional<String>> leader,
            Runnable wake,
            String self,
            Clock clock,
            long maxBytes,
            long maxAnswerBytes) {
        this.maxBytes = maxBytes;
        this.answers = new AnswerBytes(maxAnswerBytes);
        this.client = client;
        this.leader = leader;
        this.wake = wake;
        this.self = self;
        this.clock = clock;
    }

    /** One request, with its body. */
    @SuppressWarnings("ArrayRecordComponent") // calls are never compared
    private record Call<Q extends Record, R extends Record>(
            Rpc<Q, R> rpc, Q header, byte[] body, long bytes, Reply<R> reply, long number, long untilMs) {
        private Call<Q, R> keptUntil(long ms) {
            return new Call<>(rpc, header, body, bytes, reply, number, ms);
        }
    }

    /** One on its way. */
    private static final class Flight<Q extends Record, R extends Record> {
        private final Call<Q, R> call;
        private final String address;
        private final long sentMs;

        private Flight(Call<Q, R> call, String address, long sentMs) {
            this.call = call;
            this.address = address;
            this.sentMs = sentMs;
        }
    }

    /** Whether a request could be handed over now. */
    boolean isPossible() {
        return leader.get().isPresent();
    }

    /** How many are kept or on their way. */
    public int count() {
        return calls.get();
    }

    /** How many have come until now. */
    public long came() {
        return came.get();
    }

    /**
     * Hands a request over, or keeps it. On its event loop, while its handler is called; does not block.
     *
     * @param clientId under which its client consumes; null when it does not
     */
    <Q extends Record, R extends Record> void forward(
            Rpc<Q, R> rpc, Request<Q> request, @Nullable String clientId, Reply<R> reply) {
        if (request.header() instanceof PullMessageHeader && answers.isFull()) {
            refuse(reply, fullOfAnswers());
            return;
        }
        byte[] body = request.copyBody();
        Q header = header(request.header());
        ForwardedFields.Handed<Q, R> handed = ForwardedFields.of(rpc, request, header, clientId);
        long size = (long) body.length + handed.headerBytes();
        if (!reserve(size)) {
            refuse(
                    reply,
                    "too much waits for the leader of its group: limit " + MAX_CALLS + " requests, " + maxBytes
                            + " bytes");
            return;
        }
        go(new Call<>(handed.rpc(), header, body, size, reply, came.incrementAndGet(), clock.monotonicMs() + KEPT_MS));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what follows the answer ends in the callback
    private <Q extends Record, R extends Record> void go(Call<Q, R> call) {
        String address = leader.get().orElse(null);
        if (address == null) {
            keep(call);
            return;
        }
        Flight<Q, R> flight = new Flight<>(call, address, clock.monotonicMs());
        flights.put(call.number, flight);
        if (leader.get().filter(address::equals).isEmpty()) { // since it was asked: this one may have been overlooked
            strays = true;
            wake.run();
        }
        client.call(address, call.rpc, call.header, call.body, Deadline.after(clock, CALL_MS))
                .whenComplete((answer, failure) -> heard(flight, answer, failure));
    }

    private void keep(Call<?, ?> call) {
        kept.add(call);
        wake.run();
    }

    private <Q extends Record, R extends Record> void heard(
            Flight<Q, R> flight, @Nullable Answer<R> answer, @Nullable Throwable failure) {
        if (!flights.remove(flight.call.number, flight)) {
            return; // it was given up
        }
        Call<Q, R> call = flight.call;
        if (answer != null && answer.code() == ResponseCode.NOT_THE_LEADER && clock.monotonicMs() < call.untilMs) {
            keep(call); // it was not looked at
            return;
        }
        release(call.bytes);
        if (answer == null && isSend(call) && mayBeCarriedOut(failure)) {
            unknown(call, noAnswer(flight.address, failure));
            return;
        }
        call.reply.guard(() -> answer(call, flight.address, answer, failure));
    }

    private void unknown(Call<?, ?> call, String why) {
        call.reply.guard(() -> call.reply.fail(
                ResponseCode.SYSTEM_ERROR,
                self + " does not know whether it is " + (isSend(call) ? "stored: " : "done: ") + why));
    }

    private static boolean isSend(Call<?, ?> call) {
        return SENDS.contains(call.rpc.code());
    }

    /** No answer comes from one that led before. */
    private void giveUp(Flight<?, ?> flight, String leads, long nowMs) {
        Call<?, ?> call = flight.call;
        if (ASKED_AGAIN.contains(call.rpc.code())) {
            kept.add(call.keptUntil(nowMs + KEPT_MS));
            return;
        }
        release(call.bytes);
        String why = "the former leader of its group at " + flight.address + " gave no answer, and the one at " + leads
                + " leads now";
        if (isSend(call) || call.rpc.code() == RequestCode.RAFT_ORDER) {
            unknown(call, why);
        } else {
            call.reply.guard(() -> refuse(call.reply, why));
        }
    }

    @SuppressWarnings("unchecked") // a pull stays a pull
    private static <Q extends Record> Q header(Q header) {
        return header instanceof PullMessageHeader pull ? (Q) pull.waitingAtMost(SUSPEND_MS) : header;
    }

    private <R extends Record> void answer(
            Call<?, R> call, String address, @Nullable Answer<R> answer, @Nullable Throwable failure) {
        Reply<R> reply = call.reply;
        if (answer == null) {
            refuse(reply, noAnswer(address, failure));
        } else if (answer.code() == ResponseCode.NOT_THE_LEADER) {
            refuse(reply, "nobody took it within " + KEPT_MS + " ms");
        } else {
            give(call, answer);
        }
    }

    /** A pull is asked again; of all else it is not known what asking again would do, and its answer is small. */
    private <R extends Record> void give(Call<?, R> call, Answer<R> answer) {
        byte[] body = answer.body();
        if (body.length == 0) {
            call.reply.send(answer.code(), answer.remark(), answer.header(), null);
            return;
        }
        Payload counted = call.header instanceof PullMessageHeader ? answers.take(body) : answers.takeAnyhow(body);
        if (counted == null) {
            refuse(call.reply, fullOfAnswers());
        } else {
            call.reply.send(answer.code(), answer.remark(), answer.header(), counted);
        }
    }

    private String fullOfAnswers() {
        return "answers of the leader of its group wait until their clients take them: " + answers.count()
                + " bytes, limit " + answers.limit();
    }

    /** Bytes of answers that are not sent on yet. */
    long answerBytes() {
        return answers.count();
    }

    private static String noAnswer(String address, @Nullable Throwable failure) {
        return "the leader of its group at " + address + " gave no answer: "
                + (failure == null ? "" : failure.getMessage());
    }

    private static boolean mayBeCarriedOut(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return !(cause instanceof RemotingException.ConnectFailed || cause instanceof RemotingException.TooManyCalls);
    }

    private void refuse(Reply<?> reply, String why) {
        reply.fail(ResponseCode.SYSTEM_BUSY, "[REJECTREQUEST]" + self + " does not take it: " + why);
    }

    private boolean reserve(long size) {
        boolean fits = calls.incrementAndGet() <= MAX_CALLS;
        long all = bytes.addAndGet(size);
        if (fits && (all <= maxBytes || all == size)) {
            return true;
        }
        release(size);
        return false;
    }

    private void release(long size) {
        calls.decrementAndGet();
        bytes.addAndGet(-size);
    }

    @Override
    public boolean runsEverywhere() {
        return true;
    }

    /**
     * Sends those that are kept when somebody takes them, and answers those that were kept for too long; gives up what is on its way to one
     * that leads no more and does not answer.
     */
    @Override
    public int doWork(long nowMs) {
        int done = endStrays(nowMs);
        boolean mayGo = isPossible() && nowMs >= againMs;
        boolean isSent = false;
        for (int left = Math.min(kept.size(), MOST_A_PASS); left > 0; left--) {
            Call<?, ?> call = kept.poll();
            if (call == null) {
                break;
            }
            if (nowMs >= call.untilMs()) {
                release(call.bytes());
                refuse(call.reply(), "nobody leads its group since " + KEPT_MS + " ms");
            } else if (mayGo) {
                go(call);
                isSent = true;
            } else {
                kept.add(call);
                break; // all others are kept for longer
            }
            done++;
        }
        if (isSent || (againMs <= nowMs && !kept.isEmpty())) {
            againMs = nowMs + AGAIN_MS; // also when none is left: what comes back at once would go to and fro
        }
        return done;
    }

    private int endStrays(long nowMs) {
        String leads = leader.get().orElse("");
        if (leads.isEmpty()) {
            return 0;
        }
        if (!leads.equals(lastLeader)) {
            lastLeader = leads;
            strays = true;
            strayMs = nowMs;
        }
        if (!strays || nowMs < strayMs) {
            return 0;
        }
        strays = false; // before the look: whoever is late says so
        int ended = 0;
        long nextMs = Long.MAX_VALUE;
        for (Flight<?, ?> flight : flights.values()) {
            if (!flight.address.equals(leads)) {
                if (nowMs - flight.sentMs < SILENT_MS) {
                    nextMs = Math.min(nextMs, flight.sentMs + SILENT_MS);
                } else if (flights.remove(flight.call.number, flight)) {
                    giveUp(flight, leads, nowMs);
                    ended++;
                }
            }
        }
        if (nextMs != Long.MAX_VALUE) {
            strays = true;
            strayMs = Math.max(nextMs, nowMs + LOOK_MS);
        }
        return ended;
    }

    @Override
    public long nextDeadlineMs() {
        long keptMs = kept.isEmpty() ? Long.MAX_VALUE : againMs;
        return strays && isPossible() ? Math.min(keptMs, strayMs) : keptMs;
    }
}
