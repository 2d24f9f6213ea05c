package dev.perigee.broker;

import dev.perigee.broker.fact.FactDesk;
import dev.perigee.broker.fact.StoreLink;
import dev.perigee.broker.timer.TimerView;
import dev.perigee.broker.transaction.TransactionView;
import dev.perigee.broker.view.GroupView;
import dev.perigee.broker.view.OffsetView;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.Immutable;
import dev.perigee.loop.Opened;
import dev.perigee.store.kv.ViewStores;
import dev.perigee.store.view.LogView;
import java.io.IOException;
import java.util.List;

/** The views of the broker and the desk that decides over them; made before the store, which folds them when it opens. */
@Immutable
record BrokerViews(
        StoreLink link,
        FactDesk desk,
        TopicView topics,
        GroupView groups,
        OffsetView offsets,
        TimerView timers,
        TransactionView transactions) {
    static BrokerViews make(ViewStores stores) {
        StoreLink link = new StoreLink();
        FactDesk desk = new FactDesk(link, link, link::wake);
        return new BrokerViews(
                link,
                desk,
                new TopicView(desk),
                new GroupView(desk),
                new OffsetView(desk),
                new TimerView(stores),
                new TransactionView(stores));
    }

    List<LogView> all() {
        return List.of(topics, groups, offsets, timers, transactions);
    }

    /** Opens the stores of views that have none yet, so that no loop waits for that. Blocks; before the loops start. */
    void prepare() throws IOException {
        timers.prepare();
        transactions.prepare();
    }

    /** Lets the stores go; when the loops have ended. Blocks. */
    void close() throws IOException {
        try (Opened all = new Opened()) {
            all.add(timers::close);
            all.add(transactions::close);
        }
    }
}
