package dev.perigee.broker.send;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.HostBytes;
import dev.perigee.protocol.property.PropertyEdit;
import dev.perigee.remoting.Connection;
import dev.perigee.store.append.Appender;
import org.jspecify.annotations.Nullable;

/** What one event loop needs to make frames: reused from send to send, so that a send allocates little. */
@OwnedBy("event loop")
final class SendLoop {
    final Appender appender;
    final FrameDraft draft = new FrameDraft();
    final PropertyEdit edit = new PropertyEdit();
    final SendProperties properties = new SendProperties();

    private @Nullable Connection lastConnection;
    private byte[] lastHost = new byte[0];

    SendLoop(Appender appender) {
        this.appender = appender;
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
