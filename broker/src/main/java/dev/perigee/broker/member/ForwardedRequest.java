package dev.perigee.broker.member;

import dev.perigee.broker.client.ForwardedClient;
import dev.perigee.protocol.frame.FieldCursor;
import dev.perigee.protocol.frame.Language;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.Request;
import java.nio.ByteBuffer;

/**
 * A request of a client that another member handed over.
 *
 * @param carried as it came over the connection to that member
 */
record ForwardedRequest<Q extends Record>(Request<Q> carried, ForwardedClient askedBy, Language language)
        implements Request<Q> {
    @Override
    public Q header() {
        return carried.header();
    }

    @Override
    public FieldCursor fields() {
        return carried.fields();
    }

    @Override
    public ByteBuffer body() {
        return carried.body();
    }

    @Override
    public byte[] copyBody() {
        return carried.copyBody();
    }

    @Override
    public Connection from() {
        return carried.from();
    }

    @Override
    public int code() {
        return carried.code();
    }

    @Override
    public int version() {
        return carried.version();
    }

    @Override
    public boolean oneway() {
        return carried.oneway();
    }

    @Override
    public long arrivedMs() {
        return carried.arrivedMs();
    }
}
