package dev.perigee.dist;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Map;

/** What went wrong with a file, in words: the JDK's own texts are the bare path for the commonest faults. */
final class FileFault {
    private static final Map<Class<?>, String> WORDS = Map.of(
            AccessDeniedException.class,
            "no permission",
            NoSuchFileException.class,
            "there is no such file or folder",
            FileAlreadyExistsException.class,
            "a file stands where a folder is wanted",
            NotDirectoryException.class,
            "is no folder");

    private FileFault() {}

    /** One line that names the file where the failure does. */
    static String text(IOException failure) {
        String words = WORDS.get(failure.getClass());
        if (words != null && failure instanceof FileSystemException named) {
            return named.getFile() + ": " + words;
        }
        return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    }

    /** As above; a failure that names no file, such as a full disk, gets the folder it happened in. */
    static String text(IOException failure, String folder) {
        String text = text(failure);
        return text.contains("/") || text.contains("=") ? text : text + " (in " + folder + ")";
    }
}
