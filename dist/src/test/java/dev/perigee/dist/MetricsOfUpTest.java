package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code perigee up} serves the figures of both its servers, and says where. */
class MetricsOfUpTest {
    private static final Pattern ADDRESS = Pattern.compile("http://127\\.0\\.0\\.1:\\d+/metrics");

    @TempDir
    private Path folder;

    private static String get(String address) throws Exception {
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(address)).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(200);
        return answer.body();
    }

    @Test
    void bothServersShowTheirFiguresWhereTheyAreSaidToBe() throws Exception {
        try (RunningUp up =
                new RunningUp(folder, "--set", "metricsExporterType=PROM", "--set", "metricsPromExporterPort=0")) {
            List<String> addresses = ADDRESS.matcher(up.printed())
                    .results()
                    .map(MatchResult::group)
                    .toList();
            assertThat(addresses).as(up.printed()).hasSize(2);
            assertThat(get(addresses.get(0))).contains("rocketmq_");
            assertThat(get(addresses.get(1))).contains("perigee_namesrv_");
        }
    }
}
