package dev.perigee.stock;

import com.alibaba.fastjson.JSONObject;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Runs a stock client on orders from stdin: one JSON object per line with {@code id} and {@code cmd}, answered by one JSON line each on
 * stdout. Lines without {@code id} are events. Each command has a thread of its own, so a slow poll does not hold up the next order; a
 * caller that needs order waits for the answer. The end of stdin is the death of the parent and ends this process at once.
 */
public final class Driver {
    private final Map<String, Command> commands = new HashMap<>();
    private final ExecutorService workers = Executors.newCachedThreadPool();
    private final Output output;

    private Driver(Output output) {
        this.output = output;
        Producers producers = new Producers();
        new ProducerCommands(producers, output).addTo(commands);
        commands.put("send", new SendCommand(producers)::send);
        commands.put("request", new RequestCommand(producers)::ask);
        commands.put("load", new LoadCommand(producers)::run);
        new PushCommands(producers, output).addTo(commands);
        new LitePullCommands().addTo(commands);
        new PullCommands().addTo(commands);
        new HistoryCommands(producers).addTo(commands);
        commands.put("versions", request -> Versions.running());
    }

    /** Reads commands until stdin ends. */
    public static void main(String[] args) throws IOException {
        // Some stock classes print to System.out; the protocol has the real one to itself.
        PrintStream real = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        System.setOut(System.err);
        Output output = new Output(real);
        Driver driver = new Driver(output);
        output.event("ready", new JSONObject());
        driver.readAll();
        Runtime.getRuntime().halt(0);
    }

    private void readAll() throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (!line.isBlank()) {
                Request request = Request.parse(line);
                workers.execute(() -> answer(request));
            }
        }
    }

    private void answer(Request request) {
        Command command = commands.get(request.command());
        try {
            if (command == null) {
                throw new IllegalArgumentException("no such command: " + request.command());
            }
            output.answer(request.id(), command.run(request));
        } catch (Throwable failure) {
            output.failure(request.id(), Shapes.failure(failure));
        }
    }

    /** One order of the script. */
    interface Command {
        JSONObject run(Request request) throws Exception;
    }
}
