package dev.perigee.cli.group;

import dev.perigee.cli.output.Column;
import dev.perigee.cli.session.Admin;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The settings of one group and the brokers where they are so; a group that is set differently elsewhere has several.
 *
 * @param brokers names, sorted
 */
@Immutable
record GroupSettings(SubscriptionGroupConfig config, List<String> brokers) {
    /** Every setting there is. */
    static final List<Column<GroupSettings>> COLUMNS = List.of(
            Column.text("Group", "group", row -> row.config.groupName()),
            Column.text("Consumes", "consumeEnable", row -> row.config.consumeEnable()),
            Column.number("Retries", "retryMaxTimes", row -> row.config.retryMaxTimes()),
            Column.number("Retry queues", "retryQueues", row -> row.config.retryQueueNums()),
            Column.text("Brokers", "brokers", GroupSettings::brokers),
            Column.json("consumeFromMinEnable", row -> row.config.consumeFromMinEnable()),
            Column.json("consumeBroadcastEnable", row -> row.config.consumeBroadcastEnable()),
            Column.json("consumeMessageOrderly", row -> row.config.consumeMessageOrderly()),
            Column.json("consumeTimeoutMinute", row -> row.config.consumeTimeoutMinute()),
            Column.json("notifyConsumerIdsChangedEnable", row -> row.config.notifyConsumerIdsChangedEnable()),
            Column.json("retryPolicy", row -> row.config.groupRetryPolicy()),
            Column.json("brokerId", row -> row.config.brokerId()),
            Column.json("whichBrokerWhenConsumeSlowly", row -> row.config.whichBrokerWhenConsumeSlowly()),
            Column.json("sysFlag", row -> row.config.groupSysFlag()),
            Column.json("subscriptions", row -> row.config.subscriptionDataSet()),
            Column.json("attributes", row -> new TreeMap<>(row.config.attributes())));

    GroupSettings {
        brokers = List.copyOf(brokers);
    }

    /** The settings of all groups on all brokers, by name; asks each master. Blocks. */
    static List<GroupSettings> all(AdminClient admin) throws ClientException {
        TreeMap<String, Map<SubscriptionGroupConfig, List<String>>> byName = new TreeMap<>();
        for (Map.Entry<String, String> master : Admin.masters(admin).entrySet()) {
            for (SubscriptionGroupConfig group : admin.groups()
                    .allConfigs(master.getValue())
                    .subscriptionGroupTable()
                    .values()) {
                byName.computeIfAbsent(group.groupName(), name -> new LinkedHashMap<>())
                        .computeIfAbsent(group, settings -> new ArrayList<>())
                        .add(master.getKey());
            }
        }
        List<GroupSettings> all = new ArrayList<>();
        byName.values().forEach(kinds -> kinds.forEach((group, names) -> all.add(new GroupSettings(group, names))));
        return all;
    }
}
