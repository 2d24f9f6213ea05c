/** Requests as types: codes, header codecs and the table of all calls. */
@NullMarked
package dev.perigee.protocol.rpc;

import org.jspecify.annotations.NullMarked;
