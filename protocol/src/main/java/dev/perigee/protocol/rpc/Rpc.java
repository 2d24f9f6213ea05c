package dev.perigee.protocol.rpc;

import dev.perigee.loop.Immutable;

/**
 * One kind of request: its code and the codecs of its two headers. All of them are constants of {@link Rpcs}.
 *
 * @param code the request code on the wire
 * @param name the name used in logs, metrics and errors
 * @param request codec of the request's custom header
 * @param response codec of the response's custom header
 * @param <Q> request header type
 * @param <R> response header type
 */
@Immutable
public record Rpc<Q extends Record, R extends Record>(
        int code, String name, HeaderCodec<Q> request, HeaderCodec<R> response) {

    /** A request with the name of its code and the general codecs of its header records. */
    static <Q extends Record, R extends Record> Rpc<Q, R> of(int code, Class<Q> request, Class<R> response) {
        return of(code, RecordHeaderCodec.of(request), RecordHeaderCodec.of(response));
    }

    static <Q extends Record, R extends Record> Rpc<Q, R> of(
            int code, HeaderCodec<Q> request, HeaderCodec<R> response) {
        return new Rpc<>(code, CodeNames.request(code), request, response);
    }

    /** Makes both codecs ready now, rather than with the first headers: for what is said when somebody waits. */
    public void prepare() {
        request.prepare();
        response.prepare();
    }

    @Override
    public String toString() {
        return name + "(" + code + ")";
    }
}
