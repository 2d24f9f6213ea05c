package dev.perigee.sim.ledger;

/**
 * A message as a listener was given it.
 *
 * @param body tells messages apart; a retry has the body of the first try
 * @param offset in the queue it was read from
 * @param retries how often it was tried before, as it says
 */
public record Seen(String body, long offset, int retries) {
    @Override
    public String toString() {
        return body + "@" + offset + (retries == 0 ? "" : " retry " + retries);
    }
}
