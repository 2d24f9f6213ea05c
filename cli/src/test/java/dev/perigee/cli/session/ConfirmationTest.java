package dev.perigee.cli.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ConfirmationTest {
    private final StringWriter asked = new StringWriter();

    private boolean isAgreed(String answer) throws CommandException {
        return Confirmation.isAgreed(
                "this deletes topic demo", new BufferedReader(new StringReader(answer)), new PrintWriter(asked, true));
    }

    @Test
    void onlyYesIsAgreement() throws Exception {
        assertThat(isAgreed("yes\n")).isTrue();
        assertThat(isAgreed(" Y \n")).isTrue();
        assertThat(isAgreed("\n")).isFalse();
        assertThat(isAgreed("no\n")).isFalse();
        assertThat(isAgreed("yesterday\n")).isFalse();
        assertThat(isAgreed("")).as("the input has ended").isFalse();
    }

    @Test
    void theQuestionSaysWhatWouldBeDone() throws Exception {
        assertThat(isAgreed("y\n")).isTrue();
        assertThat(asked.toString()).isEqualTo("perigee: this deletes topic demo. Do it? [y/N] ");
    }
}
