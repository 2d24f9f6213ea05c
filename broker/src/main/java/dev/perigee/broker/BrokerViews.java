package dev.perigee.broker;

import dev.perigee.broker.fact.FactDesk;
import dev.perigee.broker.fact.StoreLink;
import dev.perigee.broker.timer.TimerView;
import dev.perigee.broker.view.GroupView;
import dev.perigee.broker.view.OffsetView;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.Immutable;
import dev.perigee.store.kv.ViewStores;
import dev.perigee.store.view.LogView;
import java.util.List;

/** The views of the broker and the desk that decides over them; made before the store, which folds them when it opens. */
@Immutable
record BrokerViews(
        StoreLink link, FactDesk desk, TopicView topics, GroupView groups, OffsetView offsets, TimerView timers) {
    static BrokerViews make(ViewStores stores) {
        StoreLink link = new StoreLink();
        FactDesk desk = new FactDesk(link, link, link::wake);
        return new BrokerViews(
                link, desk, new TopicView(desk), new GroupView(desk), new OffsetView(desk), new TimerView(stores));
    }

    List<LogView> all() {
        return List.of(topics, groups, offsets, timers);
    }
}
