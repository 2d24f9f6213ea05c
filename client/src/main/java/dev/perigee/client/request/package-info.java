/** Requests that wait for a reply: who asks, what it asks with, and the replies brokers push back. */
@NullMarked
package dev.perigee.client.request;

import org.jspecify.annotations.NullMarked;
