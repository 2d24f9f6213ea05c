package dev.perigee.faults.machine;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Talks to {@link EchoMain} from the host over one connection. For one thread. */
public final class EchoClient implements AutoCloseable {
    /** For what must come. */
    static final int PATIENCE_MS = 60_000;

    static final String SILENCE = "silence";

    static final String REFUSED = "refused";

    private final Socket socket = new Socket();
    private final BufferedReader answers;
    private final PrintStream lines;

    EchoClient(String address, int port) throws IOException {
        this(address, port, PATIENCE_MS);
    }

    private EchoClient(String address, int port, int patienceMs) throws IOException {
        socket.connect(new InetSocketAddress(address, port), patienceMs);
        answers = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        lines = new PrintStream(socket.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    /**
     * Says one line and prints what it hears, or {@code silence}, or {@code refused}. Arguments: address, port, the line, and how many milliseconds it waits for
     * a connection and for an answer.
     */
    public static void main(String[] args) throws IOException {
        int patienceMs = Integer.parseInt(args[3]);
        try (EchoClient client = new EchoClient(args[0], Integer.parseInt(args[1]), patienceMs)) {
            client.say(args[2]);
            System.out.println(client.hear(patienceMs).orElse(SILENCE));
        } catch (SocketTimeoutException notConnected) {
            System.out.println(SILENCE);
        } catch (ConnectException notTaken) {
            System.out.println(REFUSED);
        }
    }

    void say(String line) {
        lines.println(line);
    }

    /** The next answer without its time; empty when none comes within so long. */
    Optional<String> hear(int patienceMs) throws IOException {
        return next(patienceMs).map(answer -> answer.substring(0, answer.lastIndexOf(' ')));
    }

    /** What the clock of the other end shows. Blocks. */
    long timeMs() throws IOException {
        say("time");
        String answer = next(PATIENCE_MS).orElseThrow();
        return Long.parseLong(answer.substring(answer.lastIndexOf(' ') + 1));
    }

    private Optional<String> next(int patienceMs) throws IOException {
        socket.setSoTimeout(patienceMs);
        try {
            return Optional.ofNullable(answers.readLine());
        } catch (SocketTimeoutException silence) {
            return Optional.empty();
        }
    }

    /** Hangs up. */
    @Override
    public void close() throws IOException {
        socket.close();
    }
}
