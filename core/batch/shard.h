/* SPDX-License-Identifier: MIT */
/* MsShard: the part of a list of images that this process filters when several share the work. */
#pragma once

#include <glib.h>

#include "core/batch/inputs.h"
#include "core/error.h"
#include "core/image/common/image-file.h"

/** MsShard: part @index (from 1) of @count; MS_SHARD_WHOLE is the whole list. */
typedef struct {
  guint index;
  guint count;
} MsShard;

#define MS_SHARD_WHOLE ((MsShard){1, 1})

/**
 * MsShardBy: how images are assigned to shards.
 * @MS_SHARD_BY_PIXELS: the sizes of all images, so that shards take about equally long
 * @MS_SHARD_BY_NAME: its own name, so that the list may grow between the shards
 */
typedef enum {
  MS_SHARD_BY_PIXELS,
  MS_SHARD_BY_NAME,
} MsShardBy;

gboolean ms_shard_parse(const char *text, MsShard *shard, GError **error);
gboolean ms_shard_takes(const MsShard *self, const char *relative);

gboolean ms_shard_place_find(const char *const *environment, guint count, MsShard *shard, GError **error);

guint *ms_shard_balance(GPtrArray *inputs, guint count, const MsImageLimits *limits);
