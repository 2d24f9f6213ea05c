package dev.perigee.namesrv.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.namesrv.route.Registration.ActingMaster;
import dev.perigee.namesrv.route.Registration.Extent;
import dev.perigee.protocol.topic.DataVersion;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class RouteTableTest {
    private static final QueueSetting FOUR = new QueueSetting(4, 4, 6, 0);
    private static final QueueSetting EIGHT = new QueueSetting(8, 8, 6, 0);
    private static final long TIMEOUT_MS = 120_000;

    private final RouteTable table = new RouteTable();
    private final Object link = new Object();
    private long nowMs = 1_000;

    private static BrokerIdentity broker(String name, long id) {
        return new BrokerIdentity("c", name, id, "10.0.0." + (name.charAt(0) - 'a' + 1) + ":" + (10_911 + id));
    }

    private static DataVersion version(long counter) {
        return new DataVersion(0, 1_760_000_000_000L, counter);
    }

    private Registration of(BrokerIdentity broker, long version, Map<String, QueueSetting> topics, Extent extent) {
        return new Registration(
                broker,
                "ha-" + broker.address(),
                TIMEOUT_MS,
                ActingMaster.OFF,
                version(version),
                topics,
                extent,
                "",
                link);
    }

    private Registered register(BrokerIdentity broker, long version, Map<String, QueueSetting> topics) {
        return table.register(of(broker, version, topics, Extent.UNSAID), false, nowMs);
    }

    private Registered registerComplete(BrokerIdentity broker, long version, Map<String, QueueSetting> topics) {
        return table.register(of(broker, version, topics, Extent.COMPLETE), false, nowMs);
    }

    @Test
    void aRegisteredTopicHasARouteWithTheBrokersAddress() {
        register(broker("a", 0), 1, Map.of("T", FOUR, "U", EIGHT));

        TopicRoute route = table.route("T").orElseThrow();
        assertThat(route.queues()).containsExactly(Map.entry("a", FOUR));
        assertThat(route.brokers())
                .singleElement()
                .satisfies(group -> assertThat(group.addresses()).containsExactly(Map.entry(0L, "10.0.0.1:10911")));
        assertThat(table.route("nobody")).isEmpty();
    }

    @Test
    void aSlaveLearnsItsMasterAndAddsNoTopics() {
        register(broker("a", 0), 1, Map.of("T", FOUR, "U", FOUR));

        Registered answer = register(broker("a", 1), 1, Map.of("T", EIGHT, "V", EIGHT));

        assertThat(answer).isEqualTo(new Registered.Taken("10.0.0.1:10911", "ha-10.0.0.1:10911"));
        assertThat(table.topics()).containsExactly("T", "U");
        assertThat(table.route("T").orElseThrow().brokers().get(0).addresses()).hasSize(2);
    }

    @Test
    void anUnchangedVersionLeavesTopicsAloneButAddsUnknownOnes() {
        register(broker("a", 0), 1, Map.of("T", FOUR, "U", FOUR));

        register(broker("a", 0), 1, Map.of("T", EIGHT, "V", EIGHT));

        assertThat(table.route("T").orElseThrow().queues()).containsEntry("a", FOUR);
        assertThat(table.route("V").orElseThrow().queues()).containsEntry("a", EIGHT);
    }

    @Test
    void aTableOfAStockBrokerDropsNothingUnlessTheSwitchSaysSo() {
        register(broker("a", 0), 1, Map.of("T", FOUR, "U", FOUR));

        register(broker("a", 0), 2, Map.of("T", FOUR, "W", FOUR));
        assertThat(table.topics()).containsExactly("T", "U", "W");

        table.register(of(broker("a", 0), 3, Map.of("T", FOUR, "W", FOUR), Extent.UNSAID), true, nowMs);
        assertThat(table.topics()).containsExactly("T", "W");
    }

    @Test
    void aCompleteTableDropsWhatItDoesNotListOnThatBrokerOnly() {
        registerComplete(broker("a", 0), 1, Map.of("T", FOUR, "U", FOUR));
        registerComplete(broker("b", 0), 1, Map.of("T", FOUR, "U", FOUR));

        registerComplete(broker("a", 0), 2, Map.of("T", FOUR));

        assertThat(table.route("T").orElseThrow().queues()).containsOnlyKeys("a", "b");
        assertThat(table.route("U").orElseThrow().queues()).containsOnlyKeys("b");
    }

    @Test
    void aCompleteTableRepairsAChangeThatAnIncrementalOneHid() {
        registerComplete(broker("a", 0), 1, Map.of("T", FOUR, "U", FOUR));
        // Version 2 changed U and was lost; version 3 brings only T.
        register(broker("a", 0), 3, Map.of("T", EIGHT));

        registerComplete(broker("a", 0), 3, Map.of("T", EIGHT, "U", EIGHT));

        assertThat(table.route("U").orElseThrow().queues()).containsEntry("a", EIGHT);
    }

    @Test
    void aRepeatedCompleteTableDoesNotUndoAWipedPermission() {
        registerComplete(broker("a", 0), 1, Map.of("T", FOUR, "U", FOUR));

        assertThat(table.wipeWritePerm("a")).isEqualTo(2);
        registerComplete(broker("a", 0), 1, Map.of("T", FOUR, "U", FOUR));
        assertThat(table.route("T").orElseThrow().queues().get("a")).isEqualTo(FOUR.withPerm(4));

        assertThat(table.addWritePerm("a")).isEqualTo(2);
        assertThat(table.route("T").orElseThrow().queues().get("a")).isEqualTo(FOUR);
        assertThat(table.wipeWritePerm("unknown")).isZero();
    }

    private int perm(String topic) {
        return Objects.requireNonNull(table.route(topic).orElseThrow().queues().get("a"))
                .perm();
    }

    @Test
    void whatABrokerHadSaidBeforeAWipeDoesNotUndoItHoweverItArrives() {
        registerComplete(broker("a", 0), 1, Map.of("T", FOUR, "U", FOUR));
        register(broker("a", 0), 3, Map.of("T", FOUR)); // the change alone, as it was made
        table.wipeWritePerm("a");

        registerComplete(broker("a", 0), 3, Map.of("T", FOUR, "U", EIGHT)); // the same again, whole
        assertThat(perm("T")).isEqualTo(4);
        assertThat(table.route("U").orElseThrow().queues()).containsEntry("a", EIGHT.withPerm(4));
        register(broker("a", 0), 2, Map.of("T", FOUR)); // an older one that was held up on its way
        assertThat(perm("T")).isEqualTo(4);

        registerComplete(broker("a", 0), 4, Map.of("T", FOUR, "U", FOUR));
        assertThat(perm("T")).isEqualTo(6);
        assertThat(perm("U")).isEqualTo(6);
    }

    @Test
    void aTopicThatIsNewSinceAWipeIsWritable() {
        registerComplete(broker("a", 0), 2, Map.of("T", FOUR, "U", FOUR));
        table.wipeWritePerm("a");
        register(broker("a", 0), 1, Map.of("V", FOUR));
        assertThat(perm("V")).isEqualTo(6);
        assertThat(perm("T")).isEqualTo(4);
    }

    @Test
    void aWipeEndsWithTheBrokerOrWhenItIsTakenBack() {
        registerComplete(broker("a", 0), 2, Map.of("T", FOUR, "U", FOUR));
        table.wipeWritePerm("a");
        table.unregister(broker("a", 0));
        registerComplete(broker("a", 0), 2, Map.of("T", FOUR, "U", FOUR));
        assertThat(perm("T")).isEqualTo(6);

        table.wipeWritePerm("a");
        table.addWritePerm("a");
        register(broker("a", 0), 1, Map.of("T", FOUR.withPerm(4)));
        register(broker("a", 0), 2, Map.of("T", FOUR));
        assertThat(perm("T")).isEqualTo(6);
    }

    @Test
    void aNewIdWithASingleTopicIsRefusedAndLeavesNoTrace() {
        assertThat(register(broker("a", 0), 1, Map.of("T", FOUR))).isInstanceOf(Registered.Refused.class);
        assertThat(table.groups()).isEmpty();
        assertThat(table.clusters()).isEmpty();
        assertThat(table.topics()).isEmpty();
    }

    @Test
    void anAddressThatSwitchesItsRoleStandsUnderItsNewIdOnly() {
        BrokerIdentity asSlave = new BrokerIdentity("c", "a", 1, "10.0.0.9:10911");
        BrokerIdentity asMaster = new BrokerIdentity("c", "a", 0, "10.0.0.9:10911");
        register(asSlave, 1, Map.of("T", FOUR, "U", FOUR));

        register(asMaster, 2, Map.of("T", FOUR, "U", FOUR));

        assertThat(table.group("a").orElseThrow().addresses()).containsExactly(Map.entry(0L, "10.0.0.9:10911"));
    }

    @Test
    void aNewcomerWithAnOlderStateVersionDoesNotReplaceTheHolder() {
        BrokerIdentity newcomer = new BrokerIdentity("c", "a", 0, "10.0.0.2:10911");
        registerWithState(new BrokerIdentity("c", "a", 0, "10.0.0.1:10911"), 7);

        assertThat(register(newcomer, 9, Map.of("T", FOUR, "U", FOUR)))
                .isEqualTo(new Registered.Superseded("10.0.0.1:10911"));
        assertThat(table.group("a").orElseThrow().addresses()).containsValue("10.0.0.1:10911");
    }

    private Registered registerWithState(BrokerIdentity broker, long stateVersion) {
        return table.register(
                new Registration(
                        broker,
                        "",
                        TIMEOUT_MS,
                        ActingMaster.OFF,
                        new DataVersion(stateVersion, 1, 1),
                        Map.of("T", FOUR, "U", FOUR),
                        Extent.UNSAID,
                        "",
                        link),
                false,
                nowMs);
    }

    /** Both passed their fence before either was known; the second, told of nobody, would take what the first takes. */
    @Test
    void theFirstOfTwoMastersThatLiveWithTheSameStateVersionStays() { // R32
        BrokerIdentity first = new BrokerIdentity("c", "a", 0, "10.0.0.1:10911");
        BrokerIdentity second = new BrokerIdentity("c", "a", 0, "10.0.0.2:10911");
        registerWithState(first, 8);

        assertThat(registerWithState(second, 8)).isEqualTo(new Registered.Superseded("10.0.0.1:10911"));
        assertThat(registerWithState(first, 8)).isInstanceOf(Registered.Taken.class);
        table.unregister(first);
        assertThat(registerWithState(second, 8)).isInstanceOf(Registered.Taken.class);
    }

    @Test
    void theLastOfTwoBrokersWithoutAStateVersionAndOfTwoSlavesStays() {
        for (long id = 0; id <= 1; id++) {
            BrokerIdentity second = new BrokerIdentity("c", "a", id, "10.0.0.2:1091" + id);
            registerWithState(new BrokerIdentity("c", "a", id, "10.0.0.1:1091" + id), 8 * id);

            assertThat(registerWithState(second, 8 * id)).isInstanceOf(Registered.Taken.class);
            assertThat(table.group("a").orElseThrow().address(id)).isEqualTo(second.address());
        }
    }

    /** Clients of one cluster would be sent to the other, and each registration would drop the other's topics. */
    @Test
    void aNameIsRefusedToAnotherClusterAsLongAsABrokerOfTheFirstOneLives() {
        register(broker("a", 0), 1, Map.of("S", FOUR, "T", FOUR));
        register(broker("a", 1), 1, Map.of());
        for (long id = 0; id <= 1; id++) {
            BrokerIdentity theirs = new BrokerIdentity("other", "a", id, "10.9.9.9:10911");
            assertThat(registerComplete(theirs, 9, Map.of("U", FOUR)))
                    .isInstanceOfSatisfying(
                            Registered.Refused.class,
                            refused -> assertThat(refused.reason())
                                    .contains(
                                            "broker name a",
                                            "cluster c at 10.0.0.1:10911",
                                            "10.9.9.9:10911 is of cluster other"));
        }
        assertThat(table.topics()).containsExactly("S", "T");
        assertThat(table.clusters()).containsOnlyKeys("c");
        assertThat(table.group("a").orElseThrow().addresses()).hasSize(2);

        table.unregister(broker("a", 0));
        table.unregister(broker("a", 1));
        BrokerIdentity theirs = new BrokerIdentity("other", "a", 0, "10.9.9.9:10911");
        assertThat(registerComplete(theirs, 9, Map.of("U", FOUR))).isInstanceOf(Registered.Taken.class);
        assertThat(table.group("a").orElseThrow().cluster()).isEqualTo("other");
    }

    /** A slave whose master is away asks for it with a registration that lists nothing. */
    @Test
    void aSlaveThatIsAloneAndListsNothingKeepsItsTopicsAndIsToldWhereItsMasterIs() {
        Map<String, QueueSetting> topics = Map.of("T", FOUR, "U", FOUR);
        Registration whole = of(broker("a", 1), 1, topics, Extent.COMPLETE);
        Registration question = new Registration(
                broker("a", 1),
                "",
                TIMEOUT_MS,
                ActingMaster.UNKNOWN,
                whole.version(),
                Map.of(),
                Extent.UNSAID,
                "",
                link);
        table.register(whole, true, nowMs);
        assertThat(table.register(question, true, nowMs)).isEqualTo(new Registered.Taken("", ""));
        assertThat(table.topics()).containsExactly("T", "U");
        register(broker("a", 0), 1, topics);
        assertThat(table.register(question, true, nowMs))
                .isEqualTo(new Registered.Taken("10.0.0.1:10911", "ha-10.0.0.1:10911"));
    }

    @Test
    void theLastAddressOfANameTakesItsQueuesAndItsClusterAlong() {
        register(broker("a", 0), 1, Map.of("T", FOUR, "U", FOUR));
        register(broker("a", 1), 1, Map.of());
        register(broker("b", 0), 1, Map.of("T", FOUR, "V", FOUR));

        table.unregister(broker("a", 0));
        assertThat(table.route("U")).isPresent();

        table.unregister(broker("a", 1));
        assertThat(table.topics()).containsExactly("T", "V");
        assertThat(table.route("T").orElseThrow().queues()).containsOnlyKeys("b");
        assertThat(table.clusters()).containsEntry("c", new java.util.TreeSet<>(List.of("b")));

        table.unregister(broker("b", 0));
        assertThat(table.topics()).isEmpty();
        assertThat(table.clusters()).isEmpty();
        assertThat(table.liveBrokers()).isZero();
    }

    @Test
    void aSilentBrokerExpiresAfterItsTimeoutAndNotBefore() {
        register(broker("a", 0), 1, Map.of("T", FOUR, "U", FOUR));
        nowMs += 60_000;
        table.heard(broker("a", 0), nowMs, link);

        nowMs += TIMEOUT_MS;
        assertThat(table.expire(nowMs)).isEmpty();

        nowMs += 1;
        assertThat(table.expire(nowMs)).containsExactly(new RouteTable.Expired(broker("a", 0), TIMEOUT_MS + 1, link));
        assertThat(table.route("T")).isEmpty();
    }

    @Test
    void aClosedConnectionTakesItsBrokersUnlessTheyCameBackOverAnother() {
        register(broker("a", 0), 1, Map.of("T", FOUR, "U", FOUR));
        register(broker("b", 0), 1, Map.of("T", FOUR, "U", FOUR));
        table.heard(broker("b", 0), nowMs, new Object());

        assertThat(table.linkClosed(link)).containsExactly(broker("a", 0));

        assertThat(table.route("T").orElseThrow().queues()).containsOnlyKeys("b");
    }

    @Test
    void withoutAMasterTheTopicsOfAGroupThatStandsInCanOnlyBeRead() {
        Map<String, QueueSetting> topics = Map.of("T", FOUR, "U", FOUR);
        for (long id = 0; id < 2; id++) {
            table.register(
                    new Registration(
                            broker("a", id),
                            "",
                            TIMEOUT_MS,
                            ActingMaster.ON,
                            version(1),
                            topics,
                            Extent.UNSAID,
                            "",
                            link),
                    false,
                    nowMs);
        }

        table.unregister(broker("a", 0));

        assertThat(table.route("T").orElseThrow().queues().get("a")).isEqualTo(FOUR.withPerm(4));
    }

    @Test
    void aTopicCanBeDroppedInOneClusterOrEverywhere() {
        register(new BrokerIdentity("c1", "a", 0, "10.0.0.1:1"), 1, Map.of("T", FOUR, "U", FOUR));
        register(new BrokerIdentity("c2", "b", 0, "10.0.0.2:1"), 1, Map.of("T", FOUR, "V", FOUR));
        assertThat(table.topicsOf("c1")).containsExactly("T", "U");

        table.deleteTopic("T", "c1");
        assertThat(table.route("T").orElseThrow().queues()).containsOnlyKeys("b");

        table.deleteTopic("T");
        assertThat(table.route("T")).isEmpty();
        assertThat(table.topicsOf("nowhere")).isEmpty();
    }

    @Test
    void queuesOfAnUnknownBrokerAreNotPut() {
        register(broker("a", 0), 1, Map.of("T", FOUR, "U", FOUR));

        table.putTopic("N", Map.of("a", EIGHT, "ghost", EIGHT));

        assertThat(table.route("N").orElseThrow().queues()).containsOnlyKeys("a");
    }

    @Test
    void unitListsFollowTheTopicSystemFlags() {
        register(
                broker("a", 0),
                1,
                Map.of(
                        "plain", FOUR,
                        "unit", new QueueSetting(4, 4, 6, 1),
                        "sub", new QueueSetting(4, 4, 6, 2),
                        "both", new QueueSetting(4, 4, 6, 3)));

        assertThat(table.unitTopics()).containsExactly("both", "unit");
        assertThat(table.unitSubTopics()).containsExactly("both", "sub");
        assertThat(table.unitSubOnlyTopics()).containsExactly("sub");
    }

    @Test
    void theVersionAnsweredIsThatOfTheLastRegistration() {
        assertThat(table.versionOf(broker("a", 0))).isEmpty();
        register(broker("a", 0), 5, Map.of("T", FOUR, "U", FOUR));
        assertThat(table.versionOf(broker("a", 0))).contains(version(5));
    }
}
