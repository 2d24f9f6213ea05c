package dev.perigee.bench.runner.server;

import dev.perigee.harness.FreePorts;
import dev.perigee.harness.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A group of Perigee's, each broker in its own JVM with the launcher's options. */
final class PerigeeGroup {
    private PerigeeGroup() {}

    /** Returns when it acknowledges. */
    static Group start(Path directory, String flush, Links links) throws IOException {
        int namesrvPort = FreePorts.one();
        String bootstrap = links.host() + ":" + namesrvPort;
        JavaProcess namesrv = PerigeeServer.startNamesrv(Files.createDirectories(directory), namesrvPort);
        List<Member> members = new ArrayList<>();
        String peers = Peers.text(links);
        for (int i = 0; i < Group.SIZE; i++) {
            int port = FreePorts.forBroker();
            Map<String, String> settings = new HashMap<>(Peers.settings(peers, i));
            settings.put("brokerName", "perigee-a");
            settings.put("namesrvAddr", bootstrap);
            settings.put("brokerIP1", links.get(i).address());
            settings.put("listenPort", Integer.toString(port));
            settings.put("flushDiskType", flush);
            settings.put(
                    "storePathRootDir",
                    directory.resolve("n" + i).resolve("store").toString());
            Path folder = directory.resolve("n" + i);
            Path conf = Member.configuration(folder, settings);
            members.add(Member.start(
                    port,
                    links.get(i),
                    () -> PerigeeServer.java("broker", folder).arguments("broker", "-c", conf.toString())));
        }
        return new Group(bootstrap, namesrv, List.copyOf(members), links).whenItServes();
    }
}
