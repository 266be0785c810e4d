/* SPDX-License-Identifier: MIT */
#include "core/batch/shard/shard.h"

#include <string.h>

#include "core/batch/shard/shard-place.h"

#define AUTO "auto"

#define FNV_OFFSET G_GUINT64_CONSTANT(14695981039346656037)
#define FNV_PRIME G_GUINT64_CONSTANT(1099511628211)

MsShard
ms_shard_whole(void)
{
  return (MsShard){1, 1};
}

static gboolean
parse_count(const char **text, guint *value)
{
  char *end = NULL;
  guint64 number = g_ascii_isdigit(**text) ? g_ascii_strtoull(*text, &end, 10) : 0;

  if (number < 1 || number > G_MAXUINT32)
    return FALSE;
  *value = (guint)number;
  *text = end;
  return TRUE;
}

/* "auto" or "auto/N"; *@count is 0 for the former. */
static gboolean
parse_auto(const char *text, guint *count)
{
  const char *rest = text + strlen(AUTO);

  *count = 0;
  if (!g_str_has_prefix(text, AUTO))
    return FALSE;
  return *rest == '\0' || (*rest++ == '/' && parse_count(&rest, count) && *rest == '\0');
}

/**
 * ms_shard_parse:
 * @text: "I/N" with 1 <= I <= N, or "auto" or "auto/N" for the place that a job scheduler gave this process
 *
 * Returns: %FALSE with #MS_ERROR_USAGE for other texts, and where there is no scheduler; see ms_shard_place_find()
 */
gboolean
ms_shard_parse(const char *text, MsShard *shard, GError **error)
{
  const char *rest = text;
  MsShard read = {0, 0};

  if (parse_auto(text, &read.count)) {
    g_auto(GStrv) environment = g_get_environ();
    return ms_shard_place_find((const char *const *)environment, read.count, shard, error);
  }
  if (parse_count(&rest, &read.index) && *rest++ == '/' && parse_count(&rest, &read.count) && *rest == '\0' &&
      read.index <= read.count) {
    *shard = read;
    return TRUE;
  }
  ms_set_error(error, MS_ERROR_USAGE,
               "--shard cannot be “%s”; it takes PART/PARTS, as in 2/8 for the second of eight, or auto.", text);
  return FALSE;
}

/* FNV-1a with a final mix, so that names that differ in one digit are spread evenly modulo small counts. */
static guint64
hash_name(const char *name)
{
  guint64 hash = FNV_OFFSET;

  for (const char *p = name; *p; p++)
    hash = (hash ^ (guint8)*p) * FNV_PRIME;
  hash ^= hash >> 33;
  hash *= G_GUINT64_CONSTANT(0xff51afd7ed558ccd);
  return hash ^ (hash >> 33);
}

/**
 * ms_shard_takes:
 * @relative: the image's path below the folder argument, or its name alone
 *
 * Depends on the name alone and not on its position in the list, so that machines that mount the folder under other
 * paths, or list it while images are added, still assign each image to exactly one shard.
 */
gboolean
ms_shard_takes(const MsShard *self, const char *relative)
{
  return hash_name(relative) % self->count == self->index - 1;
}
