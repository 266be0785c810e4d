/* SPDX-License-Identifier: MIT */
/* Which shard a process is, as the job scheduler that started it says in environment variables. */
#pragma once

#include "core/batch/shard/shard.h"

G_BEGIN_DECLS

gboolean ms_shard_place_find(const char *const *environment, guint count, MsShard *shard, GError **error);

G_END_DECLS
