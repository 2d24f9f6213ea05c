package dev.perigee.bench.runner.server;

import dev.perigee.harness.FreePorts;
import dev.perigee.harness.JavaCommand;
import dev.perigee.harness.JavaProcess;
import dev.perigee.harness.StockPeer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A stock DLedger group. Whatever its {@code flushDiskType}, DLedger forces its log on a timer and acknowledges without waiting for that. */
final class StockGroup {
    private StockGroup() {}

    /** Returns when it acknowledges; {@code more} are settings of every broker. */
    static Group start(Path directory, Map<String, String> more, Links links) throws IOException {
        int namesrvPort = FreePorts.one();
        String bootstrap = links.host() + ":" + namesrvPort;
        JavaProcess namesrv = startNamesrv(directory.resolve("ns"), namesrvPort);
        List<Member> members = new ArrayList<>();
        String peers = Peers.text(links);
        for (int i = 0; i < Group.SIZE; i++) {
            int port = FreePorts.forBroker();
            Path folder = directory.resolve("n" + i);
            Path store = folder.resolve("store");
            Map<String, String> settings = new HashMap<>(Peers.settings(peers, i));
            settings.putAll(more);
            settings.put("rocketmqHome", folder.toString());
            settings.put("brokerName", "stock-a");
            settings.put("namesrvAddr", bootstrap);
            settings.put("brokerIP1", links.get(i).address());
            settings.put("listenPort", Integer.toString(port));
            settings.put("storePathRootDir", store.toString());
            settings.put("storePathCommitLog", store.resolve("commitlog").toString());
            settings.put("diskMaxUsedSpaceRatio", "99");
            Path conf = Member.configuration(folder, settings);
            members.add(Member.start(
                    port,
                    links.get(i),
                    () -> java("broker", "broker.BrokerStartup", folder)
                            .options("-Xms256m", "-Xmx2g", "-XX:MaxDirectMemorySize=512m")
                            .arguments("-c", conf.toString())));
        }
        return new Group(bootstrap, namesrv, List.copyOf(members), links).whenItServes();
    }

    private static JavaProcess startNamesrv(Path home, int port) throws IOException {
        Path conf = Files.writeString(
                Files.createDirectories(home).resolve("namesrv.conf"),
                "listenPort=" + port + "\nrocketmqHome=" + home + "\nkvConfigPath=" + home.resolve("kv.json")
                        + "\nconfigStorePath=" + home.resolve("namesrv.properties") + "\n");
        JavaProcess namesrv = java("namesrv", "namesrv.NamesrvStartup", home)
                .options("-Xms64m", "-Xmx128m", "-XX:+UseSerialGC")
                .arguments("-c", conf.toString())
                .start();
        Ports.await(port, namesrv);
        return namesrv;
    }

    private static JavaCommand java(String name, String mainClass, Path home) {
        return new JavaCommand(name, "org.apache.rocketmq." + mainClass, StockPeer.SERVER5.classPath(), home)
                .options("-Drocketmq.home.dir=" + home);
    }
}
