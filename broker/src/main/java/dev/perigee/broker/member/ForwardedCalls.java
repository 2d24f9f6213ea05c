package dev.perigee.broker.member;

import dev.perigee.broker.member.ForwardedFlights.Flight;
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
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests that came to a member that does not take them, on their way to the one that does: they go to its port of the group, and what it
 * answers goes back. While nobody is known to take them, or no connection to that one can be made, they are kept, for {@link #KEPT_MS} at
 * most, as an election or a handing over does not take longer; a few go ahead to find out whether it takes them, see {@link KeptCalls}. Who asks
 * goes along, see {@link ForwardedFields}. At {@link #MAX_CALLS} of them, or {@link #MAX_BYTES}, a further one is refused as busy. What becomes
 * of a request whose connection to the leader ends, or whose leader does not answer while another one leads by now, is not known: what may be
 * asked twice is asked of the next leader, but not after {@link #ENDS_MS}; all else is answered as busy, which clients send again; a send with
 * {@link ResponseCode#SYSTEM_ERROR}, for busy says that nothing was stored. What cannot be written is refused, as it was not sent. Answers that wait until their clients take them are counted: at
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

    /** Within so long after it came a request is answered, however many leaders are asked one after the other. */
    static final long ENDS_MS = KEPT_MS + CALL_MS;

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

    private final RemotingClient client;
    private final Supplier<Optional<String>> leader;
    private final Runnable wake;
    private final Clock clock;
    private final Self self;
    /** By what a member has to be to take them, see {@link MemberGate.TakenBy}. */
    private final KeptCalls reads;

    private final KeptCalls writes;
    private final KeptCalls orders;
    private final ForwardedFlights flights;
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final long maxBytes;
    private final AnswerBytes answers;
    private final AtomicLong came = new AtomicLong();
    /**
     * Who hands over.
     *
     * @param name for people
     * @param group goes along, so that no other one takes it
     */
    public record Self(String name, OwnGroup group) {}

    /**
     * None yet.
     *
     * @param leader where whoever takes requests now listens for members; also this member itself
     * @param wake makes the view loop run soon
     * @param self who this is
     */
    public ForwardedCalls(
            RemotingClient client, Supplier<Optional<String>> leader, Runnable wake, Self self, Clock clock) {
        this(client, leader, wake, self, clock, MAX_BYTES, MAX_ANSWER_BYTES);
    }

    ForwardedCalls(
            RemotingClient client,
            Supplier<Optional<String>> leader,
            Runnable wake,
            Self self,
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
        this.reads = new KeptCalls(wake);
        this.writes = new KeptCalls(wake);
        this.orders = new KeptCalls(wake);
        this.flights = new ForwardedFlights(client::close);
    }

    /** Whether a request could be handed over now. */
    boolean isPossible() {
        return leader.get().isPresent();
    }

    /** Whether who handed this over may be a member of this one's group. */
    boolean isOfGroup(ForwardedFields.Made<?> made) {
        return self.group().mayBe(made.group(), made.log());
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
        long number = came.incrementAndGet();
        ForwardedFields.Handed<Q, R> handed = ForwardedFields.of(rpc, request, header, clientId, self.group(), number);
        long nowMs = clock.monotonicMs();
        ForwardedCall<Q, R> call =
                new ForwardedCall<>(handed, header, body, reply, number, nowMs + KEPT_MS, nowMs + ENDS_MS);
        if (!reserve(call.bytes)) {
            refuse(
                    reply,
                    "too much waits for the leader of its group: limit " + MAX_CALLS + " requests, " + maxBytes
                            + " bytes");
            return;
        }
        KeptCalls kept = keptOf(rpc.code());
        String address = leader.get().orElse(null);
        if (address != null && kept.isOpen(address)) {
            go(call, address);
        } else {
            kept.add(call);
        }
    }

    private KeptCalls keptOf(int code) {
        return switch (MemberGate.TakenBy.of(code)) {
            case LEADER -> orders;
            case MASTER -> reads;
            case WRITER -> writes;
        };
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what follows the answer ends in the callback
    private <Q extends Record, R extends Record> void go(ForwardedCall<Q, R> call, String address) {
        long nowMs = clock.monotonicMs();
        Flight<Q, R> flight = new Flight<>(call, address, nowMs);
        call.hold();
        flights.begin(flight);
        if (!isLeader(address)) { // since it was asked: this one may have been overlooked
            flights.mayBeStray();
            wake.run();
        }
        Deadline deadline = Deadline.after(clock, Math.max(1, Math.min(CALL_MS, call.endMs - nowMs)));
        client.call(address, call.rpc, call.header, call.body, deadline).whenComplete((answer, failure) -> {
            if (flights.end(flight)) {
                heard(flight, answer, failure);
            }
            letGo(call);
        });
    }

    private boolean isLeader(String address) {
        return leader.get().filter(address::equals).isPresent();
    }

    private <Q extends Record, R extends Record> void heard(
            Flight<Q, R> flight, @Nullable Answer<R> answer, @Nullable Throwable failure) {
        ForwardedCall<Q, R> call = flight.call();
        KeptCalls kept = keptOf(call.rpc.code());
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause instanceof RemotingException.ConnectFailed
                || (answer != null && answer.code() == ResponseCode.NOT_THE_LEADER)) {
            kept.turnedAway(flight.address());
            if (clock.monotonicMs() < call.untilMs()) {
                kept.add(call); // it was not looked at
                return;
            }
        } else if (answer != null && !kept.hasTaker(flight.address()) && isLeader(flight.address())) {
            kept.taken(flight.address());
        }
        letGo(call);
        call.reply.guard(() -> answer(call, flight.address(), answer, cause));
    }

    private void unknown(ForwardedCall<?, ?> call, String why) {
        call.reply.fail(
                ResponseCode.SYSTEM_ERROR,
                self.name() + " does not know whether it is " + (isSend(call) ? "stored: " : "done: ") + why);
    }

    private static boolean isSend(ForwardedCall<?, ?> call) {
        return SENDS.contains(call.rpc.code());
    }

    /** No answer comes from one that led before. */
    private void giveUp(Flight<?, ?> flight, String leads) {
        ForwardedCall<?, ?> call = flight.call();
        long nowMs = clock.monotonicMs();
        if (ASKED_AGAIN.contains(call.rpc.code()) && nowMs < call.endMs) {
            call.keepUntil(nowMs + KEPT_MS);
            keptOf(call.rpc.code()).add(call);
            return;
        }
        letGo(call);
        String why = "the former leader of its group at " + flight.address() + " gave no answer, and the one at "
                + leads + " leads now";
        call.reply.guard(() -> {
            if (isSend(call) || call.rpc.code() == RequestCode.RAFT_ORDER) {
                unknown(call, why);
            } else {
                refuse(call.reply, why);
            }
        });
    }

    @SuppressWarnings("unchecked") // a pull stays a pull
    private static <Q extends Record> Q header(Q header) {
        return header instanceof PullMessageHeader pull ? (Q) pull.waitingAtMost(SUSPEND_MS) : header;
    }

    private <R extends Record> void answer(
            ForwardedCall<?, R> call, String address, @Nullable Answer<R> answer, @Nullable Throwable cause) {
        Reply<R> reply = call.reply;
        if (answer == null) {
            noAnswer(call, address, cause);
        } else if (answer.code() == ResponseCode.NOT_THE_LEADER) {
            refuse(reply, "nobody took it within " + KEPT_MS + " ms: " + answer.remarkText());
        } else {
            give(call, answer);
        }
    }

    private void noAnswer(ForwardedCall<?, ?> call, String address, @Nullable Throwable cause) {
        String what = cause == null ? "" : String.valueOf(cause.getMessage());
        String why = "the leader of its group at " + address + " gave no answer: " + what;
        if (cause instanceof RemotingException.FrameTooLarge || cause instanceof IllegalArgumentException) {
            call.reply.fail(
                    isSend(call) ? ResponseCode.MESSAGE_ILLEGAL : ResponseCode.SYSTEM_ERROR,
                    self.name() + " cannot hand it over to the leader of its group, nothing was done: fields of "
                            + (call.bytes - call.body.length) + " bytes and a body of " + call.body.length
                            + " bytes: " + what);
        } else if (isSend(call)
                && !(cause instanceof RemotingException.ConnectFailed
                        || cause instanceof RemotingException.TooManyCalls)) {
            unknown(call, why);
        } else {
            refuse(call.reply, why);
        }
    }

    /** A pull is asked again; of all else it is not known what asking again would do, and its answer is small. */
    private <R extends Record> void give(ForwardedCall<?, R> call, Answer<R> answer) {
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

    private void refuse(Reply<?> reply, String why) {
        reply.fail(ResponseCode.SYSTEM_BUSY, "[REJECTREQUEST]" + self.name() + " does not take it: " + why);
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

    private void letGo(ForwardedCall<?, ?> call) {
        if (call.letGo()) {
            release(call.bytes);
        }
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
    public int doWork(long passMs) {
        long nowMs = Math.max(passMs, clock.monotonicMs()); // the pass may have stood still since it began
        String leads = leader.get().orElse("");
        int ended = flights.endStrays(leads, nowMs, this::giveUp);
        return ended + send(orders, leads, nowMs) + send(reads, leads, nowMs) + send(writes, leads, nowMs);
    }

    private int send(KeptCalls kept, String leads, long nowMs) {
        int done = 0;
        ForwardedCall<?, ?> overdue;
        while (done < KeptCalls.MOST_A_PASS && (overdue = kept.pollOverdue(nowMs)) != null) {
            overdue(overdue);
            done++;
        }
        if (done == KeptCalls.MOST_A_PASS) {
            return done; // what comes next may be overdue, too
        }
        for (int left = kept.mayGo(leads, nowMs); left > 0; left--) {
            ForwardedCall<?, ?> call = kept.poll();
            if (call == null) {
                break;
            }
            if (clock.monotonicMs() < call.untilMs()) {
                go(call, leads);
            } else {
                overdue(call); // it stood still since the pass began
            }
            done++;
        }
        return done;
    }

    private void overdue(ForwardedCall<?, ?> call) {
        letGo(call);
        String why = (isPossible() ? "nobody takes it since " : "nobody leads its group since ") + KEPT_MS + " ms";
        call.reply.guard(() -> refuse(call.reply, why));
    }

    @Override
    public long nextDeadlineMs() {
        long keptMs = Math.min(orders.nextDeadlineMs(), Math.min(reads.nextDeadlineMs(), writes.nextDeadlineMs()));
        return isPossible() ? Math.min(keptMs, flights.nextDeadlineMs()) : keptMs;
    }
}
