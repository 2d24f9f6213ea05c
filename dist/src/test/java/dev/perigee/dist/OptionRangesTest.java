package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.cli.session.ExitCode;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A number that an option does not take is refused in one line, with option, value and range, before anything is done. */
class OptionRangesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "topic create t --queues | 0 | 1 to 16384",
                "topic create t -q | 16385 | 1 to 16384",
                "topic create t --perm | 8 | 0 to 7",
                "topic create t --perm | -1 | 0 to 7",
                "topic list --timeout | 0 | 1 to 3600000",
                "topic list --timeout | soon | 1 to 3600000",
                "topic list --timeout | 99999999999999999999 | 1 to 3600000",
                "group create g --retry-queues | 1025 | 0 to 1024",
                "group lag g --watch --max | -1 | 0 to 9223372036854775807",
                "group reset-offset g --topic t --offset 0 --queue | 16384 | 0 to 16383",
                "group reset-offset g --topic t --queue 0 --offset | -1 | 0 to 9223372036854775807",
                "dlq peek g --max | 65 | 1 to 64",
                "dlq replay g --offset | -1 | 0 to 9223372036854775807",
                "group create g --retries | -2 | -1 to 2147483647",
                "group create g --retries | 2147483648 | -1 to 2147483647",
                "send t x --count | 0 | 1 to 1000000000",
                "send t --size | 12582913 | 0 to 12582912",
                "consume t --max | -1 | 0 to 9223372036854775807",
                "message query t --key k --limit | 100001 | 1 to 100000",
                "message browse t --limit | -1 | 0 to 9223372036854775807",
                "message browse t --queue | 16384 | 0 to 16383",
                "message browse t --offset | -1 | 0 to 9223372036854775807",
                "message browse t --end-offset | -1 | 0 to 9223372036854775807",
                "message get --topic t --broker b --queue | -1 | 0 to 16383",
                "message get --topic t --broker b --offset | -1 | 0 to 9223372036854775807",
                "bench --count | 0 | 1 to 1000000000",
                "bench --size | -1 | 0 to 12582912",
                "bench --queues | 0 | 1 to 16384",
                "up --namesrv-port | 65536 | 0 to 65535",
                "up --broker-port | -1 | 0 to 65535",
                "namesrv --port | 65536 | 0 to 65535",
                "log dump folder --from | -1 | 0 to 9223372036854775807",
                "log dump folder --max | -1 | 0 to 9223372036854775807",
                "log cut folder --at | -1 | 0 to 9223372036854775807"
            })
    void aNumberOutOfRangeNamesOptionValueAndRange(String words, String value, String range) {
        String option = words.substring(words.lastIndexOf(' ') + 1);
        Run run = Run.of((words + "=" + value).split(" ", -1));

        assertThat(run.exitCode()).as(run.toString()).isEqualTo(ExitCode.USAGE);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines())
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .startsWith("perigee: ")
                        .contains(option.equals("-q") ? "--queues" : option)
                        .endsWith("'" + value + "' is not a whole number from " + range));
    }

    @ParameterizedTest
    @CsvSource({"somewhere", "host:0", "host:65536", "127.0.0.1:9876;x"})
    void anAddressThatIsNoneNamesOptionAndForm(String address) {
        for (String words : List.of("topic list", "cluster list", "send t x", "consume t")) {
            Run run = Run.of((words + " -n " + address).split(" ", -1));

            assertThat(run.exitCode()).as(run.toString()).isEqualTo(ExitCode.USAGE);
            assertThat(run.err().lines())
                    .singleElement()
                    .satisfies(line -> assertThat(line).contains("--namesrv", "'" + address + "' is not host:port"));
        }
    }
}
