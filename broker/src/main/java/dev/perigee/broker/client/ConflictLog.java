package dev.perigee.broker.client;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says when the members of a group begin to want different things of a topic, and when they agree again: one line for each
 * group and {@link #QUIET_MS}. Remembers only groups that differ, and only while they have members.
 */
@ThreadSafe
public final class ConflictLog {
    /** A group that goes on differing is named no more often. */
    static final long QUIET_MS = 60_000;

    private static final Pattern UNFIT = Pattern.compile("[\\p{Cntrl}\"\u2028\u2029]");

    private static final Logger LOG = LoggerFactory.getLogger(ConflictLog.class);

    private final ConcurrentHashMap<String, Long> saidMs = new ConcurrentHashMap<>();
    private final Function<String, @Nullable ConsumerGroup> groups;
    private final Clock clock;

    /** @param groups gives a group as it is now, null when none of its members is connected */
    public ConflictLog(Function<String, @Nullable ConsumerGroup> groups, Clock clock) {
        this.groups = groups;
        this.clock = clock;
    }

    /** The members of a group changed, or what one of them wants. From any thread. */
    public void look(String group) {
        long nowMs = clock.monotonicMs();
        saidMs.compute(group, (name, saidLast) -> { // one look after the other, so that the last one sees the newest
            ConsumerGroup now = groups.apply(name);
            Map<String, Map<String, String>> conflicts = now == null ? Map.of() : SubscriptionConflicts.of(now);
            if (conflicts.isEmpty()) {
                if (saidLast != null) {
                    LOG.info("event=subscriptions_agree group={}", name);
                }
                return null;
            }
            if (saidLast != null && nowMs - saidLast < QUIET_MS) {
                return saidLast;
            }
            say(name, conflicts);
            return nowMs;
        });
    }

    /** How many groups differ. */
    int differing() {
        return saidMs.size();
    }

    private static void say(String group, Map<String, Map<String, String>> conflicts) {
        Map.Entry<String, Map<String, String>> first =
                conflicts.entrySet().iterator().next();
        Iterator<Map.Entry<String, String>> wishes = first.getValue().entrySet().iterator();
        Map.Entry<String, String> one = wishes.next();
        Map.Entry<String, String> other = wishes.next();
        while (other.getValue().equals(one.getValue()) && wishes.hasNext()) {
            other = wishes.next();
        }
        LOG.warn(
                "event=subscriptions_differ group={} topics={} topic={} one={} oneSub=\"{}\" other={} otherSub=\"{}\"",
                group,
                conflicts.size(),
                first.getKey(),
                plain(one.getKey()),
                plain(one.getValue()),
                plain(other.getKey()),
                plain(other.getValue()));
    }

    /** What a client wrote, so that it stays within its place of one line. */
    static String plain(String text) {
        return UNFIT.matcher(text).replaceAll("?");
    }
}
