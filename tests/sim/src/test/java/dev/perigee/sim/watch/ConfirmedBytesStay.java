package dev.perigee.sim.watch;

import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.ledger.Verdict;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.LogReader;
import dev.perigee.store.view.LogEntry;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** What a log has confirmed never changes. All of it is read again whenever its broker has started, and at the end. */
final class ConfirmedBytesStay implements LogInvariant {
    private final Verdict verdict;
    private final Map<String, FrameSums> machines = new HashMap<>();

    ConfirmedBytesStay(Verdict verdict) {
        this.verdict = verdict;
    }

    private FrameSums of(BrokerMachine machine) {
        return machines.computeIfAbsent(machine.memory(), name -> new FrameSums());
    }

    @Override
    public void confirmed(BrokerMachine machine, LogEntry entry) {
        if (!of(machine).isSame(entry)) {
            verdict.broken(getClass(), machine.name() + " changed what it confirmed at " + entry.offset());
        }
    }

    /** Who does not confirm alone may have confirmed less when it starts: then it is the same once more later. */
    @Override
    public void started(BrokerMachine machine, CommitLog log) {
        readAgain(machine, log, machine.confirmsAlone());
    }

    @Override
    public void over(BrokerMachine machine, CommitLog log) {
        readAgain(machine, log, true);
    }

    private void readAgain(BrokerMachine machine, CommitLog log, boolean isAll) {
        FrameSums known = of(machine);
        int before = known.frames();
        LogEntry entry = new LogEntry();
        LogReader reader = new LogReader(log, log.startOffset());
        int found = 0;
        try {
            while (found < before && reader.next()) {
                found++;
                confirmed(machine, entry.wrap(reader.buffer(), reader.framePosition(), reader.frameOffset()));
            }
        } catch (IOException e) {
            verdict.broken(getClass(), machine.name() + " cannot read what it confirmed: " + e);
        }
        if ((isAll && found < before) || known.frames() > before) {
            verdict.broken(
                    getClass(), machine.name() + " had confirmed " + before + " frames, of which there are " + found);
        }
    }
}
