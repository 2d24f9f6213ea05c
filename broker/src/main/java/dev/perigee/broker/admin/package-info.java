/** What tools ask a broker: progress, connections, configuration, figures; each handler class one subject. */
@NullMarked
package dev.perigee.broker.admin;

import org.jspecify.annotations.NullMarked;
