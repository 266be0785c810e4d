/* SPDX-License-Identifier: MIT */
#include "core/batch/manifest-entry.h"

#include <math.h>
#include <string.h>

#include "core/batch/item.h"
#include "core/image/codec.h"
#include "core/json.h"
#include "core/path-text.h"

void
ms_manifest_entry_free(MsManifestEntry *self)
{
  g_free(self->input);
  g_free(self->output);
  g_free(self->settings);
  g_free(self->format);
  g_free(self->error);
  g_free(self->line);
  g_free(self->hash);
  g_free(self->output_hash);
  g_free(self);
}

static char *
get_path(JsonObject *object, const char *member)
{
  const char *text = ms_json_get_text(object, member);

  return text ? ms_path_from_text(text) : NULL;
}

static MsManifestEntry *
from_object(JsonObject *object)
{
  MsManifestEntry *entry = g_new0(MsManifestEntry, 1);
  const char *settings = ms_json_get_text(object, "settings");

  entry->input = get_path(object, "input");
  entry->output = get_path(object, "output");
  entry->settings = g_strdup(settings ? settings : "");
  entry->format = g_strdup(ms_json_get_text(object, "format"));
  gboolean has_quality = json_object_has_member(object, "quality");
  entry->quality = has_quality ? (int)ms_json_get_integer(object, "quality") : MS_QUALITY_AUTO;
  entry->done = g_strcmp0(ms_json_get_text(object, "status"), "done") == 0;
  entry->n_done = entry->done;
  entry->error = g_strdup(ms_json_get_text(object, "error"));
  entry->size = (guint64)ms_json_get_integer(object, "size");
  entry->modified = ms_json_get_integer(object, "modified");
  entry->modified_ns =
    json_object_has_member(object, "modified_ns") ? (int)ms_json_get_integer(object, "modified_ns") : -1;
  entry->output_size = (guint64)ms_json_get_integer(object, "output_size");
  entry->hash = g_strdup(ms_json_get_text(object, "sha256"));
  entry->output_hash = g_strdup(ms_json_get_text(object, "output_sha256"));
  return entry;
}

/* Whether the members of a line have the right types and name an input. */
static gboolean
has_types(JsonObject *object)
{
  static const char *const texts[] = {"input", "output", "status", "settings", "format", "sha256", "output_sha256"};
  static const char *const numbers[] = {"quality", "size", "modified", "modified_ns", "output_size"};

  for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
    if (json_object_has_member(object, texts[i]) && !ms_json_get_text(object, texts[i]))
      return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
    if (json_object_has_member(object, numbers[i]) && isnan(ms_json_get_number(object, numbers[i])))
      return FALSE;
  return json_object_has_member(object, "input");
}

/** ms_manifest_entry_parse: (transfer full) (nullable): the record in @line, %NULL if it is none. */
MsManifestEntry *
ms_manifest_entry_parse(const char *line, gsize length)
{
  g_autoptr(JsonNode) root = ms_json_parse(line, (gssize)length, NULL);
  JsonObject *object = root && JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;

  return object && has_types(object) ? from_object(object) : NULL;
}

/* Compares format and quality, which lines of older versions lack. */
static gboolean
is_saved_alike(const MsManifestEntry *entry, const MsSaveOptions *save)
{
  const MsCodec *codec = ms_codec_get(save->format);

  if (entry->format && strcmp(entry->format, codec->name) != 0)
    return FALSE;
  return !codec->has_quality || entry->quality == MS_QUALITY_AUTO ||
         entry->quality == ms_codec_resolve_quality(codec, save->quality);
}

/* Only a file can be unchanged, since a pipe may deliver another image each time. */
static gboolean
is_same_input(const MsManifestEntry *entry, const char *input, gboolean by_hash)
{
  MsFileStamp now;

  ms_file_stamp_take(&now, input, by_hash);
  if (!now.known || now.size != entry->size)
    return FALSE;
  if (by_hash)
    return g_strcmp0(now.hash, entry->hash) == 0;
  return now.modified == entry->modified && (entry->modified_ns < 0 || now.modified_ns == entry->modified_ns);
}

/*
 * Whether the output has the recorded size, as an emptied or truncated file has not; lines of older versions record
 * none.
 */
static gboolean
has_whole_output(const MsManifestEntry *entry, gboolean by_hash)
{
  MsFileStamp now;

  if (!entry->output)
    return FALSE;
  ms_file_stamp_take(&now, entry->output, by_hash);
  if (!now.known || (by_hash && g_strcmp0(now.hash, entry->output_hash) != 0))
    return FALSE;
  return entry->output_size == 0 ? now.size > 0 : now.size == entry->output_size;
}

/**
 * ms_manifest_entry_is_done:
 * @input: the file that the line is about
 * @save: requested format (not AUTO) and quality
 * @by_hash: compare the contents of both files with the recorded hashes, instead of the input's time
 *
 * Returns: whether the line says that @input was finished with these settings, and both files are as they were then
 */
gboolean
ms_manifest_entry_is_done(const MsManifestEntry *self, const char *input, const MsSettings *settings,
                          const MsSaveOptions *save, gboolean by_hash)
{
  g_autofree char *line = ms_settings_to_arguments(settings);

  if (!self->done || strcmp(self->settings, line) != 0 || !is_saved_alike(self, save))
    return FALSE;
  return is_same_input(self, input, by_hash) && has_whole_output(self, by_hash);
}
