/** Topics: their configuration, permissions and names. */
@NullMarked
package dev.perigee.protocol.topic;

import org.jspecify.annotations.NullMarked;
