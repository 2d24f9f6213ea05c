package dev.perigee.broker.send;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.BatchBody;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.HostBytes;
import dev.perigee.protocol.property.PropertyEdit;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.remoting.Connection;
import dev.perigee.store.append.Appender;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one event loop needs to make frames: reused from send to send, so that a send allocates little. */
@OwnedBy("event loop")
final class SendLoop {
    final Appender appender;
    final FrameDraft draft = new FrameDraft();
    final PropertyEdit edit = new PropertyEdit();
    final SendProperties properties = new SendProperties();

    /** The unique key of what is prepared; null when it has none. */
    @Nullable
    String uniqueKey;

    /** Size of what is prepared. */
    int unitBytes;

    /** The topic the unit is stored in. */
    String topic = "";

    /** The queue the unit is stored in. */
    int queueId;

    /** The queue the answer names; a message that waits lies in another one. */
    int askedQueue;

    /** How many queues of its topic may be written to. */
    int writeQueues;

    /** By how many bytes the properties of what is prepared may grow while it waits and when it is delivered. */
    int growthBytes;

    /** By what it can be taken back; null when it does not wait, or cannot be. */
    @Nullable
    String recallHandle;

    /** The prepared batch; null when a single message is prepared. */
    @Nullable
    Batch batch;

    /**
     * A batch whose entries are checked.
     *
     * @param properties what is stored of each entry, in their order
     */
    record Batch(BatchBody body, List<PropertyText> properties) {}

    private @Nullable Connection lastConnection;
    private byte[] lastHost = new byte[0];

    SendLoop(Appender appender) {
        this.appender = appender;
    }

    /** The prepared batch, which is then no longer held here. */
    Batch takeBatch() {
        Batch taken = batch;
        if (taken == null) {
            throw new IllegalStateException("no batch is prepared");
        }
        batch = null;
        return taken;
    }

    /** The encoded address of the peer. */
    byte[] hostOf(Connection connection) {
        if (connection != lastConnection) {
            lastHost = HostBytes.encode(connection.remote());
            lastConnection = connection;
        }
        return lastHost;
    }
}
