package dev.perigee.stock;

import org.apache.rocketmq.client.consumer.MessageSelector;

/** What the script wants to read: {@code topic}, {@code expr}, and {@code type} TAG or SQL92. */
final class Subscription {
    private Subscription() {}

    static MessageSelector selector(Request request) {
        String expression = request.text("expr", "*");
        return isSql(request) ? MessageSelector.bySql(expression) : MessageSelector.byTag(expression);
    }

    static boolean isSql(Request request) {
        return request.text("type", "TAG").startsWith("SQL");
    }
}
