package dev.perigee.cli;

import picocli.CommandLine.Option;

/** The options of commands that talk to servers. */
final class Reach {
    private static final String ADDRESSES = "-n";

    @Option(
            names = {ADDRESSES, "--namesrv"},
            paramLabel = "HOST:PORT[;…]",
            defaultValue = "${env:NAMESRV_ADDR:-127.0.0.1:9876}",
            description = "Name servers; default: NAMESRV_ADDR, else 127.0.0.1:9876.")
    private String nameServers = "";

    @Option(
            names = "--timeout",
            paramLabel = "MS",
            defaultValue = "5000",
            description = "How long one request may take, in milliseconds; default ${DEFAULT-VALUE}.")
    private int timeoutMs;

    Reach() {}

    String nameServers() {
        return nameServers;
    }

    int timeoutMs() {
        return timeoutMs;
    }
}
