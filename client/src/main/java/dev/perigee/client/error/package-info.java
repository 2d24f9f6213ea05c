/** What can go wrong at the client's edge, as typed checked exceptions. Depends on nothing else of the client. */
@NullMarked
package dev.perigee.client.error;

import org.jspecify.annotations.NullMarked;
