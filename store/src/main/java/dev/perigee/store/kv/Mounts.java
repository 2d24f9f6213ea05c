package dev.perigee.store.kv;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What Linux says of the file systems it has mounted. */
final class Mounts {
    private static final Path TABLE = Path.of("/proc/self/mounts");
    private static final int PLACE_AT = 1;
    private static final int OPTIONS_AT = 3;

    private Mounts() {}

    /** The mount of a folder, which may not be there yet, when it forbids programs; empty also where nobody can tell. */
    static Optional<Path> forbiddingPrograms(Path folder) throws IOException {
        if (!Files.isReadable(TABLE)) {
            return Optional.empty();
        }
        Path there = folder.toAbsolutePath().normalize();
        for (Path up = there; up != null; up = up.getParent()) {
            if (Files.exists(up)) {
                there = up.toRealPath();
                break;
            }
        }
        return forbiddingPrograms(there, Files.readAllLines(TABLE, StandardCharsets.ISO_8859_1));
    }

    static Optional<Path> forbiddingPrograms(Path folder, List<String> table) {
        Path best = null;
        boolean forbids = false;
        for (String line : table) {
            String[] parts = line.split(" ", -1);
            Path place = parts.length > OPTIONS_AT ? place(parts[PLACE_AT]) : null;
            if (place != null
                    && folder.startsWith(place)
                    && (best == null || place.getNameCount() >= best.getNameCount())) { // a later one hides an earlier
                best = place;
                forbids = List.of(parts[OPTIONS_AT].split(",", -1)).contains("noexec");
            }
        }
        return forbids ? Optional.ofNullable(best) : Optional.empty();
    }

    private static @Nullable Path place(String text) {
        String plain = text.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\");
        return plain.startsWith("/") ? Path.of(plain) : null;
    }
}
