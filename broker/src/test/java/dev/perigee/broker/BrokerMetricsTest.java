package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrokerMetricsTest {
    @Test
    void metricsAreServedUnderTheNamesDashboardsUse(@TempDir Path folder) throws Exception {
        try (TestBroker broker =
                new TestBroker(folder, Map.of("metricsExporterType", "PROM", "metricsPromExporterPort", "0"))) {
            broker.send("T", 0, "m");
            broker.pull("g", "T", 0, 0);
            int port = broker.broker.metricsPort().orElseThrow();
            HttpResponse<String> answer = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body())
                    .contains("rocketmq_messages_in_total{", "topic=\"T\"", "rocketmq_messages_out_total{")
                    .contains("consumer_group=\"g\"", "rocketmq_throughput_in_total{", "rocketmq_topic_number{")
                    .contains("rocketmq_storage_flush_behind_bytes{", "node_id=\"broker-a\"", "jvm_");
        }
    }

    @Test
    void nothingIsServedUnlessSwitchedOn(@TempDir Path folder) throws Exception {
        try (TestBroker broker = new TestBroker(folder, Map.of())) {
            assertThat(broker.broker.metricsPort()).isEmpty();
        }
    }
}
