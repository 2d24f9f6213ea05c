/** What clients say about themselves and what brokers tell about clients. */
@NullMarked
package dev.perigee.protocol.client;

import org.jspecify.annotations.NullMarked;
