/* SPDX-License-Identifier: MIT */
#include "core/batch/manifest-entry.h"

#include <string.h>

#include "core/batch/batch.h"
#include "core/image/codec.h"
#include "core/json.h"
#include "core/record/record.h"

void
ms_manifest_entry_free(MsManifestEntry *self)
{
  g_free(self->input);
  g_free(self->output);
  g_free(self->settings);
  g_free(self->format);
  g_free(self->error);
  g_free(self->note);
  g_free(self->hash);
  g_free(self->output_hash);
  g_free(self);
}

static gboolean
has_quality(gconstpointer entry)
{
  return ((const MsManifestEntry *)entry)->quality != MS_QUALITY_AUTO;
}

static gboolean
has_stamp(gconstpointer entry)
{
  return ((const MsManifestEntry *)entry)->source.modified_ns >= 0;
}

static gboolean
has_output_size(gconstpointer entry)
{
  return ((const MsManifestEntry *)entry)->result.size > 0;
}

static gboolean
is_being_saved(gconstpointer entry)
{
  return ((const MsManifestEntry *)entry)->status == MS_ITEM_PENDING;
}

static gboolean
is_converted(gconstpointer entry)
{
  return ((const MsManifestEntry *)entry)->is_converted;
}

/* An image has a line before it ends only while its output gets its name, so that pending is written as "saving". */
static const char *const status_names[] = {"saving", "done", "failed", "skipped", NULL};

#define ENTRY(member, form, ...) MS_FIELD(MsManifestEntry, member, form, __VA_ARGS__)
static const MsField fields[] = {
  ENTRY(input, PATH, "input"),
  ENTRY(output, PATH, "output"),
  ENTRY(format, TEXT, "format"),
  ENTRY(quality, WHOLE, "quality", .has = has_quality),
  ENTRY(is_converted, BOOLEAN, "converted_to_srgb", .has = is_converted),
  ENTRY(status, CHOICE, "status", .names = status_names),
  ENTRY(error, TEXT, "error", .is_lax = TRUE),
  ENTRY(note, TEXT, "note", .is_lax = TRUE),
  ENTRY(settings, TEXT, "settings"),
  ENTRY(source.size, COUNT, "size", .has = has_stamp),
  ENTRY(source.modified, WHOLE, "modified", .has = has_stamp),
  ENTRY(source.modified_ns, WHOLE, "modified_ns", .has = has_stamp),
  ENTRY(hash, TEXT, "sha256"),
  ENTRY(result.size, COUNT, "output_size", .has = has_output_size),
  ENTRY(result.inode, WHOLE, "output_inode", .has = is_being_saved),
  ENTRY(result.modified, WHOLE, "output_modified", .has = is_being_saved),
  ENTRY(result.modified_ns, WHOLE, "output_modified_ns", .has = is_being_saved),
  ENTRY(output_hash, TEXT, "output_sha256"),
  ENTRY(width, WHOLE, "width", .is_lax = TRUE),
  ENTRY(height, WHOLE, "height", .is_lax = TRUE),
};
static const MsRecord entry_record = MS_RECORD(fields, .is_sparse = TRUE);

static void
set_save(MsManifestEntry *entry, const MsBatchItem *item, const MsBatchRequest *request)
{
  const MsCodec *codec = ms_codec_get(ms_batch_item_format(item, request->save.format));

  entry->format = g_strdup(codec->name);
  entry->is_converted = request->limits.to_srgb;
  if (codec->has_quality)
    entry->quality = ms_codec_resolve_quality(codec, request->save.quality);
}

static void
set_stamps(MsManifestEntry *entry, const MsFileStamp *source, const MsFileStamp *result)
{
  if (source->known)
    entry->source = *source;
  if (result->known && entry->status != MS_ITEM_FAILED)
    entry->result = *result;
  entry->hash = source->hash[0] ? g_strdup(source->hash) : NULL;
  entry->output_hash = result->hash[0] ? g_strdup(result->hash) : NULL;
}

static MsManifestEntry *
entry_new(void)
{
  MsManifestEntry *entry = g_new0(MsManifestEntry, 1);

  entry->quality = MS_QUALITY_AUTO;
  entry->source.modified_ns = -1;
  entry->source.known = entry->result.known = TRUE;
  return entry;
}

/**
 * ms_manifest_entry_write: (transfer full): the line of the entry, without a newline. The content of an output that got
 * its name before its run was killed is hashed here if that of the input was.
 */
char *
ms_manifest_entry_write(MsManifestEntry *self)
{
  if (self->is_completed && self->hash && !self->output_hash) {
    ms_file_stamp_take(&self->result, self->output, TRUE);
    self->output_hash = g_strdup(self->result.hash);
  }
  g_autoptr(JsonNode) node = ms_record_to_node(&entry_record, self);

  return json_to_string(node, FALSE);
}

/**
 * ms_manifest_line:
 * @item: that is done or has failed, or whose output, complete, gets its name now
 *
 * Returns: (transfer full): the record of @item as JSON, without a newline
 */
char *
ms_manifest_line(const MsBatchItem *item, const MsBatchRequest *request)
{
  g_autoptr(MsManifestEntry) entry = entry_new();

  entry->input = g_canonicalize_filename(item->input, NULL);
  entry->output = item->output ? g_canonicalize_filename(item->output, NULL) : NULL;
  entry->status = item->status;
  entry->error = g_strdup(item->error);
  entry->note = ms_note_describe(item->notes, MS_LANGUAGE_ENGLISH);
  entry->settings = ms_settings_to_arguments(&request->settings);
  entry->width = item->width;
  entry->height = item->height;
  if (item->output)
    set_save(entry, item, request);
  set_stamps(entry, &item->source, &item->result);
  return ms_manifest_entry_write(entry);
}

/** ms_manifest_entry_parse: (transfer full) (nullable): the record in @line, %NULL if it is none. */
MsManifestEntry *
ms_manifest_entry_parse(const char *line, gsize length)
{
  g_autoptr(JsonNode) root = ms_json_parse(line, (gssize)length, NULL);
  JsonObject *object = root && JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;

  if (!object || !json_object_has_member(object, "input") || !ms_record_fits(&entry_record, object))
    return NULL;
  MsManifestEntry *entry = entry_new();
  entry->settings = g_strdup("");
  ms_record_get(&entry_record, entry, object);
  entry->done = entry->status == MS_ITEM_DONE;
  g_strlcpy(entry->source.hash, entry->hash ? entry->hash : "", sizeof entry->source.hash);
  g_strlcpy(entry->result.hash, entry->output_hash ? entry->output_hash : "", sizeof entry->result.hash);
  return entry;
}

/**
 * ms_manifest_entry_complete: an entry of an output that was about to get its name becomes one that is done, if the
 * output has it.
 */
gboolean
ms_manifest_entry_complete(MsManifestEntry *self)
{
  if (!self->output || !ms_file_stamp_is_at(&self->result, self->output, MS_STAMP_TIME | MS_STAMP_INODE))
    return FALSE;
  self->status = MS_ITEM_DONE;
  self->done = self->is_completed = TRUE;
  return TRUE;
}

/** ms_manifest_entry_is_part: whether @text is the beginning of a line of ms_manifest_line(), but not all of it. */
gboolean
ms_manifest_entry_is_part(const char *text)
{
  static const char start[] = "{\"input\":";
  const gsize length = strlen(text);
  g_autoptr(MsManifestEntry) entry = ms_manifest_entry_parse(text, length);

  return !entry && strncmp(text, start, MIN(length, strlen(start))) == 0;
}

/* Compares format and quality, which lines of older versions lack, and whether colours were converted. */
static gboolean
is_saved_alike(const MsManifestEntry *entry, const MsBatchItem *item, const MsBatchRequest *request)
{
  const MsCodec *codec = ms_codec_get(ms_batch_item_format(item, request->save.format));

  if (entry->is_converted != request->limits.to_srgb || (entry->format && strcmp(entry->format, codec->name) != 0))
    return FALSE;
  return !codec->has_quality || entry->quality == MS_QUALITY_AUTO ||
         entry->quality == ms_codec_resolve_quality(codec, request->save.quality);
}

/* Whether the line records a result with these settings, format and quality. */
static gboolean
is_alike(const MsManifestEntry *self, const MsBatchItem *item, const MsBatchRequest *request)
{
  g_autofree char *line = ms_settings_to_arguments(&request->settings);

  return self->done && strcmp(self->settings, line) == 0 && is_saved_alike(self, item, request);
}

/**
 * ms_manifest_entry_is_done:
 * @item: whose input the line is about
 *
 * Returns: whether the line says that the input was finished with these settings, and both files are as they were then,
 *   by their contents where the request says so, else by size and time
 */
gboolean
ms_manifest_entry_is_done(const MsManifestEntry *self, const MsBatchItem *item, const MsBatchRequest *request)
{
  const gboolean by_hash = request->resume == MS_RESUME_HASH;

  return is_alike(self, item, request) &&
         ms_file_stamp_is_at(&self->source, item->input, by_hash ? MS_STAMP_HASH : MS_STAMP_TIME) && self->output &&
         (self->is_completed || ms_file_stamp_is_at(&self->result, self->output, by_hash ? MS_STAMP_HASH : 0));
}
