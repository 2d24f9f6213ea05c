package dev.perigee.cli.load;

/** Made-up bodies: readable, and always the same. */
public final class Filler {
    private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";

    private Filler() {}

    /** A new body of this size. */
    public static byte[] body(int sizeBytes) {
        byte[] body = new byte[sizeBytes];
        for (int i = 0; i < sizeBytes; i++) {
            body[i] = (byte) ALPHABET.charAt(i % ALPHABET.length());
        }
        return body;
    }
}
