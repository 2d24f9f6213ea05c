package dev.perigee.bench.runner.server;

import com.alibaba.fastjson2.JSONException;
import com.alibaba.fastjson2.JSONObject;
import dev.perigee.harness.JavaProcess;
import dev.perigee.harness.RemotingProbe;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Three brokers that elect their master, and the NameServer they register at, on one machine. For one thread. */
public record Group(String bootstrap, JavaProcess namesrv, List<Member> members, Links links) implements Server {
    /** How many brokers a group has here. */
    static final int SIZE = 3;

    private static final int GET_CLUSTER_INFO = 106;
    private static final int GET_ALL_TOPIC_CONFIG = 21;
    private static final long NEARLY_ALL = 1 << 20;

    /** Returns when a message is acknowledged, or takes all away again and throws. */
    Group whenItServes() {
        try {
            InSync.await(
                    this::masterAddress, members.stream().map(Member::process).toList());
            return this;
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Whom the NameServer shows as the master; empty while there is none. */
    public Optional<Member> leader() {
        Optional<String> address = masterAddress();
        return members.stream()
                .filter(member -> address.filter(member.address()::equals).isPresent())
                .findFirst();
    }

    private Optional<String> masterAddress() {
        return Optional.ofNullable(addresses().get("0"));
    }

    /** Of all members that are registered, by their broker ids. */
    private Map<String, String> addresses() {
        try {
            String body = RemotingProbe.ask(bootstrap, GET_CLUSTER_INFO, new JSONObject())
                    .body();
            Map<String, String> byId = new HashMap<>();
            for (Object broker : JSONObject.parseObject(body)
                    .getJSONObject("brokerAddrTable")
                    .values()) {
                Map<?, ?> addresses = ((JSONObject) broker).getJSONObject("brokerAddrs"); // its keys may be numbers
                addresses.forEach((id, address) -> byId.put(String.valueOf(id), String.valueOf(address)));
            }
            return byId;
        } catch (IOException | JSONException | NullPointerException notYet) {
            return Map.of();
        }
    }

    /** Whether all members are registered, know the topic and have nearly all of the log, so that the next fault may come. */
    public boolean isWhole(String topic) {
        Optional<Member> leader = leader();
        return leader.isPresent()
                && addresses().size() == SIZE
                && members.stream().allMatch(member -> knows(member, topic) && isLevel(leader.get(), member));
    }

    private static boolean isLevel(Member leader, Member member) {
        return member == leader
                || new LogEnds(leader.address(), member.address()).lagBytes().orElse(Long.MAX_VALUE) < NEARLY_ALL;
    }

    /** Stock members that do not lead ask for the topics of who does now and then. */
    private static boolean knows(Member member, String topic) {
        try {
            RemotingProbe.Answer answer = RemotingProbe.ask(member.address(), GET_ALL_TOPIC_CONFIG, new JSONObject());
            return answer.code() == 0 && answer.body().contains('"' + topic + '"');
        } catch (IOException notNow) {
            return false;
        }
    }

    @Override
    public JavaProcess broker() {
        return leader().orElse(members.get(0)).process();
    }

    @Override
    public long cpuMillis() throws IOException {
        long sum = 0;
        for (Member member : members) {
            sum += member.process().cpuMillis();
        }
        return sum;
    }

    /** Kills all: what they stored is of no use any more. */
    @Override
    public void close() {
        members.forEach(Member::kill);
        namesrv.kill();
        links.close();
    }
}
