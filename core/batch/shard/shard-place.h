/* SPDX-License-Identifier: MIT */
/* The shard of a process, from the environment variables of the job scheduler that started it. */
#pragma once

#include "core/batch/shard/shard.h"

gboolean ms_shard_place_find(const char *const *environment, guint count, MsShard *shard, GError **error);
