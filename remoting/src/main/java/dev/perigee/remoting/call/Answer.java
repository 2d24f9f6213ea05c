package dev.perigee.remoting.call;

import org.jspecify.annotations.Nullable;

/**
 * What a peer answered. A code other than 0 is an answer like any other, never an exception.
 *
 * @param code the response code
 * @param remark the peer's text, mostly the reason of a refusal
 * @param header the custom header; null only when the code is not 0 and the peer sent none that can be read
 * @param body the body, owned by the receiver; empty when there is none
 * @param version the peer's release number
 * @param <R> response header type
 */
@SuppressWarnings("ArrayRecordComponent") // the receiver owns the body; answers are never compared
public record Answer<R>(
        int code, @Nullable String remark, @Nullable R header, byte[] body, int version) {
    /** Whether the code is 0. */
    public boolean isOk() {
        return code == 0;
    }

    /** The header of an answer that must have one: code 0, or another code the protocol gives a header. */
    public R require() {
        R present = header;
        if (present == null) {
            throw new IllegalStateException("answer code=" + code + " remark=" + remark + " carries no header");
        }
        return present;
    }

    /** The remark, or the empty text. */
    public String remarkText() {
        String text = remark;
        return text == null ? "" : text;
    }
}
