/** Administration: topics, groups, brokers, messages and NameServers, typed. */
@NullMarked
package dev.perigee.client.admin;

import org.jspecify.annotations.NullMarked;
