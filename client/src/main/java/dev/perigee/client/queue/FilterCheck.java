package dev.perigee.client.queue;

import dev.perigee.client.error.Completion;
import dev.perigee.client.error.RefusedException;
import dev.perigee.client.instance.BrokerCalls;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.route.TopicRoute;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.CheckClientConfig;
import dev.perigee.protocol.group.ExpressionType;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks a broker whether it understands a filter before anything is pulled with it (code 46). */
@ThreadSafe
public final class FilterCheck {
    private static final Logger LOG = LoggerFactory.getLogger(FilterCheck.class);

    private final ClientInstance instance;

    public FilterCheck(ClientInstance instance) {
        this.instance = instance;
    }

    /**
     * Completes when a broker of the topic takes the subscription, at once for tags. Fails with a {@link RefusedException}
     * that carries the broker's reason when it does not. Where no broker can be asked nothing is said against the filter: it
     * completes then too, and the broker refuses the pulls.
     */
    public CompletableFuture<Void> check(String group, SubscriptionData subscription) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        if (ExpressionType.isTag(subscription.expressionType())) {
            result.complete(null);
            return result;
        }
        byte[] body = Json.write(new CheckClientConfig(instance.settings().clientId(), group, null, subscription));
        Completion.on(instance.routes().get(subscription.topic()), (route, failure) -> {
            if (failure != null) {
                unasked(subscription, failure, result);
            } else {
                ask(masters(route), subscription, body, result);
            }
        });
        return result;
    }

    private static Iterator<String> masters(TopicRoute route) {
        return route.brokers().values().stream()
                .sorted(Comparator.comparing(BrokerData::brokerName))
                .map(BrokerData::masterAddress)
                .filter(Objects::nonNull)
                .iterator();
    }

    private void ask(
            Iterator<String> masters, SubscriptionData subscription, byte[] body, CompletableFuture<Void> result) {
        if (!masters.hasNext()) {
            result.complete(null);
            return;
        }
        var question = BrokerCalls.Question.of(
                        masters.next(), Rpcs.CHECK_CLIENT_CONFIG, NoHeader.NONE, subscription.topic())
                .withBody(body);
        Completion.on(instance.calls().demand(question), (answer, failure) -> {
            if (failure == null) {
                result.complete(null);
            } else if (failure instanceof RefusedException) {
                result.completeExceptionally(failure);
            } else if (masters.hasNext()) {
                ask(masters, subscription, body, result);
            } else {
                unasked(subscription, failure, result);
            }
        });
    }

    private static void unasked(SubscriptionData subscription, Throwable failure, CompletableFuture<Void> result) {
        LOG.warn(
                "event=filter_not_checked topic={} type={} reason=\"{}\"",
                subscription.topic(),
                subscription.expressionType(),
                failure.getMessage());
        result.complete(null);
    }
}
