/** Message trace: what a client notes about its messages in the trace topic, where tools of either kind find it. */
@NullMarked
package dev.perigee.client.trace;

import org.jspecify.annotations.NullMarked;
