package dev.perigee.faults.machine;

import java.io.IOException;
import java.util.Optional;

/** Where nodes live, each behind a cable that can be hurt. NameServers and clients live at the host, whose way to a node is its cable. */
public interface Network extends AutoCloseable {
    /** Namespaces joined by a bridge where this machine allows them, otherwise loopback addresses with a proxy in front of each. */
    static Network open(RigName rig) throws IOException {
        String wanted = System.getProperty("faults.network", "");
        Optional<String> whyNot = wanted.equals("proxy") ? Optional.of("faults.network=proxy") : Namespaces.whyNot();
        return whyNot.isEmpty() ? Namespaces.open(rig) : loopback(whyNot.get());
    }

    /** Loopback addresses with a proxy in front of each, for whatever reason is given in the report. */
    static Network loopback(String reason) {
        return new Loopback(reason);
    }

    /** What it is, in a phrase for the report. */
    String description();

    /** The address of NameServers and clients. */
    String hostAddress();

    /** Lays the cable of one more node, for a process that will listen on these ports. */
    Cable attach(int... ports) throws IOException;

    /** Takes everything away. */
    @Override
    void close();
}
