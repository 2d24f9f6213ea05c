package dev.perigee.broker.member;

import java.io.IOException;

/** This process may not be the member of its group that its settings say: another one is, or the group is another one. */
public final class StartRefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    /** @param why names the values of both sides */
    public StartRefusedException(String why) {
        super(why);
    }
}
