package dev.perigee.client.hook;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.Message;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All who look on at a producer: messages are prepared in the order they were named and end in the reverse one. One that throws,
 * whatever it throws, is passed over.
 *
 * @param all the observers
 */
@Immutable
public record SendObservers(List<SendObserver> all) {
    /** Nobody looks on. */
    public static final SendObservers NONE = new SendObservers(List.of());

    private static final Logger LOG = LoggerFactory.getLogger(SendObservers.class);

    public SendObservers {
        all = List.copyOf(all);
    }

    /** Whether nobody looks on: then nothing has to be remembered about a send. */
    public boolean isEmpty() {
        return all.isEmpty();
    }

    /** The message as it shall be sent; as it was where an observer gives none. */
    public Message prepare(Message message) {
        Message prepared = message;
        for (SendObserver observer : all) {
            try {
                Message given = observer.prepare(prepared);
                prepared = given == null ? prepared : given;
            } catch (RuntimeException | Error e) { // code of the user
                LOG.warn("event=send_observer_failed topic={}", message.topic(), e);
            }
        }
        return prepared;
    }

    /** Tells all of them, the last one first. */
    public void ended(SentMessage what) {
        for (int i = all.size() - 1; i >= 0; i--) {
            try {
                all.get(i).ended(what);
            } catch (RuntimeException | Error e) {
                LOG.warn("event=send_observer_failed topic={}", what.message().topic(), e);
            }
        }
    }
}
