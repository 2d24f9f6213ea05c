package dev.perigee.dist;

import dev.perigee.cli.option.WholeNumber;
import dev.perigee.cli.output.Printer;
import dev.perigee.cli.output.Progress;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.Display;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.store.StoreConfig;
import dev.perigee.store.disk.FileDisk;
import dev.perigee.store.log.LogFiles;
import dev.perigee.store.log.LogScanner;
import dev.perigee.store.recovery.LogCut;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tools for commit logs, Perigee's or a stock broker's. */
@Command(
        name = "log",
        description = "Print, verify or cut a commit log on this machine; Perigee's or a stock broker's.",
        synopsisSubcommandLabel = "COMMAND")
final class LogCommand {
    LogCommand() {}

    @Command(name = "dump", description = "Print the frames of a log, one a line. Changes nothing.")
    int dump(
            @Parameters(paramLabel = "FOLDER", description = "The log's folder, or the one that holds commitlog.")
                    Path folder,
            @Option(
                            names = "--from",
                            paramLabel = "OFFSET",
                            converter = WholeNumber.Offset.class,
                            description = "Begin at this log offset, the start of a frame; default: the log's start.")
                    @Nullable
                    Long from,
            @Option(
                            names = "--max",
                            paramLabel = "N",
                            converter = WholeNumber.Limit.class,
                            defaultValue = "0",
                            description = "At most N frames; default 0: all.")
                    long max,
            @Option(names = "--facts", description = "Only facts.") boolean onlyFacts,
            @Mixin Display display)
            throws IOException, CommandException {
        Printer printer = display.printer();
        try (LogFiles files = open(folder)) {
            LogScanner scanner = files.scan(from == null ? files.startOffset() : from);
            FrameText text = new FrameText();
            long printed = 0;
            while ((max <= 0 || printed < max) && scanner.next()) {
                text.moveTo(scanner);
                if (onlyFacts && !text.isFact()) {
                    continue;
                }
                if (printer.isJson()) {
                    printer.json(text.whole());
                } else {
                    printer.line(text.line());
                }
                printed++;
            }
        }
        return ExitCode.OK;
    }

    @Command(
            name = "verify",
            description = "Check every frame of a log; exit code 1 when one is damaged. Changes nothing.")
    int verify(
            @Parameters(paramLabel = "FOLDER", description = "The log's folder, or the one that holds commitlog.")
                    Path folder,
            @Mixin Display display)
            throws IOException, CommandException {
        Printer printer = display.printer();
        LogTotals totals;
        try (LogFiles files = open(folder)) {
            totals = walk(files, display);
        }
        totals.print(printer);
        return totals.damagedRanges() == 0 ? ExitCode.OK : ExitCode.FAILED;
    }

    private static LogFiles open(Path folder) throws CommandException {
        if (!Files.isDirectory(folder)) {
            throw new CommandException(
                    ExitCode.FAILED, Files.exists(folder) ? folder + " is no folder" : "there is no folder " + folder);
        }
        try {
            return LogFiles.open(folder);
        } catch (IOException e) {
            throw new CommandException(ExitCode.FAILED, FileFault.text(e), e);
        }
    }

    private static LogTotals walk(LogFiles files, Display display) throws IOException {
        long roomBytes = files.roomEnd() - files.startOffset();
        try (Progress progress = display.progress("verify", roomBytes)) {
            LogTotals totals = new LogTotals(files.startOffset());
            LogScanner scanner = files.scan(files.startOffset());
            while (scanner.next()) {
                totals.add(scanner);
                progress.add(scanner.sizeBytes());
            }
            progress.add(roomBytes - progress.done()); // behind what was written the last file is empty
            return totals;
        }
    }

    @Command(
            name = "cut",
            description = "Cut a log that a stopped broker refuses to open: everything from the offset on is lost.")
    int cut(
            @Parameters(paramLabel = "FOLDER", description = "The broker's folder, which holds commitlog.") Path folder,
            @Option(
                            names = "--at",
                            converter = WholeNumber.Offset.class,
                            paramLabel = "OFFSET",
                            required = true,
                            description = "The first byte that goes.")
                    long offset,
            @Option(names = "--accept-loss", description = "Do it; without it nothing is changed.") boolean acceptLoss,
            @Mixin Display display)
            throws IOException, CommandException {
        open(folder).close(); // there must be a log
        if (!acceptLoss) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "this drops everything from offset " + offset + " on in " + folder
                            + "; say --accept-loss to do it");
        }
        LogCut cut =
                LogCut.run(new FileDisk(folder), offset, StoreConfig.defaults().segmentSizeBytes());
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("cutAt", cut.offset());
        members.put("lostBytes", cut.lostBytes());
        display.printer().members(members);
        return ExitCode.OK;
    }
}
