/** What every member of a consumer group, push or pull, owes its brokers. */
@NullMarked
package dev.perigee.client.member;

import org.jspecify.annotations.NullMarked;
