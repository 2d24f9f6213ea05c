/** An application as users of the Spring Boot starter write it; what it saw it says on stdout. */
package dev.perigee.stock.spring;
