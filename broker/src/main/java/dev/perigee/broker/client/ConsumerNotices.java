package dev.perigee.broker.client;

import dev.perigee.broker.config.LiveConfig;
import dev.perigee.broker.view.GroupView;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.header.client.ConsumerGroupHeader;
import dev.perigee.protocol.rpc.Rpcs;

/** Tells every member of a consumer group that the group changed (code 40, one-way), so that it rebalances at once. */
@ThreadSafe
public final class ConsumerNotices {
    private final GroupView groups;
    private final LiveConfig config;

    public ConsumerNotices(GroupView groups, LiveConfig config) {
        this.groups = groups;
        this.config = config;
    }

    /** As {@link ClientRegistry.ChangeListener#changed}: nobody is told when only the expressions are others. */
    public void changed(ConsumerGroup before, ConsumerGroup after) {
        SubscriptionGroupConfig group = groups.current().find(after.name());
        if (!after.isOtherwiseShared(before)
                || !config.settings().notifyGroups()
                || after.messageModel() == MessageModel.BROADCASTING
                || (group != null && !group.notifyConsumerIdsChangedEnable())) {
            return;
        }
        ConsumerGroupHeader header = new ConsumerGroupHeader(after.name());
        after.members().forEach(member -> member.connection().oneway(Rpcs.NOTIFY_CONSUMER_IDS_CHANGED, header, null));
    }
}
