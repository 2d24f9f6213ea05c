/** Where a group goes on: positions at brokers or, for broadcasting consumers, in a file, and in which order they are committed. */
@NullMarked
package dev.perigee.client.position;

import org.jspecify.annotations.NullMarked;
