/** Finding messages by key and by place. */
@NullMarked
package dev.perigee.broker.query;

import org.jspecify.annotations.NullMarked;
