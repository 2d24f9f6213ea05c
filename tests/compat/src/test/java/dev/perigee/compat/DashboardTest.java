package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.fastjson2.JSONObject;
import dev.perigee.harness.RemotingProbe;
import dev.perigee.harness.RemotingProbe.Answer;
import dev.perigee.harness.StockConsumer;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.StockProducer;
import dev.perigee.harness.Target;
import dev.perigee.harness.own.PerigeeProcess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every request the web console makes is answered in the shape it reads; the requests are in {@code dashboard.txt}. */
@Tag("full")
class DashboardTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{(\\w+)}");
    private static final int HEX = 16;
    private static final int OFFSET_DIGITS = 16;

    /** One request and what is to be answered. */
    private static final class Step {
        final String title;
        final boolean broker;
        final boolean again;
        final int request;
        final String fields;
        String body = "";
        int code;
        List<String> parts = List.of();
        String kept = "";
        String pattern = "";

        Step(String title, String line) {
            String[] words = line.split(" ", 3);
            this.title = title + ": " + words[1];
            this.broker = words[0].startsWith("b");
            this.again = words[0].endsWith("?");
            this.request = Integer.parseInt(words[1]);
            this.fields = words.length > 2 ? words[2] : "";
        }
    }

    private final Map<String, String> names = new HashMap<>();

    @Test
    void theConsoleGetsWhatItAsksFor(@TempDir Path folder) throws IOException {
        try (PerigeeProcess perigee = PerigeeProcess.up(folder.resolve("perigee"));
                StockDriver driver = StockDriver.impatient(
                        StockPeer.CLIENT5,
                        folder.resolve("driver"),
                        perigee.target().namesrv());
                StockProducer producer = driver.producer("dash-producer")) {
            await("the topic").atMost(PATIENCE).ignoreExceptions().until(() -> {
                producer.createTopic("dash-topic", 2);
                return producer.queues("dash-topic").size() == 2;
            });
            try (StockConsumer consumer = driver.consumer("dash-group", "dash-topic")) {
                producer.send("dash-topic", 4);
                consumer.await(4);
                know(perigee.target());
                for (Step step : steps()) {
                    take(step, perigee.target());
                }
            }
        }
    }

    private void know(Target target) {
        names.put("broker", target.brokerName());
        names.put("brokerAddress", target.broker());
        names.put("cluster", target.clusterName());
        names.put("now", Long.toString(System.currentTimeMillis()));
        names.put("properties", "KEYS\u0001dash-key\u0002UNIQ_KEY\u0001DASHUNIQUE\u0002WAIT\u0001true\u0002");
    }

    private void take(Step step, Target target) throws IOException {
        if (step.again) {
            await(step.title).atMost(PATIENCE).untilAsserted(() -> check(step, ask(step, target)));
        } else {
            check(step, ask(step, target));
        }
    }

    private Answer ask(Step step, Target target) throws IOException {
        JSONObject fields = new JSONObject();
        for (String field : step.fields.split(" ")) {
            int equals = field.indexOf('=');
            if (equals > 0) {
                fields.put(field.substring(0, equals), filled(field.substring(equals + 1)));
            }
        }
        return RemotingProbe.ask(step.broker ? target.broker() : target.namesrv(), step.request, fields, step.body);
    }

    private void check(Step step, Answer answer) {
        String text = answer.fields().toJSONString() + "\n" + answer.remark() + "\n" + answer.body();
        assertThat(answer.code()).as(step.title + "\n" + text).isEqualTo(step.code);
        for (String part : step.parts) {
            assertThat(text).as(step.title).contains(filled(part));
        }
        if (!step.kept.isEmpty()) {
            Matcher found = Pattern.compile(step.pattern).matcher(text);
            assertThat(found.find()).as(step.title + "\n" + text).isTrue();
            keep(step.kept, found.group(1));
        }
    }

    private void keep(String name, String value) {
        names.put(name, value);
        if (name.equals("id")) { // its last 16 digits are the place in the log
            String digits = value.substring(value.length() - OFFSET_DIGITS);
            names.put("physical", Long.toString(Long.parseLong(digits, HEX)));
        }
    }

    private String filled(String text) {
        return PLACEHOLDER
                .matcher(text)
                .replaceAll(name -> Matcher.quoteReplacement(Objects.requireNonNull(
                        names.get(name.group(1)), () -> "nothing is known as " + name.group(1))));
    }

    private static List<Step> steps() throws IOException {
        List<Step> steps = new ArrayList<>();
        String title = "";
        try (InputStream file = DashboardTest.class.getResourceAsStream("/dashboard.txt")) {
            String text =
                    new String(Objects.requireNonNull(file, "dashboard.txt").readAllBytes(), StandardCharsets.UTF_8);
            for (String line : text.lines().toList()) {
                if (line.startsWith("== ")) {
                    title = line.substring(3);
                } else if (line.startsWith("n") || line.startsWith("b")) {
                    steps.add(new Step(title, line));
                } else if (!line.isBlank() && !line.startsWith("#")) {
                    more(steps.get(steps.size() - 1), line.charAt(0), line.substring(2));
                }
            }
        }
        return steps;
    }

    private static void more(Step step, char kind, String rest) {
        switch (kind) {
            case '>' -> step.body = rest;
            case '=' -> step.code = Integer.parseInt(rest);
            case '<' -> step.parts = List.of(rest.split(" && "));
            case '$' -> {
                step.kept = rest.substring(0, rest.indexOf(" = "));
                step.pattern = rest.substring(rest.indexOf(" = ") + 3);
            }
            default -> throw new IllegalArgumentException("a line of dashboard.txt begins with " + kind);
        }
    }
}
