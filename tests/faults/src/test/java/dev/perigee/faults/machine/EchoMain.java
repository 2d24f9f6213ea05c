package dev.perigee.faults.machine;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A program at the node's end of a cable: answers each line with the line and its wall clock. Arguments: address and port. */
public final class EchoMain {
    private EchoMain() {}

    /** Runs until it is killed. */
    public static void main(String[] args) throws IOException {
        try (ServerSocket server = new ServerSocket()) {
            server.bind(new InetSocketAddress(args[0], Integer.parseInt(args[1])));
            System.out.println("listening");
            while (true) {
                Socket socket = server.accept();
                Thread thread = new Thread(() -> answer(socket), "answer");
                thread.setDaemon(true);
                thread.start();
            }
        }
    }

    private static void answer(Socket socket) {
        try (socket;
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
                PrintStream out = new PrintStream(socket.getOutputStream(), true, StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                out.println(line + " " + System.currentTimeMillis());
            }
        } catch (IOException gone) {
            System.err.println("echo: " + gone);
        }
    }
}
