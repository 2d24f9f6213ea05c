package dev.perigee.broker.stats;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.stats.BrokerStatsData;
import java.time.ZoneId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts what is stored by topic and read by topic and group. */
@ThreadSafe
public final class BrokerStats {
    /**
     * Most topics that are counted apart, and most pairs of topic and group; more are counted only in the totals (some more
     * are counted while several threads come at the same time).
     */
    public static final int MAX_KEYS = 100_000;

    private final String cluster;
    private final Flow put = new Flow();
    private final Flow got = new Flow();
    private final Meter missed = new Meter();
    private final Meter failedPuts = new Meter();
    private final Meter foundReads = new Meter();
    private final Latencies putLatencies = new Latencies();
    private final DayTotals putDays;
    private final DayTotals gotDays;
    private final ConcurrentHashMap<String, Flow> putByTopic = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, ConcurrentHashMap<String, Flow>> gotByTopic = new ConcurrentHashMap<>();
    private final AtomicInteger readers = new AtomicInteger(); // pairs in gotByTopic
    private final PairCounts sentBack;
    private final PairCounts deadLetters;
    private final LongAdder repliesWithoutRequester = new LongAdder();
    private final int maxKeys;

    /** Statistics of a broker of this cluster; its days begin at midnight in {@code zone}. */
    public BrokerStats(String cluster, ZoneId zone, long nowWallMs) {
        this(cluster, zone, nowWallMs, MAX_KEYS);
    }

    BrokerStats(String cluster, ZoneId zone, long nowWallMs, int maxKeys) {
        this.maxKeys = maxKeys;
        this.sentBack = new PairCounts(maxKeys);
        this.deadLetters = new PairCounts(maxKeys);
        this.cluster = cluster;
        this.putDays = new DayTotals(zone, nowWallMs);
        this.gotDays = new DayTotals(zone, nowWallMs);
    }

    /** Messages of a topic were stored. */
    public void stored(String topic, int messages, long sizeBytes) {
        put.add(messages, sizeBytes);
        Flow flow = putByTopic.get(topic);
        if (flow == null && putByTopic.size() < maxKeys) {
            flow = putByTopic.computeIfAbsent(topic, key -> new Flow());
        }
        if (flow != null) {
            flow.add(messages, sizeBytes);
        }
    }

    /** A message of a topic came back from a group. */
    public void sentBack(String topic, String group) {
        sentBack.add(topic, group);
    }

    /** A message of a topic became a dead letter of a group. */
    public void deadLetter(String topic, String group) {
        deadLetters.add(topic, group);
    }

    /** Messages that came back. */
    public PairCounts sentBack() {
        return sentBack;
    }

    /** Messages that became dead letters. */
    public PairCounts deadLetters() {
        return deadLetters;
    }

    /** A send was not stored. */
    public void refused() {
        failedPuts.add(1);
    }

    /** A reply reached nobody: its requester is gone, does not answer, or was never named. */
    public void replyWithoutRequester() {
        repliesWithoutRequester.increment();
    }

    /** Replies that reached nobody. */
    public long repliesWithoutRequester() {
        return repliesWithoutRequester.sum();
    }

    /** Messages of a topic were handed to a group. */
    public void read(String topic, String group, int messages, long sizeBytes) {
        got.add(messages, sizeBytes);
        foundReads.add(1);
        Map<String, Flow> groups = gotByTopic.get(topic);
        Flow flow = groups == null ? null : groups.get(group);
        if (flow == null) {
            flow = newReader(topic, group);
        }
        if (flow != null) {
            flow.add(messages, sizeBytes);
        }
    }

    /** Null when there is no place for one more. */
    private @Nullable Flow newReader(String topic, String group) {
        if (readers.get() >= maxKeys) {
            return null;
        }
        Flow[] flow = new Flow[1];
        gotByTopic.compute(topic, (key, known) -> { // as a whole, so that none is counted that a deletion takes away
            ConcurrentHashMap<String, Flow> groups = known == null ? new ConcurrentHashMap<>() : known;
            flow[0] = groups.computeIfAbsent(group, name -> {
                readers.incrementAndGet();
                return new Flow();
            });
            return groups;
        });
        return flow[0];
    }

    /** A read found nothing. */
    public void missed() {
        missed.add(1);
    }

    /** Takes a sample of everything; to be called every {@link Meter#SAMPLE_MS}. */
    public void sample(long nowWallMs) {
        putDays.sample(nowWallMs, put.messages().total());
        gotDays.sample(nowWallMs, got.messages().total());
        put.sample();
        got.sample();
        foundReads.sample();
        missed.sample();
        failedPuts.sample();
        sentBack.sample();
        deadLetters.sample();
        putByTopic.values().forEach(Flow::sample);
        gotByTopic.values().forEach(groups -> groups.values().forEach(Flow::sample));
    }

    /** Forgets a topic that is no more. */
    public void forgetTopic(String topic) {
        putByTopic.remove(topic);
        sentBack.forgetTopic(topic);
        deadLetters.forgetTopic(topic);
        gotByTopic.computeIfPresent(topic, (key, groups) -> {
            readers.addAndGet(-groups.size());
            return null;
        });
    }

    /** Forgets a group that is no more. */
    public void forgetGroup(String group) {
        sentBack.forgetGroup(group);
        deadLetters.forgetGroup(group);
        for (String topic : gotByTopic.keySet()) {
            gotByTopic.computeIfPresent(topic, (key, groups) -> {
                if (groups.remove(group) != null) {
                    readers.decrementAndGet();
                }
                return groups.isEmpty() ? null : groups;
            });
        }
    }

    /** Everything stored. */
    public Flow put() {
        return put;
    }

    /** Everything read. */
    public Flow got() {
        return got;
    }

    /** Reads that found something. */
    public Meter foundReads() {
        return foundReads;
    }

    /** From the arrival of a send until it was stored. */
    public Latencies putLatencies() {
        return putLatencies;
    }

    /** Messages stored until the last midnights. */
    public DayTotals putDays() {
        return putDays;
    }

    /** Messages read until the last midnights. */
    public DayTotals gotDays() {
        return gotDays;
    }

    /** Reads that found nothing. */
    public Meter misses() {
        return missed;
    }

    /** Sends that were not stored. */
    public Meter failures() {
        return failedPuts;
    }

    /** Messages stored per second in a topic, over the last minute. */
    public double putPerSecond(String topic) {
        Flow flow = putByTopic.get(topic);
        return flow == null ? 0 : flow.messages().perSecond(60);
    }

    /** Messages read per second by a group from a topic, over the last minute. */
    public double readPerSecond(String topic, String group) {
        Flow flow = gotByTopic.getOrDefault(topic, new ConcurrentHashMap<>()).get(group);
        return flow == null ? 0 : flow.messages().perSecond(60);
    }

    /** Flows into each topic. */
    public Map<String, Flow> topics() {
        return putByTopic;
    }

    /** Flows out of each topic, by group. */
    public Map<String, ? extends Map<String, Flow>> readers() {
        return gotByTopic;
    }

    /** A statistic by its RocketMQ name and key, or null when it is not kept. */
    public @Nullable BrokerStatsData find(String name, String key) {
        return switch (name) {
            case "TOPIC_PUT_NUMS" -> messages(putByTopic.get(key));
            case "TOPIC_PUT_SIZE" -> bytes(putByTopic.get(key));
            case "GROUP_GET_NUMS" -> messages(reader(key));
            case "GROUP_GET_SIZE" -> bytes(reader(key));
            case "SNDBCK_PUT_NUMS" -> messages(sentBack.find(key));
            case "DLQ_PUT_NUMS" -> messages(deadLetters.find(key));
            case "BROKER_PUT_NUMS" -> key.equals(cluster) ? messages(put) : null;
            case "BROKER_GET_NUMS" -> key.equals(cluster) ? messages(got) : null;
            default -> null;
        };
    }

    private @Nullable Flow reader(String topicAtGroup) {
        int at = topicAtGroup.indexOf('@');
        if (at < 0) {
            return null;
        }
        Map<String, Flow> groups = gotByTopic.get(topicAtGroup.substring(0, at));
        return groups == null ? null : groups.get(topicAtGroup.substring(at + 1));
    }

    private static @Nullable BrokerStatsData messages(@Nullable Meter meter) {
        return meter == null ? null : data(meter, meter);
    }

    private static @Nullable BrokerStatsData messages(@Nullable Flow flow) {
        return flow == null ? null : data(flow.messages(), flow.messages());
    }

    private static @Nullable BrokerStatsData bytes(@Nullable Flow flow) {
        return flow == null ? null : data(flow.bytes(), flow.messages());
    }

    private static BrokerStatsData data(Meter meter, Meter calls) {
        return new BrokerStatsData(meter.minute(calls), meter.hour(calls), meter.day(calls));
    }
}
