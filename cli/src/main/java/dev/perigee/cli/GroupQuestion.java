package dev.perigee.cli;

import dev.perigee.cli.session.CommandException;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.stats.RaftStatus;
import dev.perigee.protocol.stats.RaftStatus.RaftMember;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Asks the members of a group of brokers what they are. */
final class GroupQuestion {
    private final AdminClient admin;
    private final String broker;

    /** @param broker the name of the broker, or the address of one of its members */
    GroupQuestion(AdminClient admin, String broker) {
        this.admin = admin;
        this.broker = broker;
    }

    /** What a member says, and the address of it, for clients, at which it was asked. */
    record Told(String address, RaftStatus status) {}

    /**
     * What came of asking those that clients reach.
     *
     * @param inNoGroup whether one of them answered that it does not know the question
     */
    private record Asked(List<Told> told, boolean inNoGroup) {}

    /**
     * All that answer: those that the NameServer shows, or the one at the address; then, where the members listen for each other, the others
     * that the newest of them names. For a leader that has handed over, or lost its place, is not shown until its name is the next one's.
     */
    GroupPicture picture() throws ClientException, CommandException {
        Asked asked = ask();
        List<RaftStatus> statuses =
                new ArrayList<>(asked.told().stream().map(Told::status).toList());
        Set<String> known = statuses.stream().map(RaftStatus::self).collect(Collectors.toCollection(TreeSet::new));
        for (Optional<RaftMember> next = unknown(statuses, known); next.isPresent(); next = unknown(statuses, known)) {
            known.add(next.get().id());
            askAmongMembers(next.get(), statuses);
        }
        return GroupPicture.of(statuses, whyNone(asked));
    }

    /** Whoever answers may name others: who was removed knows none that came later. */
    private static Optional<RaftMember> unknown(List<RaftStatus> statuses, Set<String> known) {
        return GroupPicture.membersOf(statuses).stream()
                .filter(member -> !known.contains(member.id()))
                .findFirst();
    }

    /** Somebody else may be there by now. */
    private void askAmongMembers(RaftMember member, List<RaftStatus> heard) {
        try {
            RaftStatus status = admin.brokers().raftStatus(member.address());
            String group = heard.get(0).group();
            if (status.self().equals(member.id()) && status.group().equals(group)) {
                heard.add(status);
            }
        } catch (ClientException e) {
            // it is shown as one that does not answer
        }
    }

    /** The one in the highest term of those that clients reach; it hands orders on to the leader. Who was removed stays in an earlier one. */
    Told newest() throws ClientException, CommandException {
        Asked asked = ask();
        return asked.told().stream()
                .max(Comparator.comparingInt(told -> told.status().term()))
                .orElseThrow(() -> CommandException.notFound(whyNone(asked)));
    }

    private Asked ask() throws ClientException, CommandException {
        List<Told> told = new ArrayList<>();
        boolean inNoGroup = false;
        boolean isAddress = broker.indexOf(':') >= 0;
        for (String address : isAddress ? List.of(broker) : addresses()) {
            try {
                told.add(new Told(address, admin.brokers().raftStatus(address)));
            } catch (ClientException e) {
                boolean isUnknown =
                        e instanceof RefusedException why && why.code() == ResponseCode.REQUEST_CODE_NOT_SUPPORTED;
                if (isAddress && !isUnknown) {
                    throw e;
                }
                inNoGroup |= isUnknown;
            }
        }
        return new Asked(told, inNoGroup);
    }

    private List<String> addresses() throws ClientException, CommandException {
        BrokerData known = admin.brokers().cluster().brokerAddrTable().get(broker);
        if (known == null || known.brokerAddrs().isEmpty()) {
            throw ClusterCommand.notRegistered(broker);
        }
        return List.copyOf(new TreeMap<>(known.brokerAddrs()).values());
    }

    /** What there is to say where no member answers. */
    private String whyNone(Asked asked) {
        return asked.inNoGroup()
                ? broker + " is in no group of brokers that elects its master: it is alone, or a master with its slaves"
                : "no member of " + broker + " answers";
    }
}
