package dev.perigee.sim.question;

/** A broker does not answer a question as long as whoever asks waits for it. */
public final class NoAnswerException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    NoAnswerException(String message) {
        super(message);
    }
}
