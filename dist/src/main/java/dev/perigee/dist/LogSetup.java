package dev.perigee.dist;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.filter.ThresholdFilter;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.spi.FilterReply;
import ch.qos.logback.core.util.FileSize;
import java.nio.file.Path;
import org.slf4j.LoggerFactory;

/**
 * Where log lines go. Commands write warnings to standard error. Servers write to a file as well: at most {@value
 * #OLD_FILES} old files of {@value #FILE_BYTES} bytes. Lines pass through a bounded queue, so that a slow disk never holds
 * an event loop; when the queue is full, lines are lost. Stack traces stand in the file only. Logback asks for the set-up of
 * commands when the first logger is made; a server sets up anew when it knows its folder. The system property {@code
 * logback.configurationFile} replaces all this.
 */
public final class LogSetup extends ContextAwareBase implements Configurator {
    static final int OLD_FILES = 9;
    static final long FILE_BYTES = 16L << 20;
    private static final int QUEUE_LINES = 4_096;
    private static final String REPLACED_BY = "logback.configurationFile";
    private static final String FILE_PATTERN = "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level [%thread] %logger{0} %msg%n";
    private static final String CONSOLE_PATTERN = "%d{HH:mm:ss.SSS} %-5level %logger{0} %msg%n%nopex";

    /** Called by logback, once. */
    public LogSetup() {}

    /** Keeps from the console what the command that starts a server says there in words. */
    private static final class SaidElsewhere extends Filter<ILoggingEvent> {
        private static final String IGNORED_SETTING = "event=setting_ignored ";

        @Override
        public FilterReply decide(ILoggingEvent event) {
            return event.getMessage().startsWith(IGNORED_SETTING) ? FilterReply.DENY : FilterReply.NEUTRAL;
        }
    }

    /** This process is a server whose log files lie in that folder; what was logged before went where it was set up then. */
    static void server(Path folder, Level console) {
        if (System.getProperty(REPLACED_BY) == null
                && LoggerFactory.getILoggerFactory() instanceof LoggerContext logback) {
            logback.reset();
            logback.start(); // a server of this process may have stopped it before
            Logger root = root(logback);
            root.setLevel(Level.INFO);
            ConsoleAppender<ILoggingEvent> onConsole = console(logback, console);
            onConsole.addFilter(new SaidElsewhere());
            root.addAppender(queued(logback, "queued-console", onConsole));
            root.addAppender(queued(logback, "queued-file", file(logback, folder)));
        }
    }

    /** The file that a server writes to. */
    static Path logFile(Path folder) {
        return folder.resolve("perigee.log");
    }

    /** Writes out what is still queued; nothing is logged after it. */
    static void flush() {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext logback) {
            logback.stop();
        }
    }

    @Override
    public ExecutionStatus configure(LoggerContext logback) {
        if (System.getProperty(REPLACED_BY) != null) {
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }
        Logger root = root(logback);
        root.setLevel(Level.WARN);
        root.addAppender(console(logback, Level.WARN));
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    private static Logger root(LoggerContext logback) {
        return logback.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    }

    private static ConsoleAppender<ILoggingEvent> console(LoggerContext logback, Level level) {
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(logback);
        appender.setName("console");
        appender.setTarget("System.err");
        appender.setEncoder(encoder(logback, CONSOLE_PATTERN));
        ThresholdFilter threshold = new ThresholdFilter();
        threshold.setLevel(level.toString());
        threshold.start();
        appender.addFilter(threshold);
        appender.start();
        return appender;
    }

    private static Appender<ILoggingEvent> file(LoggerContext logback, Path folder) {
        RollingFileAppender<ILoggingEvent> appender = new RollingFileAppender<>();
        appender.setContext(logback);
        appender.setName("file");
        appender.setFile(logFile(folder).toString());
        appender.setEncoder(encoder(logback, FILE_PATTERN));
        FixedWindowRollingPolicy window = new FixedWindowRollingPolicy();
        window.setContext(logback);
        window.setParent(appender);
        window.setFileNamePattern(folder.resolve("perigee.%i.log").toString());
        window.setMinIndex(1);
        window.setMaxIndex(OLD_FILES);
        window.start();
        SizeBasedTriggeringPolicy<ILoggingEvent> size = new SizeBasedTriggeringPolicy<>();
        size.setContext(logback);
        size.setMaxFileSize(new FileSize(FILE_BYTES));
        size.start();
        appender.setRollingPolicy(window);
        appender.setTriggeringPolicy(size);
        appender.start();
        return appender;
    }

    private static Appender<ILoggingEvent> queued(LoggerContext logback, String name, Appender<ILoggingEvent> behind) {
        AsyncAppender appender = new AsyncAppender();
        appender.setContext(logback);
        appender.setName(name);
        appender.setQueueSize(QUEUE_LINES);
        appender.setNeverBlock(true);
        appender.addAppender(behind);
        appender.start();
        return appender;
    }

    private static PatternLayoutEncoder encoder(LoggerContext logback, String pattern) {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(logback);
        encoder.setPattern(pattern);
        encoder.start();
        return encoder;
    }
}
