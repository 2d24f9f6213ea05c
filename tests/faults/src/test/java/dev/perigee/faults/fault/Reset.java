package dev.perigee.faults.fault;

import dev.perigee.faults.cluster.Node;
import dev.perigee.faults.machine.Cable;
import java.io.IOException;
import java.util.List;

/** One node and the others see their connections to each other end at once, and new ones refused; clients and NameServers reach all of them. */
record Reset(Node node, List<Node> others) implements Fault {
    @Override
    public void start() throws IOException {
        for (Node other : others) {
            other.cable().resetConnectionsOf(List.of(node.cable()));
        }
        node.cable().resetConnectionsOf(cablesOfOthers());
    }

    private List<Cable> cablesOfOthers() {
        return others.stream().map(Node::cable).toList();
    }

    @Override
    public void heal() throws IOException {
        node.cable().resetConnectionsOf(List.of());
        for (Node other : others) {
            other.cable().resetConnectionsOf(List.of());
        }
    }

    @Override
    public String toString() {
        return "Reset[node=" + node + "]";
    }
}
