package dev.perigee.broker.group;

import dev.perigee.broker.check.Appends;
import dev.perigee.broker.check.Bodies;
import dev.perigee.broker.check.Page;
import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.config.LiveConfig;
import dev.perigee.broker.view.GroupView;
import dev.perigee.broker.view.Groups;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.group.SubscriptionGroupList;
import dev.perigee.protocol.group.SubscriptionGroupTable;
import dev.perigee.protocol.header.group.AllGroupConfigHeader;
import dev.perigee.protocol.header.group.AllGroupConfigResponse;
import dev.perigee.protocol.header.group.DeleteGroupHeader;
import dev.perigee.protocol.header.group.GroupHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.store.append.AppendResult;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Answers the group requests of tools: 200, 201, 207, 225 and 352. A change is answered when everyone can see it. */
@ThreadSafe
public final class GroupHandlers {
    private final GroupView groups;
    private final GroupCreation creation;
    private final LiveConfig config;
    private final Consumer<String> offsetsGone;

    /** @param offsetsGone told on the view loop of a group whose offsets are deleted */
    public GroupHandlers(GroupView groups, GroupCreation creation, LiveConfig config, Consumer<String> offsetsGone) {
        this.groups = groups;
        this.creation = creation;
        this.config = config;
        this.offsetsGone = offsetsGone;
    }

    /** 200: creates or changes one group. */
    public void update(Request<NoHeader> request, Reply<NoHeader> reply) {
        SubscriptionGroupConfig wanted = Bodies.read(request, reply, SubscriptionGroupConfig.class);
        if (wanted != null) {
            putAll(List.of(wanted), reply);
        }
    }

    /** 225: creates or changes several groups; refused whole when one is not in order. */
    public void updateAll(Request<NoHeader> request, Reply<NoHeader> reply) {
        SubscriptionGroupList list = Bodies.read(request, reply, SubscriptionGroupList.class);
        if (list != null && list.groupConfigList().isEmpty()) {
            reply.fail(ResponseCode.SYSTEM_ERROR, "the body has no groupConfigList, or an empty one");
        } else if (list != null) {
            putAll(list.groupConfigList(), reply);
        }
    }

    /** 207: deletes a group, and its offsets when asked to. */
    public void delete(Request<DeleteGroupHeader> request, Reply<NoHeader> reply) {
        DeleteGroupHeader header = request.header();
        if (Groups.isPredefined(header.groupName())) {
            reply.fail(
                    ResponseCode.INVALID_PARAMETER,
                    "group [" + header.groupName() + "] belongs to the broker and cannot be deleted");
            return;
        }
        creation.delete(
                header.groupName(),
                header.withOffsets(),
                result -> reply.guard(() -> {
                    if (result == AppendResult.APPENDED && header.withOffsets()) {
                        offsetsGone.accept(header.groupName());
                    }
                    Appends.answer(reply, result, NoHeader.NONE);
                }));
    }

    /** 352: one group; an unknown one is created when groups are created automatically. */
    public void describe(Request<GroupHeader> request, Reply<NoHeader> reply) {
        String name = request.header().group();
        if (groups.current().find(name) != null || !config.settings().autoCreateGroup()) {
            describe(name, reply);
        } else {
            creation.ensure(name, reply, () -> describe(name, reply));
        }
    }

    /** 201: all groups, or a page of them in the order of their names. */
    public void all(Request<AllGroupConfigHeader> request, Reply<AllGroupConfigResponse> reply) {
        Groups now = groups.current();
        AllGroupConfigHeader header = request.header();
        SortedMap<String, SubscriptionGroupConfig> sorted = new TreeMap<>(now.byName());
        Page page = Page.of(header.groupSeq(), header.maxGroupNum(), header.dataVersion(), now.version());
        reply.ok(
                new AllGroupConfigResponse(page == null ? null : sorted.size()),
                Bodies.json(
                        new SubscriptionGroupTable(page == null ? sorted : page.cut(sorted), Map.of(), now.version())));
    }

    private void describe(String name, Reply<NoHeader> reply) {
        SubscriptionGroupConfig known = groups.current().find(name);
        if (known == null) {
            reply.fail(ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST, "subscription group [" + name + "] does not exist");
        } else {
            reply.ok(NoHeader.NONE, Bodies.json(known));
        }
    }

    private void putAll(List<SubscriptionGroupConfig> wanted, Reply<NoHeader> reply) {
        for (SubscriptionGroupConfig group : wanted) {
            Refusal refusal = GroupChecks.refuse(group);
            if (refusal != null) {
                refusal.answer(reply);
                return;
            }
        }
        AtomicInteger open = new AtomicInteger(wanted.size());
        AtomicReference<@Nullable AppendResult> worst = new AtomicReference<>();
        for (SubscriptionGroupConfig group : wanted) {
            creation.put(group, result -> {
                if (result != AppendResult.APPENDED) {
                    worst.set(result);
                }
                if (open.decrementAndGet() == 0) {
                    AppendResult failed = worst.get();
                    Appends.answer(reply, failed == null ? AppendResult.APPENDED : failed, NoHeader.NONE);
                }
            });
        }
    }
}
