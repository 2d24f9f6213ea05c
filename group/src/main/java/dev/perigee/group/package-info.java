/**
 * A group of brokers that elects its master: carries the Raft node of module {@code raft} out over the log, the disk and the network. The
 * log itself goes by the stream of module {@code replica}.
 */
@NullMarked
package dev.perigee.group;

import org.jspecify.annotations.NullMarked;
