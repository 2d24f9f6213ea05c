package dev.perigee.namesrv.kv;

import java.io.IOException;

/** The file of the KV configuration could not be read or written. The text names the file and the cause. */
public final class KvFileException extends IOException {
    private static final long serialVersionUID = 1L;

    KvFileException(WholeFile file, String what, Throwable cause) {
        super("KV configuration " + file + " " + what + ": " + cause, cause);
    }
}
