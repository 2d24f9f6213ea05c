/** Which messages a subscription wants: by tags, or by an SQL92 expression over their properties. */
@NullMarked
package dev.perigee.broker.filter;

import org.jspecify.annotations.NullMarked;
