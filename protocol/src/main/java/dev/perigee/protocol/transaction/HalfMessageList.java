package dev.perigee.protocol.transaction;

import java.util.List;

/**
 * Body of an answer to LIST_HALF_MESSAGES: some undecided halves, the oldest first.
 *
 * @param halves they
 * @param goOnAfter what to ask for as {@code afterBirth} next; −1 when there are no more
 */
public record HalfMessageList(List<HalfMessage> halves, long goOnAfter) {
    public HalfMessageList {
        halves = halves == null ? List.of() : List.copyOf(halves);
    }
}
