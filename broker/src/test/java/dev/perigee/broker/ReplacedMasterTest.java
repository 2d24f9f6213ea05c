package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.registration.ReplacedMasterException;
import dev.perigee.protocol.header.route.MemberGroupHeader;
import dev.perigee.protocol.header.route.RegisterBrokerResponse;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.route.MemberGroup;
import dev.perigee.protocol.route.MemberGroupBody;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.protocol.stats.HaStatus.FollowState;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.transport.Payload;
import dev.perigee.store.log.CommitLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A running master of which a NameServer says that another one took its place. */
class ReplacedMasterTest {
    private static final int NAMES = 9876;
    private static final int OTHER = 30_911;
    private static final int PERIOD_MS = 10_000;
    private static final String SELF = "127.0.0.1:" + SteppedPair.MASTER_PORT;
    private static final String THE_OTHER = "127.0.0.1:" + OTHER;

    private final SteppedPair pair = new SteppedPair();
    private final List<Throwable> fatal = new ArrayList<>();
    private Map<Long, String> members = Map.of(0L, SELF);
    private boolean otherIsMaster;
    private HaStatus.@Nullable LogName theirs;
    private int asked;
    private int registrations;
    private int otherAsked;

    @BeforeEach
    void start() throws Exception {
        serve(
                NAMES,
                HandlerTable.builder()
                        .on(Rpcs.REGISTER_BROKER, (request, reply) -> {
                            registrations++;
                            reply.ok(new RegisterBrokerResponse(null, null));
                        })
                        .on(Rpcs.GET_BROKER_MEMBER_GROUP, this::members)
                        .build());
        pair.startMaster(
                Map.of("namesrvAddr", "127.0.0.1:" + NAMES, "registerNameServerPeriod", Integer.toString(PERIOD_MS)));
        pair.master().onFatal(fatal::add);
    }

    private void serve(int port, HandlerTable table) throws Exception {
        new RemotingServer(ServerConfig.of("127.0.0.1", port), table, pair.network, pair.clock).start();
    }

    private void startOther() throws Exception {
        serve(
                OTHER,
                HandlerTable.builder()
                        .on(Rpcs.GET_BROKER_HA_STATUS, (request, reply) -> {
                            otherAsked++;
                            HaStatus status = new HaStatus(
                                    otherIsMaster, 0, 0, List.of(), FollowState.NONE, null, 0L, null, theirs);
                            reply.ok(NoHeader.NONE, Payload.of(Json.write(status)));
                        })
                        .build());
    }

    private void members(Request<MemberGroupHeader> request, Reply<NoHeader> reply) {
        asked++;
        MemberGroup group = new MemberGroup("c", request.header().brokerName(), members);
        reply.ok(NoHeader.NONE, Payload.of(Json.write(new MemberGroupBody(group))));
    }

    private void untilAskedAgain() {
        int before = asked;
        pair.until(() -> asked > before);
        pair.pass(2_000);
    }

    @Test
    void stopsAndNamesBothWhenTheOtherOneSaysItselfThatItIsAMaster() throws Exception {
        otherIsMaster = true;
        theirs = later(1);
        startOther();
        untilAskedAgain();
        assertThat(fatal).isEmpty();
        members = Map.of(0L, THE_OTHER, 1L, SELF);
        untilAskedAgain();
        assertThat(fatal).hasSize(1);
        assertThat(fatal.get(0))
                .isInstanceOf(ReplacedMasterException.class)
                .hasMessageContaining(SELF)
                .hasMessageContaining(THE_OTHER)
                .hasMessageContaining("127.0.0.1:" + NAMES);
        untilAskedAgain();
        assertThat(fatal).as("told once").hasSize(1);
        pair.stopMaster();
    }

    @Test
    void goesOnWhenTheOtherOneIsGoneOrIsASlaveByNow() throws Exception {
        members = Map.of(0L, THE_OTHER);
        untilAskedAgain();
        startOther();
        untilAskedAgain();
        assertThat(otherAsked).isPositive();
        members = Map.of();
        untilAskedAgain();
        assertThat(fatal).isEmpty();
        pair.stopMaster();
    }

    @Test
    void goesOnWhenTheOtherOneMayBeTheOneThatIsWrong() throws Exception {
        otherIsMaster = true;
        members = Map.of(0L, THE_OTHER);
        startOther();
        untilAskedAgain(); // a stock broker tells of no epoch
        theirs = later(0);
        untilAskedAgain();
        theirs = later(-1);
        untilAskedAgain();
        theirs = new HaStatus.LogName("1", 100, "f");
        untilAskedAgain();
        assertThat(otherAsked).isEqualTo(4);
        assertThat(fatal).isEmpty();
        pair.stopMaster();
    }

    /** Two that were promoted, or started again, without knowing of each other. */
    @Test
    void ofTwoEpochsOfOneNumberTheOneWithTheSmallerIdStops() throws Exception {
        otherIsMaster = true;
        members = Map.of(0L, THE_OTHER);
        theirs = sameNumber("fffffffffffffffff");
        startOther();
        untilAskedAgain();
        assertThat(fatal).hasSize(1);
        assertThat(fatal.get(0))
                .isInstanceOf(ReplacedMasterException.class)
                .hasMessageContaining(SELF)
                .hasMessageContaining(THE_OTHER)
                .hasMessageContaining("fffffffffffffffff");
        pair.stopMaster();
    }

    /** So that the other one finds it; but two must not go on beside each other for ever. */
    @Test
    void theOneWithTheLargerIdRegistersAgainAndStopsWhereANameServerKeepsToTheOther() throws Exception {
        otherIsMaster = true;
        theirs = sameNumber("0");
        startOther();
        for (int round = 0; round < 2; round++) {
            members = Map.of(0L, THE_OTHER);
            int before = registrations;
            untilAskedAgain();
            assertThat(registrations).isGreaterThan(before);
            members = Map.of(0L, SELF);
            untilAskedAgain();
            assertThat(fatal).isEmpty();
        }
        members = Map.of(0L, THE_OTHER);
        untilAskedAgain();
        assertThat(fatal).isEmpty();
        untilAskedAgain();
        assertThat(fatal).hasSize(1);
        pair.stopMaster();
    }

    private HaStatus.LogName sameNumber(String epochId) {
        return new HaStatus.LogName(later(0).logId(), later(0).epoch(), epochId);
    }

    private HaStatus.LogName later(int epochs) {
        CommitLog log = pair.master().log();
        return new HaStatus.LogName(Long.toHexString(log.logId()), log.epoch() + epochs, null);
    }

    @Test
    void asksNoMoreThanOnceInAPeriod() throws Exception {
        untilAskedAgain();
        int before = asked;
        pair.pass(3 * PERIOD_MS);
        assertThat(asked - before).isBetween(2, 3);
        pair.stopMaster();
    }
}
