/** What a start waits for, and what it asks of the machine; knows nothing of the parts of a broker. */
@NullMarked
package dev.perigee.broker.start;

import org.jspecify.annotations.NullMarked;
