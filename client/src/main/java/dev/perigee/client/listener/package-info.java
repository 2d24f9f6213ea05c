/** What users write to consume messages, and the running of it: listeners, their results, threads and counters. */
@NullMarked
package dev.perigee.client.listener;

import org.jspecify.annotations.NullMarked;
