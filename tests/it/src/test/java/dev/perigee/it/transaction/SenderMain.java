package dev.perigee.it.transaction;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.transaction.TransactionListener;
import dev.perigee.client.transaction.TransactionProducer;
import dev.perigee.client.transaction.TransactionState;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A producer of transactions in a JVM of its own: sends numbered messages, one in three of which it says nothing about, until the
 * file {@value #STOP} is there; then it only answers checks, of all processes of its group, until it is killed.
 */
public final class SenderMain {
    static final String GROUP = "bookkeepers";
    static final String TOPIC = "bookings";
    static final String STOP = "stop";
    /** What every third message's transaction is; nobody says so unless asked. */
    private static final int SILENT_EVERY = 3;

    private static final int ROLLED_BACK_EVERY = 4;
    private static final long PACE_NS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long PATIENT_MS = 5_000;

    private SenderMain() {}

    /** Arguments: NameServers, the folder of the ledger, the folder of the stop file, the name of this sender. */
    public static void main(String[] args) throws Exception {
        Ledger ledger = new Ledger(Path.of(args[1]));
        Path stop = Path.of(args[2]).resolve(STOP);
        TransactionProducer producer = TransactionProducer.builder()
                .nameServers(args[0])
                .group(GROUP)
                .topics(TOPIC)
                .listener(new Bookings(ledger))
                .producer(settings -> settings.sendTimeoutMs(PATIENT_MS).callTimeoutMs(PATIENT_MS))
                .build();
        producer.start();
        for (int number = 0; !Files.exists(stop); number++) {
            send(producer, args[3] + "-" + number);
        }
        while (true) {
            LockSupport.park(); // checks are answered on other threads
        }
    }

    /** What fails is not sent again: the broker asks about it if it has it. */
    private static void send(TransactionProducer producer, String transaction) {
        long pauseNs = PACE_NS;
        try {
            producer.send(Message.of(TOPIC, transaction), transaction);
        } catch (ClientException e) {
            pauseNs = AGAIN_NS; // while the broker is down
        }
        LockSupport.parkNanos(pauseNs); // the pace of the load
    }

    static TransactionState wanted(String transaction) {
        return Math.floorMod(transaction.hashCode(), ROLLED_BACK_EVERY) == 0
                ? TransactionState.ROLLBACK
                : TransactionState.COMMIT;
    }

    /** Whether the one who does the transaction keeps to himself what became of it. */
    static boolean isSilent(String transaction) {
        return Math.floorMod(transaction.hashCode() / ROLLED_BACK_EVERY, SILENT_EVERY) == 0;
    }

    /** Books, and knows from the ledger what was booked. */
    private static final class Bookings implements TransactionListener {
        private final Ledger ledger;

        Bookings(Ledger ledger) {
            this.ledger = ledger;
        }

        @Override
        public TransactionState execute(Message message, String transactionId, @Nullable Object argument) {
            String transaction = String.valueOf(argument);
            TransactionState decided = ledger.decide(transaction, wanted(transaction));
            return isSilent(transaction) ? TransactionState.UNKNOWN : decided;
        }

        /** What nobody has booked when the broker asks is not booked any more. */
        @Override
        public TransactionState check(MessageExt half) {
            return ledger.decide(half.bodyText(), TransactionState.ROLLBACK);
        }
    }
}
