/** Topics: the view of their configuration, their creation by sends and tools, and their end. */
@NullMarked
package dev.perigee.broker.topic;

import org.jspecify.annotations.NullMarked;
