package dev.perigee.client.error;

import dev.perigee.protocol.rpc.ResponseCode;

/** A peer answered with a code other than success. */
public final class RefusedException extends ClientException {
    private static final long serialVersionUID = 1L;

    private final int code;
    private final String remark;
    private final boolean retryable;

    /**
     * @param code the response code
     * @param codeName its name, for the text
     * @param remark the peer's reason, may be empty
     * @param retryable whether another try, maybe elsewhere, may succeed
     */
    public RefusedException(int code, String codeName, String remark, boolean retryable, FailureSite site) {
        this("refused code=" + code + " " + codeName + " remark=\"" + remark + "\"", code, remark, retryable, site);
    }

    private RefusedException(String what, int code, String remark, boolean retryable, FailureSite site) {
        super(what, site, null);
        this.code = code;
        this.remark = remark;
        this.retryable = retryable;
    }

    /** The response code, see {@code dev.perigee.protocol.rpc.ResponseCode}. */
    public int code() {
        return code;
    }

    /** The peer's reason; may be empty. */
    public String remark() {
        return remark;
    }

    @Override
    public boolean isRetryable() {
        return retryable;
    }

    /** A broker whose log fails under a message does not know itself whether it is stored, and answers so. */
    @Override
    boolean mayHaveBeenCarriedOut() {
        return code == ResponseCode.SYSTEM_ERROR;
    }

    @Override
    ClientException at(String text, FailureSite place) {
        return new RefusedException(text, code, remark, retryable, place);
    }
}
