/** What clients note about their messages in the trace topic, and its text (broker-client §13). */
@NullMarked
package dev.perigee.protocol.trace;

import org.jspecify.annotations.NullMarked;
