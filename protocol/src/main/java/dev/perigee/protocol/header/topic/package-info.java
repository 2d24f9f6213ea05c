/** Custom headers of topic administration. */
@NullMarked
package dev.perigee.protocol.header.topic;

import org.jspecify.annotations.NullMarked;
