package dev.perigee.namesrv.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.namesrv.route.Registration.ActingMaster;
import dev.perigee.namesrv.route.Registration.Extent;
import dev.perigee.protocol.topic.DataVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Groups of a master and its slaves: who stands in, who is near, who is told. */
class BrokerGroupRoutesTest {
    private static final QueueSetting FOUR = new QueueSetting(4, 4, 6, 0);
    private static final Map<String, QueueSetting> TOPICS = Map.of("T", FOUR, "U", FOUR);
    private static final long TIMEOUT_MS = 120_000;

    private final List<MinIdChange> told = new ArrayList<>();
    private final RouteTable table = new RouteTable(told::add);

    private static BrokerIdentity broker(String name, long id) {
        return new BrokerIdentity("c", name, id, name + id);
    }

    private void register(BrokerIdentity broker, ActingMaster actingMaster, String zone) {
        table.register(
                new Registration(
                        broker,
                        "ha-" + broker.address(),
                        TIMEOUT_MS,
                        actingMaster,
                        new DataVersion(0, 1, 1),
                        TOPICS,
                        Extent.UNSAID,
                        zone,
                        "link-" + broker.address()),
                false,
                1);
    }

    private TopicRoute route() {
        return table.route("T").orElseThrow();
    }

    @Test
    void theSmallestSlaveStandsInForALostMasterUnderItsId() {
        register(broker("a", 0), ActingMaster.ON, "");
        register(broker("a", 1), ActingMaster.ON, "");
        register(broker("a", 2), ActingMaster.ON, "");
        assertThat(route().withStandIns()).isEqualTo(route());

        table.unregister(broker("a", 0));

        assertThat(route().brokers().get(0).addresses()).containsOnly(Map.entry(1L, "a1"), Map.entry(2L, "a2"));
        assertThat(route().withStandIns().brokers().get(0).addresses())
                .containsOnly(Map.entry(0L, "a1"), Map.entry(2L, "a2"));
        assertThat(route().withStandIns().queues()).containsEntry("a", FOUR.withPerm(4));
    }

    @Test
    void routesStayWithASlaveThatIsAloneAndATableThatKnowsOnlyTheSlaveHasThemFromIt() {
        register(broker("a", 0), ActingMaster.UNKNOWN, "");
        register(broker("a", 1), ActingMaster.OFF, "");
        table.unregister(broker("a", 0));
        assertThat(route().brokers().get(0).addresses()).containsExactly(Map.entry(1L, "a1"));
        assertThat(route().queues()).containsEntry("a", FOUR);

        register(broker("b", 1), ActingMaster.OFF, "");
        assertThat(route().queues()).containsEntry("b", FOUR);
        assertThat(route().brokers()).extracting(BrokerGroup::brokerName).containsExactly("a", "b");
    }

    @Test
    void nobodyStandsInWhereTheGroupDoesNotWantItOrCanBeWritten() {
        register(broker("a", 1), ActingMaster.OFF, "");
        register(broker("b", 1), ActingMaster.ON, "");
        table.addWritePerm("b");

        assertThat(route().withStandIns()).isEqualTo(route());
    }

    @Test
    void aClientOfAZoneSeesItsZoneAndGroupsWithoutAMaster() {
        register(broker("a", 0), ActingMaster.OFF, "north");
        register(broker("b", 0), ActingMaster.OFF, "south");
        register(broker("c", 1), ActingMaster.OFF, "south");

        TopicRoute near = route().within("north");

        assertThat(near.brokers()).extracting(BrokerGroup::brokerName).containsExactly("a", "c");
        assertThat(near.queues()).containsOnlyKeys("a", "c");
        assertThat(route().within("west").brokers())
                .extracting(BrokerGroup::brokerName)
                .containsExactly("c");
    }

    @Test
    void aSlaveThatDoesNotSayItsZoneLeavesTheGroupWhereItsMasterIs() {
        register(broker("a", 0), ActingMaster.OFF, "north");
        register(broker("a", 1), ActingMaster.OFF, "");
        assertThat(route().brokers().get(0).zone()).isEqualTo("north");

        register(broker("a", 0), ActingMaster.OFF, "");
        assertThat(route().brokers().get(0).zone()).isEmpty();
    }

    @Test
    void allMembersAreToldWhenTheSmallestIdLeaves() {
        register(broker("a", 0), ActingMaster.ON, "");
        register(broker("a", 1), ActingMaster.ON, "");
        register(broker("a", 2), ActingMaster.ON, "");
        assertThat(told).isEmpty();

        table.unregister(broker("a", 0));
        table.unregister(broker("a", 2));

        assertThat(told).containsExactly(new MinIdChange("a", 1, "a1", "a0", "", List.of("link-a1", "link-a2")));
    }

    @Test
    void allButTheNewcomerAreToldWhenASmallerIdComes() {
        register(broker("a", 2), ActingMaster.ON, "");
        register(broker("a", 1), ActingMaster.ON, "");
        register(broker("a", 0), ActingMaster.ON, "");

        assertThat(told)
                .containsExactly(
                        new MinIdChange("a", 1, "a1", "", "ha-a1", List.of("link-a2")),
                        new MinIdChange("a", 0, "a0", "", "ha-a0", List.of("link-a1", "link-a2")));
    }

    @Test
    void theOnlyMemberIsToldOfItsOwnNewRole() {
        register(new BrokerIdentity("c", "a", 1, "same"), ActingMaster.ON, "");
        register(new BrokerIdentity("c", "a", 0, "same"), ActingMaster.ON, "");

        assertThat(told).containsExactly(new MinIdChange("a", 0, "same", "", "ha-same", List.of("link-same")));
    }

    @Test
    void theLastMemberLeavesNobodyToTell() {
        register(broker("a", 0), ActingMaster.ON, "");
        table.unregister(broker("a", 0));

        assertThat(told).isEmpty();
    }
}
