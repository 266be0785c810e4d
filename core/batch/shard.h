/* SPDX-License-Identifier: MIT */
/* MsShard: the part of a list of images that this process filters when several share the work. */
#pragma once

#include <glib.h>

/** MsShard: part @index (from 1) of @count; MS_SHARD_WHOLE is the whole list. */
typedef struct {
  guint index;
  guint count;
} MsShard;

#define MS_SHARD_WHOLE ((MsShard){1, 1})

gboolean ms_shard_parse(const char *text, MsShard *shard, GError **error);
gboolean ms_shard_takes(const MsShard *self, const char *relative);
gboolean ms_shard_place_find(const char *const *environment, guint count, MsShard *shard, GError **error);
