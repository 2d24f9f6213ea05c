/** Where the queues of a topic are: asking NameServers, keeping routes fresh, and reading queues out of them. */
@NullMarked
package dev.perigee.client.route;

import org.jspecify.annotations.NullMarked;
