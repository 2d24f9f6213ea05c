/** Looking up stored messages at all brokers of a topic: by key, and queue by queue. */
@NullMarked
package dev.perigee.client.query;

import org.jspecify.annotations.NullMarked;
