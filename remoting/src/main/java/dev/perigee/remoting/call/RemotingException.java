package dev.perigee.remoting.call;

import org.jspecify.annotations.Nullable;

/**
 * A call, a connection or a port that failed. The text names the address, the request, the time spent and the limit.
 * Raised on event loops far from the caller, so it carries no stack trace.
 */
public abstract sealed class RemotingException extends Exception
        permits RemotingException.BindFailed,
                RemotingException.ConnectFailed,
                RemotingException.CallTimeout,
                RemotingException.ConnectionClosed,
                RemotingException.TooManyCalls,
                RemotingException.FrameTooLarge,
                RemotingException.AnswerUnreadable {
    /** Stands in the text when a peer ended a plain connection as one does that wants TLS. */
    public static final String TLS_WANTED = "as a port does that takes TLS only";

    private static final long serialVersionUID = 1L;

    private final String address;

    private RemotingException(String address, String message, @Nullable Throwable cause) {
        super(message, cause, true, false);
        this.address = address;
    }

    /** The peer's address, or the local one of a port that could not be bound; {@code host:port}. */
    public String address() {
        return address;
    }

    /** A port that could not be opened, most often because another process has it. */
    public static final class BindFailed extends RemotingException {
        private static final long serialVersionUID = 1L;

        public BindFailed(String address, Throwable cause) {
            super(address, "cannot listen on " + address + ": " + reasonOf(cause), cause);
        }
    }

    /** No connection could be made. The request was not sent. */
    public static final class ConnectFailed extends RemotingException {
        private static final long serialVersionUID = 1L;

        public ConnectFailed(String address, String reason, @Nullable Throwable cause) {
            super(address, "cannot connect to " + address + ": " + reason, cause);
        }

        public ConnectFailed(String address, Throwable cause) {
            this(address, reasonOf(cause), cause);
        }
    }

    /** No answer came in time. The request may have been carried out. */
    public static final class CallTimeout extends RemotingException {
        private static final long serialVersionUID = 1L;

        public CallTimeout(String address, String request, Deadline deadline) {
            this(address, request, deadline, "");
        }

        CallTimeout(String address, String request, Deadline deadline, String detail) {
            super(
                    address,
                    request + " to " + address + " got no answer in " + deadline.elapsedMs() + " ms (limit "
                            + deadline.limitMs() + " ms)" + detail,
                    null);
        }
    }

    /** The connection ended before the answer came. The request may have been carried out. */
    public static final class ConnectionClosed extends RemotingException {
        private static final long serialVersionUID = 1L;

        public ConnectionClosed(String address, String request, long elapsedMs, String reason) {
            super(
                    address,
                    request + " to " + address + " lost its connection after " + elapsedMs + " ms: " + reason,
                    null);
        }
    }

    /** Too many calls, or too many bytes, already wait on the connection. The request was not sent. */
    public static final class TooManyCalls extends RemotingException {
        private static final long serialVersionUID = 1L;

        public TooManyCalls(String address, String request, String limit) {
            super(address, request + " to " + address + " was not sent: " + limit, null);
        }
    }

    /** The request does not fit a frame. It was not sent. */
    public static final class FrameTooLarge extends RemotingException {
        private static final long serialVersionUID = 1L;

        public FrameTooLarge(String address, String request, long sizeBytes, int limitBytes) {
            super(
                    address,
                    request + " to " + address + " was not sent: frame of " + sizeBytes + " bytes, limit " + limitBytes,
                    null);
        }
    }

    /** An answer with code 0 came whose header lacks a field. The request was carried out. */
    public static final class AnswerUnreadable extends RemotingException {
        private static final long serialVersionUID = 1L;

        public AnswerUnreadable(String address, String request, String reason) {
            super(address, "the answer of " + address + " to " + request + " cannot be read: " + reason, null);
        }
    }

    private static String reasonOf(Throwable cause) {
        String message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message;
    }
}
