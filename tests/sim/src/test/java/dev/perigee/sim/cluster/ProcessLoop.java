package dev.perigee.sim.cluster;

import dev.perigee.remoting.transport.LoopExecutor;
import java.util.ArrayList;
import java.util.List;

/** The event loop of the network as one process has it: it stands still while the process does, and ends with it. */
final class ProcessLoop implements LoopExecutor {
    private final LoopExecutor network;
    private final List<Runnable> held = new ArrayList<>();
    private boolean isGone;
    private boolean isFrozen;

    ProcessLoop(LoopExecutor network) {
        this.network = network;
    }

    private Runnable guarded(Runnable task) {
        return () -> {
            if (isFrozen) {
                held.add(guarded(task));
            } else if (!isGone) {
                task.run();
            }
        };
    }

    @Override
    public int index() {
        return network.index();
    }

    @Override
    public boolean inLoop() {
        return network.inLoop();
    }

    @Override
    public void execute(Runnable task) {
        network.execute(guarded(task));
    }

    @Override
    public Scheduled schedule(long delayMs, Runnable task) {
        return network.schedule(delayMs, guarded(task));
    }

    @Override
    public Scheduled every(long periodMs, Runnable task) {
        return network.every(periodMs, guarded(task));
    }

    void end() {
        isGone = true;
        isFrozen = false;
        held.clear();
    }

    void freeze() {
        isFrozen = true;
    }

    void thaw() {
        isFrozen = false;
        List<Runnable> late = List.copyOf(held);
        held.clear();
        late.forEach(network::execute);
    }
}
