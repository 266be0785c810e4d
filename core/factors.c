/* SPDX-License-Identifier: MIT */
#include "core/factors.h"

#include <string.h>

#include "core/error.h"

typedef struct {
  char *key;
  char *value;
} Pair;

struct _MsFactors {
  GArray *pairs;
};

static void
clear_pair(gpointer data)
{
  Pair *pair = data;

  g_free(pair->key);
  g_free(pair->value);
}

MsFactors *
ms_factors_new(void)
{
  MsFactors *self = g_new0(MsFactors, 1);

  self->pairs = g_array_new(FALSE, FALSE, sizeof(Pair));
  g_array_set_clear_func(self->pairs, clear_pair);
  return self;
}

void
ms_factors_free(MsFactors *self)
{
  if (!self)
    return;
  g_array_unref(self->pairs);
  g_free(self);
}

static Pair *
pair_at(const MsFactors *self, guint index)
{
  return &g_array_index(self->pairs, Pair, index);
}

static Pair *
find_pair(const MsFactors *self, const char *key)
{
  for (guint i = 0; i < self->pairs->len; i++)
    if (strcmp(pair_at(self, i)->key, key) == 0)
      return pair_at(self, i);
  return NULL;
}

/** ms_factors_set: sets @key to @value; a new key is appended, an existing one keeps its position. */
void
ms_factors_set(MsFactors *self, const char *key, const char *value)
{
  Pair *old = find_pair(self, key);

  if (old) {
    char *copy = g_strdup(value);
    g_free(old->value);
    old->value = copy;
    return;
  }
  Pair pair = {g_strdup(key), g_strdup(value)};
  g_array_append_val(self->pairs, pair);
}

void
ms_factors_merge(MsFactors *self, const MsFactors *over)
{
  for (guint i = 0; i < ms_factors_size(over); i++)
    ms_factors_set(self, ms_factors_key(over, i), ms_factors_value(over, i));
}

MsFactors *
ms_factors_copy(const MsFactors *self)
{
  MsFactors *copy = ms_factors_new();

  ms_factors_merge(copy, self);
  return copy;
}

static gboolean
parse_pair(MsFactors *self, const char *word, GError **error)
{
  const char *colon = strchr(word, ':');

  if (!colon || colon == word) {
    ms_set_error(error, MS_ERROR_USAGE, "'%s' is not a setting; write KEY:VALUE, separated by blanks.", word);
    return FALSE;
  }
  g_autofree char *key = g_strndup(word, (gsize)(colon - word));
  ms_factors_set(self, key, colon + 1);
  return TRUE;
}

/**
 * ms_factors_parse:
 * @text: "key:value key:value …", as experiment files write it
 *
 * Returns: (transfer full): the settings, or %NULL with an error
 */
MsFactors *
ms_factors_parse(const char *text, GError **error)
{
  g_autoptr(MsFactors) self = ms_factors_new();
  g_auto(GStrv) words = g_strsplit_set(text, " \t\n", -1);

  for (char **word = words; *word; word++)
    if (**word && !parse_pair(self, *word, error))
      return NULL;
  return g_steal_pointer(&self);
}

/** ms_factors_get: (transfer none) (nullable): the value of @key. */
const char *
ms_factors_get(const MsFactors *self, const char *key)
{
  const Pair *pair = find_pair(self, key);

  return pair ? pair->value : NULL;
}

const char *
ms_factors_get_or(const MsFactors *self, const char *key, const char *fallback)
{
  const char *value = ms_factors_get(self, key);

  return value ? value : fallback;
}

guint
ms_factors_size(const MsFactors *self)
{
  return self->pairs->len;
}

const char *
ms_factors_key(const MsFactors *self, guint index)
{
  return pair_at(self, index)->key;
}

const char *
ms_factors_value(const MsFactors *self, guint index)
{
  return pair_at(self, index)->value;
}

/** ms_factors_contains: whether every pair of @subset is in @self, in any order. */
gboolean
ms_factors_contains(const MsFactors *self, const MsFactors *subset)
{
  for (guint i = 0; i < ms_factors_size(subset); i++)
    if (g_strcmp0(ms_factors_get(self, ms_factors_key(subset, i)), ms_factors_value(subset, i)) != 0)
      return FALSE;
  return TRUE;
}

gboolean
ms_factors_equal(const MsFactors *a, const MsFactors *b)
{
  return ms_factors_size(a) == ms_factors_size(b) && ms_factors_contains(a, b);
}

/** ms_factors_to_string: (transfer full): "key:value key:value", which ms_factors_parse() reads back. */
char *
ms_factors_to_string(const MsFactors *self)
{
  g_autoptr(GString) text = g_string_new(NULL);

  for (guint i = 0; i < ms_factors_size(self); i++)
    g_string_append_printf(text, "%s%s:%s", i ? " " : "", ms_factors_key(self, i), ms_factors_value(self, i));
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/* A count, or a power of two written 2^24. */
static gboolean
parse_count(const char *text, gint64 *value)
{
  g_auto(GStrv) parts = g_strsplit(text, "^", 2);
  gint64 base, exponent = 1;

  if (!parts[0] || !g_ascii_string_to_signed(parts[0], 10, 1, G_MAXINT32 * G_GINT64_CONSTANT(64), &base, NULL))
    return FALSE;
  *value = base;
  if (!parts[1])
    return TRUE;
  if (base != 2 || !g_ascii_string_to_signed(parts[1], 10, 0, 40, &exponent, NULL))
    return FALSE;
  *value = G_GINT64_CONSTANT(1) << exponent;
  return TRUE;
}

/**
 * ms_factors_parse_size:
 * @text: "WIDTHxHEIGHT", "N" or "2^K"
 * @width: (out): the width, or the count
 * @height: (out): the height; 1 for a count
 */
gboolean
ms_factors_parse_size(const char *text, gint64 *width, gint64 *height, GError **error)
{
  g_auto(GStrv) parts = g_strsplit(text, "x", 2);

  *height = 1;
  if (parts[0] && parse_count(parts[0], width) && (!parts[1] || parse_count(parts[1], height)))
    return TRUE;
  ms_set_error(error, MS_ERROR_USAGE, "'%s' is not a size; write WIDTHxHEIGHT, a count, or 2^K.", text);
  return FALSE;
}
