package dev.perigee.store.epoch;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.fact.Fact.MembersChanged;
import dev.perigee.protocol.fact.FactCodec;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The file that keeps the table of epochs of a log up to a checkpoint, whom the log names as in sync there, and who it says belongs to
 * the group, so that a start need not look at what lies before. A cache: whatever is wrong with it makes it absent.
 *
 * <pre>
 * 0       8        16            24      28                                     28+20n
 * | magic | log id | covered to  | n     | n times: number 4, id 8, start 8     | fact end 8 | m 4 | in sync | k 4 | k facts | CRC-32C of all before 4 |
 * in sync: broker id 8, length 2, node id in UTF-8; fact end 0: nobody is named
 * fact: fact end 8, length 4, members of the group as in MEMBERS_CHANGED
 * </pre>
 *
 * <p>Replaced whole, so that there is always a whole one or none.
 *
 * @param logId the log it speaks of
 * @param coveredTo the epochs of all bytes below are in it (exclusive)
 * @param inSync whom the facts below name last
 * @param members what the facts below say of the group, oldest first
 */
@Immutable
public record EpochFile(
        long logId, long coveredTo, EpochTable epochs, Optional<ReplicaSet> inSync, List<MemberFact> members) {
    /** Its name, beside the log's folder. */
    public static final String FILE = "epochs";

    private static final long MAGIC = 0x5045_5249_4550_4f33L; // PERIEPO3
    private static final int ENTRIES_AT = 28;
    private static final int ENTRY_BYTES = 20;
    private static final int CRC_BYTES = 4;
    private static final int LEAST_BYTES = ENTRIES_AT + Long.BYTES + 2 * Integer.BYTES + CRC_BYTES;
    /** Of all replicas and members together; a master has 32 at most, a group as many, in 64 facts. */
    private static final int MAX_MEMBER_BYTES = 1 << 20;
    /** More are not read: a log with a new epoch every second would take half a year to have them. */
    private static final int MAX_EPOCHS = 1 << 24;

    public EpochFile {
        members = List.copyOf(members);
    }

    /** Replaces the file, durably. Blocks. */
    public void write(Disk disk) throws IOException {
        byte[] named = named();
        ByteBuffer bytes = ByteBuffer.allocate(
                ENTRIES_AT + epochs.epochs().size() * ENTRY_BYTES + Long.BYTES + named.length + CRC_BYTES);
        bytes.putLong(MAGIC).putLong(logId).putLong(coveredTo);
        bytes.putInt(epochs.epochs().size());
        for (Epoch epoch : epochs.epochs()) {
            bytes.putInt(epoch.number()).putLong(epoch.id()).putLong(epoch.startOffset());
        }
        bytes.putLong(inSync.map(ReplicaSet::factEnd).orElse(0L)).put(named);
        bytes.putInt(crc(bytes, bytes.position())).flip();
        disk.replace(FILE, bytes);
    }

    private byte[] named() throws IOException {
        List<InSyncMember> replicas = inSync.map(ReplicaSet::members).orElse(List.of());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(replicas.size());
        for (InSyncMember member : replicas) {
            byte[] node = member.nodeId().getBytes(StandardCharsets.UTF_8);
            out.writeLong(member.brokerId());
            out.writeShort(node.length);
            out.write(node);
        }
        out.writeInt(members.size());
        for (MemberFact fact : members) {
            byte[] body = FactCodec.body(fact.members());
            out.writeLong(fact.factEnd());
            out.writeInt(body.length);
            out.write(body);
        }
        return bytes.toByteArray();
    }

    /**
     * Reads the file. Blocks.
     *
     * @return empty when there is none, or it is damaged
     * @throws IOException when the disk cannot be read
     */
    public static Optional<EpochFile> read(Disk disk) throws IOException {
        if (!disk.exists(FILE)) {
            return Optional.empty();
        }
        try (DiskFile file = disk.openRead(FILE)) {
            long size = file.size();
            if (size < LEAST_BYTES || size > LEAST_BYTES + (long) MAX_EPOCHS * ENTRY_BYTES + MAX_MEMBER_BYTES) {
                return Optional.empty();
            }
            ByteBuffer bytes = ByteBuffer.allocate((int) size);
            file.read(bytes, 0);
            return parse(bytes.flip());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static Optional<EpochFile> parse(ByteBuffer bytes) {
        int crcAt = bytes.limit() - CRC_BYTES;
        if (bytes.getInt(crcAt) != crc(bytes, crcAt) || bytes.getLong() != MAGIC) {
            return Optional.empty();
        }
        long logId = bytes.getLong();
        long coveredTo = bytes.getLong();
        try {
            List<Epoch> epochs = new ArrayList<>();
            for (int left = bytes.getInt(); left > 0; left--) {
                epochs.add(new Epoch(bytes.getInt(), bytes.getLong(), bytes.getLong()));
            }
            Optional<ReplicaSet> inSync = set(bytes);
            List<MemberFact> members = memberFacts(bytes);
            return bytes.position() == crcAt
                    ? Optional.of(new EpochFile(logId, coveredTo, EpochTable.of(epochs), inSync, members))
                    : Optional.empty();
        } catch (IllegalArgumentException | BufferUnderflowException | BadBodyException e) {
            return Optional.empty(); // out of order, or not as long as it says: never written so
        }
    }

    private static Optional<ReplicaSet> set(ByteBuffer bytes) {
        long factEnd = bytes.getLong();
        List<InSyncMember> members = new ArrayList<>();
        for (int left = bytes.getInt(); left > 0; left--) {
            long brokerId = bytes.getLong();
            byte[] node = new byte[Short.toUnsignedInt(bytes.getShort())];
            bytes.get(node);
            members.add(new InSyncMember(brokerId, new String(node, StandardCharsets.UTF_8)));
        }
        return factEnd == 0 ? Optional.empty() : Optional.of(new ReplicaSet(members, factEnd));
    }

    private static List<MemberFact> memberFacts(ByteBuffer bytes) throws BadBodyException {
        List<MemberFact> facts = new ArrayList<>();
        for (int left = bytes.getInt(); left > 0; left--) {
            long factEnd = bytes.getLong();
            int length = bytes.getInt();
            if (length < 0 || length > bytes.remaining()) {
                throw new BufferUnderflowException();
            }
            byte[] body = new byte[length];
            bytes.get(body);
            facts.add(new MemberFact(Json.read(body, MembersChanged.class), factEnd));
        }
        return facts;
    }

    private static int crc(ByteBuffer bytes, int end) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().clear().limit(end));
        return (int) crc.getValue();
    }

    /** Removes the file: the next start makes the table anew from the log. Durable with the next sync of the folder. */
    public static void delete(Disk disk) throws IOException {
        disk.delete(FILE);
        disk.delete(FILE + Disk.DRAFT_SUFFIX);
    }
}
