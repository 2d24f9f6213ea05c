package dev.perigee.protocol.group;

import com.alibaba.fastjson2.annotation.JSONField;

/**
 * Body of UPDATE_AND_GET_GROUP_FORBIDDEN (353).
 */
public record GroupForbidden(
        String group,
        String topic,
        @JSONField(defaultValue = "true") boolean readable) {}
