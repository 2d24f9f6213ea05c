/** A program on the stock Spring Boot starter, as an application would be written. */
package dev.perigee.stock.spring;
