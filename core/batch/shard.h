/* SPDX-License-Identifier: MIT */
/* MsShard: which part of a list of images this process does when several share the work. */
#pragma once

#include <glib.h>

#include "core/error.h"

G_BEGIN_DECLS

/** MsShard: part @index (from 1) of @count; {1, 1} is everything. */
typedef struct {
  guint index;
  guint count;
} MsShard;

MsShard ms_shard_whole(void);
gboolean ms_shard_parse(const char *text, MsShard *shard, GError **error);
gboolean ms_shard_takes(const MsShard *self, const char *relative);

G_END_DECLS
