package dev.perigee.broker;

import dev.perigee.broker.fact.FactDesk;
import dev.perigee.broker.fact.StoreLink;
import dev.perigee.broker.mark.ClockNote;
import dev.perigee.broker.timer.TimerClock;
import dev.perigee.broker.timer.TimerView;
import dev.perigee.broker.transaction.TransactionView;
import dev.perigee.broker.view.GroupView;
import dev.perigee.broker.view.OffsetView;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.Clock;
import dev.perigee.loop.Immutable;
import dev.perigee.loop.Opened;
import dev.perigee.store.kv.ViewStores;
import dev.perigee.store.recovery.RecoveryReport;
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
        TimerView timers = new TimerView(stores);
        return new BrokerViews(
                link,
                desk,
                new TopicView(desk),
                new GroupView(desk),
                new OffsetView(desk),
                timers,
                new TransactionView(stores, timers::told));
    }

    List<LogView> all() {
        return List.of(topics, groups, offsets, timers, transactions);
    }

    /** Opens the stores of views that have none yet, so that no loop waits for that. Blocks; before the loops start. */
    void prepare() throws IOException {
        timers.prepare();
        transactions.prepare();
    }

    /**
     * The clock of what waits: it goes on from where the log told of it last as long as anything waits, be it a message or a half of a
     * transaction. May wait for the disk; when the log is replayed and before the loops start.
     *
     * @param found whether another node wrote the log last, whose wall clock was another one: its shift is none of this one's
     */
    TimerClock timerClock(Clock clock, RecoveryReport found) {
        ClockNote told = told(found);
        return new TimerClock(clock, told.shiftMs(), told.timerMs());
    }

    /** Has that clock go on from what the views show now; see above. On the view loop. */
    void goOn(TimerClock clock, RecoveryReport found) {
        ClockNote told = told(found);
        clock.goOnFrom(told.shiftMs(), told.timerMs());
    }

    /** As above, where another node led its group before, whose wall clock was another one. On the view loop. */
    void goOnAfterAnother(TimerClock clock) {
        ClockNote told = timers.isEmpty() && transactions.isEmpty()
                ? ClockNote.NONE
                : timers.told().ofAnotherNode();
        clock.goOnFrom(told.shiftMs(), told.timerMs());
    }

    private ClockNote told(RecoveryReport found) {
        if (timers.isEmpty() && transactions.isEmpty()) {
            return ClockNote.NONE;
        }
        ClockNote told = timers.told();
        return found.followed() ? told.ofAnotherNode() : told;
    }

    /** Lets the stores go; when the loops have ended. Blocks. */
    void close() throws IOException {
        try (Opened all = new Opened()) {
            all.add(timers::close);
            all.add(transactions::close);
        }
    }
}
