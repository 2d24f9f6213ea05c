package dev.perigee.it.member;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.harness.own.PerigeeProcess;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.topic.TopicConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A NameServer and a broker, each a process, and the members that a test starts; all of them end with it. */
final class MemberCluster implements AutoCloseable {
    private final Path folder;
    private final PerigeeProcess names;
    private final PerigeeProcess broker;
    private final AdminClient admin;
    private final List<Member> members = new ArrayList<>();

    private MemberCluster(Path folder, PerigeeProcess names, PerigeeProcess broker) throws ClientException {
        this.folder = folder;
        this.names = names;
        this.broker = broker;
        this.admin = AdminClient.builder()
                .nameServers(names.target().namesrv())
                .timeoutMs(60_000)
                .callTimeoutMs(MemberMain.PATIENT_MS)
                .build();
        admin.start();
    }

    static MemberCluster start(Path folder) throws IOException, ClientException {
        PerigeeProcess names = PerigeeProcess.namesrv(folder.resolve("names"));
        PerigeeProcess broker =
                PerigeeProcess.broker(folder.resolve("broker"), names.target().namesrv(), Map.of());
        return new MemberCluster(folder, names, broker);
    }

    String namesrv() {
        return names.target().namesrv();
    }

    PerigeeProcess broker() {
        return broker;
    }

    AdminClient admin() {
        return admin;
    }

    /** Where the members' folders are. */
    Path folder() {
        return folder;
    }

    List<MessageQueue> topic(String topic, int queues) throws ClientException {
        admin.topics()
                .createOrUpdate(
                        TopicConfig.of(topic, queues), List.of(broker.target().broker()));
        return admin.topics().queues(topic);
    }

    Member member(String name, MemberSettings settings) throws IOException {
        Member member = Member.start(folder, name, settings);
        members.add(member);
        return member;
    }

    /** Everybody who ever was a member. */
    List<Member> members() {
        return List.copyOf(members);
    }

    /** What all members say. */
    List<LockPromise.Witness> witnesses() {
        return members.stream().map(Member::witness).toList();
    }

    @Override
    public void close() {
        members.forEach(Member::close);
        admin.close();
        broker.close();
        names.close();
    }
}
