package dev.perigee.broker.topic;

import dev.perigee.broker.fact.FactDesk;
import dev.perigee.broker.fact.FactKeys;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.TopicDeleted;
import dev.perigee.store.append.AppendResult;
import java.util.function.Consumer;

/**
 * Ends topics: one fact, by which every view drops the topic, its queues and the offsets of its groups. The log
 * takes no sends behind the fact; they are answered as sends to an unknown topic.
 */
@ThreadSafe
public final class TopicDeletion {
    /** Told on the view loop after a topic has gone. */
    public interface Listener {
        /** This topic, its queues and the offsets of its groups are no more. */
        void gone(String topic);
    }

    private final TopicView topics;
    private final FactDesk desk;
    private final Listener listener;

    public TopicDeletion(TopicView topics, FactDesk desk, Listener listener) {
        this.topics = topics;
        this.desk = desk;
        this.listener = listener;
    }

    /**
     * Deletes a topic if it exists.
     *
     * @param done APPENDED when it is gone; on the view loop, or at once when refused
     */
    public void delete(String topic, Consumer<AppendResult> done) {
        desk.submit(
                FactKeys.topic(topic),
                () -> topics.current().find(topic) == null ? null : new TopicDeleted(topic),
                result -> {
                    try {
                        if (result == AppendResult.APPENDED) {
                            listener.gone(topic);
                        }
                    } finally {
                        done.accept(result); // whoever asked hears of it, whatever the listener does
                    }
                });
    }
}
