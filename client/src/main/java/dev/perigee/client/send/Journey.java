package dev.perigee.client.send;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.DeadlineExceededException;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.RefusedException;
import dev.perigee.client.error.UnreachableException;
import dev.perigee.client.route.TopicRoute;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.MessageQueue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One unit between its tries: where it was, where it may still go. Handed from thread to thread, never used by two at a time; where it
 * stands is read by who waits for it.
 */
@OwnedBy("one thread at a time")
final class Journey {
    /** Tries that may go to queues that are not there: each has a newer route, or another queue, than the one before. */
    static final int MAX_ASTRAY = 4;

    final Outgoing unit;
    private volatile int attempt;
    private volatile String lastAddress = FailureSite.NONE;
    private String lastBroker = "";
    private @Nullable MessageQueue fixed;
    /** What a broker said it does not have, while no route confirms that. */
    private @Nullable MessageQueue absent;
    /** How many tries went to queues that were not there. */
    private int astray;
    /** How many tries went to brokers that were not reached, where others have their name. */
    private int away;
    /** What the rule that chooses a queue failed with when it was asked again. */
    private @Nullable Throwable ruleFailure;

    private @Nullable ClientException lastFailure;
    /** What a broker answered last that did not take it. */
    private @Nullable RefusedException lastAnswer;
    /** A try that failed and may have been carried out all the same. */
    private @Nullable ClientException doubtful;

    Journey(Outgoing unit) {
        this.unit = unit;
        this.fixed = QueueChoice.queueOf(unit.choice());
    }

    /** How many tries have begun. */
    int attempt() {
        return attempt;
    }

    /** How many tries say something about brokers: those that went to a queue or a broker that is not there say something about the route. */
    int countedTries() {
        return attempt - astray - away;
    }

    /** The last try went to a broker that is not there, and others have its name. */
    void wasAway() {
        away++;
    }

    /** Whether the try that went to a queue that is not there was one too many. */
    boolean isLost() {
        return astray >= MAX_ASTRAY;
    }

    /** Whether it goes to a queue that the caller named. */
    boolean isQueueNamed() {
        QueueChoice choice = unit.choice();
        return choice != null && choice.isNamed();
    }

    String lastBroker() {
        return lastBroker;
    }

    @Nullable
    ClientException lastFailure() {
        return lastFailure;
    }

    /** One more try begins. */
    void tries(MessageQueue queue) {
        int number = attempt + 1;
        attempt = number;
        lastBroker = queue.brokerName();
    }

    /** The try goes there. */
    void goesTo(String address) {
        lastAddress = address;
    }

    FailureSite site() {
        return new FailureSite(
                lastAddress, unit.topic(), attempt, unit.deadline().remainingMs());
    }

    /** The queue of the next try; null when there is none. */
    @Nullable
    MessageQueue queue(TopicRoute route, SendPolicy policy) {
        MessageQueue chosen = fixed;
        if (chosen != null) {
            return chosen;
        }
        List<MessageQueue> queues = candidates(route);
        return queues.isEmpty() ? null : policy.choose(queues, lastBroker);
    }

    /** A broker that lacks a queue lacks all above it too; until a route says how many it has, only the first is sure. */
    private List<MessageQueue> candidates(TopicRoute route) {
        MessageQueue missing = absent;
        return missing == null
                ? route.publishQueues()
                : route.publishQueues().stream()
                        .filter(queue -> queue.queueId() == 0 && !queue.equals(missing))
                        .toList();
    }

    /** What can be done about a queue that a broker says it does not have. */
    enum Turn {
        /** There is another one to go to. */
        ELSEWHERE,
        /** The route is not newer than the refusal; the next one may be. */
        WAIT,
        /** None. */
        NONE
    }

    /**
     * A broker does not have this queue, and this is the route as it is now. A route of a topic that still names the queue is older
     * than the broker's word, as one of the template topic always may be.
     */
    Turn turnFrom(MessageQueue refused, TopicRoute now) {
        boolean isOld = now.isProvisional() || now.publishQueues().contains(refused);
        QueueChoice choice = unit.choice();
        if (choice == null) {
            absent = isOld ? refused : null;
            return candidates(now).isEmpty() ? Turn.NONE : goesAstray();
        }
        MessageQueue other = now.publishQueues().isEmpty() ? null : chosenAgain(choice, now);
        if (other == null) {
            return Turn.NONE;
        }
        if (other.equals(refused)) {
            return isOld ? Turn.WAIT : Turn.NONE;
        }
        fixed = other;
        return goesAstray();
    }

    private Turn goesAstray() {
        astray++;
        return Turn.ELSEWHERE;
    }

    /** Null when the rule fails; what it failed with is told with the refusal that made it necessary. */
    private @Nullable MessageQueue chosenAgain(QueueChoice choice, TopicRoute now) {
        try {
            return choice.in(now);
        } catch (ClientException | RuntimeException | Error e) {
            ruleFailure = e;
            return null;
        }
    }

    void failedTry(ClientException failure) {
        lastFailure = failure;
        if (failure instanceof RefusedException answer) {
            lastAnswer = answer;
        }
        if (failure.mayHaveTakenEffect()) {
            doubtful = failure;
        }
    }

    /**
     * The end of the unit: what the last try came to, and what a broker answered before where nobody answered that one; with it an earlier
     * one that may have been carried out, or a rule that failed.
     */
    void fail(ClientException failure) {
        ClientException last =
                explained(failure).withRemainingMs(unit.deadline().remainingMs());
        ClientException earlier = doubtful;
        if (earlier != null && !last.mayHaveTakenEffect()) {
            last.addSuppressed(earlier);
        }
        Throwable rule = ruleFailure;
        if (rule != null) {
            last.addSuppressed(rule);
        }
        unit.failed(last);
    }

    private ClientException explained(ClientException failure) {
        RefusedException answer = lastAnswer;
        boolean isUnanswered = failure instanceof DeadlineExceededException || failure instanceof UnreachableException;
        return answer != null && isUnanswered ? failure.afterAnswer(answer) : failure;
    }
}
