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
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests that came to a member that does not take them, on their way to the one that does: they go to its port of the group, and what it
 * answers goes back. While nobody is known to take them they are kept, for {@link #KEPT_MS} at most, as an election or a handing over does
 * not take longer. Who asks goes along, see {@link ForwardedFields}. At {@link #MAX_CALLS} of them, or {@link #MAX_BYTES}, a further one is refused as busy. What becomes of a
 * request whose connection to the leader ends is not known: it is answered as busy, which clients send again; a send with
 * {@link ResponseCode#SYSTEM_ERROR}, for busy says that nothing was stored. Answers that wait until their clients take them are counted: at
 * {@link #MAX_ANSWER_BYTES} pulls are refused as busy, on their way there or back.
 */
@ThreadSafe
public final class ForwardedCalls implements Duty {
    /** Kept, or on their way, at most. */
    public static final int MAX_CALLS = 4_096;

    /** Bytes of their bodies, and of fields of their headers that this release does not know, at most. */
    public static final long MAX_BYTES = 8L << 20;

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

    /** Between two tries of one that was not taken where it was sent. */
    private static final long AGAIN_MS = 20;

    private final RemotingClient client;
    private final Supplier<Optional<String>> leader;
    private final Runnable wake;
    private final Clock clock;
    private final String self;
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final AnswerBytes answers;
    private final Queue<Call<?, ?>> kept = new ConcurrentLinkedQueue<>();
    private long againMs = Long.MIN_VALUE; // view loop only

    /**
     * None yet.
     *
     * @param leader where whoever takes requests now listens for members; also this member itself
     * @param wake makes the view loop run soon
     * @param self who this is, for refusals
     */
    public ForwardedCalls(
            RemotingClient client, Supplier<Optional<String>> leader, Runnable wake, String self, Clock clock) {
        this(client, leader, wake, self, clock, MAX_ANSWER_BYTES);
    }

    ForwardedCalls(
            RemotingClient client,
            Supplier<Optional<String>> leader,
            Runnable wake,
            String self,
            Clock clock,
            long maxAnswerBytes) {
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
            Rpc<Q, R> rpc, Q header, byte[] body, long bytes, Reply<R> reply, long untilMs) {}

    /** Whether a request could be handed over now. */
    boolean isPossible() {
        return leader.get().isPresent();
    }

    /** How many are kept or on their way. */
    public int count() {
        return calls.get();
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
        long size = (long) body.length + handed.moreBytes();
        if (!reserve(size)) {
            refuse(
                    reply,
                    "too much waits for the leader of its group: limit " + MAX_CALLS + " requests, " + MAX_BYTES
                            + " bytes");
            return;
        }
        go(new Call<>(handed.rpc(), header, body, size, reply, clock.monotonicMs() + KEPT_MS));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what follows the answer ends in the callback
    private <Q extends Record, R extends Record> void go(Call<Q, R> call) {
        String address = leader.get().orElse(null);
        if (address == null) {
            keep(call);
            return;
        }
        client.call(address, call.rpc, call.header, call.body, Deadline.after(clock, CALL_MS))
                .whenComplete((answer, failure) -> heard(call, address, answer, failure));
    }

    private void keep(Call<?, ?> call) {
        kept.add(call);
        wake.run();
    }

    private <Q extends Record, R extends Record> void heard(
            Call<Q, R> call, String address, @Nullable Answer<R> answer, @Nullable Throwable failure) {
        if (answer != null && answer.code() == ResponseCode.NOT_THE_LEADER && clock.monotonicMs() < call.untilMs) {
            keep(call); // it was not looked at
            return;
        }
        release(call.bytes);
        if (answer == null && SENDS.contains(call.rpc.code()) && mayBeCarriedOut(failure)) {
            call.reply.guard(() -> call.reply.fail(
                    ResponseCode.SYSTEM_ERROR,
                    self + " does not know whether it is stored: " + noAnswer(address, failure)));
            return;
        }
        call.reply.guard(() -> answer(call, address, answer, failure));
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
        Payload counted =
                call.header instanceof PullMessageHeader ? answers.take(body) : answers.takeAnyhow(body);
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
        if (bytes.addAndGet(size) <= MAX_BYTES && fits) {
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

    /** Sends those that are kept when somebody takes them, and answers those that were kept for too long. */
    @Override
    public int doWork(long nowMs) {
        int waiting = kept.size();
        boolean mayGo = isPossible() && nowMs >= againMs;
        int done = 0;
        boolean isSent = false;
        for (int i = 0; i < waiting; i++) {
            Call<?, ?> call = kept.poll();
            if (call == null) {
                break;
            }
            if (nowMs >= call.untilMs()) {
                release(call.bytes());
                refuse(call.reply(), "nobody leads its group since " + KEPT_MS + " ms");
                done++;
            } else if (mayGo) {
                go(call);
                isSent = true;
                done++;
            } else {
                kept.add(call);
            }
        }
        if (isSent || (againMs <= nowMs && !kept.isEmpty())) {
            againMs = nowMs + AGAIN_MS; // also when none is left: what comes back at once would go to and fro
        }
        return done;
    }

    @Override
    public long nextDeadlineMs() {
        return kept.isEmpty() ? Long.MAX_VALUE : againMs;
    }
}
