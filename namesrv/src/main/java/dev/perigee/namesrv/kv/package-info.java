/** The KV configuration: small texts by namespace and key, kept in a file. */
@NullMarked
package dev.perigee.namesrv.kv;

import org.jspecify.annotations.NullMarked;
