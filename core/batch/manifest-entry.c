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
  return ((const MsManifestEntry *)entry)->modified_ns >= 0;
}

static gboolean
has_output_size(gconstpointer entry)
{
  return ((const MsManifestEntry *)entry)->output_size > 0;
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
  ENTRY(size, COUNT, "size", .has = has_stamp),
  ENTRY(modified, WHOLE, "modified", .has = has_stamp),
  ENTRY(modified_ns, WHOLE, "modified_ns", .has = has_stamp),
  ENTRY(hash, TEXT, "sha256"),
  ENTRY(output_size, COUNT, "output_size", .has = has_output_size),
  ENTRY(output_inode, WHOLE, "output_inode", .has = is_being_saved),
  ENTRY(output_modified, WHOLE, "output_modified", .has = is_being_saved),
  ENTRY(output_modified_ns, WHOLE, "output_modified_ns", .has = is_being_saved),
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
  if (source->known) {
    entry->size = source->size;
    entry->modified = source->modified;
    entry->modified_ns = source->modified_ns;
  }
  if (result->known && entry->status != MS_ITEM_FAILED) {
    entry->output_size = result->size;
    entry->output_inode = (gint64)result->inode;
    entry->output_modified = result->modified;
    entry->output_modified_ns = result->modified_ns;
  }
  entry->hash = source->hash[0] ? g_strdup(source->hash) : NULL;
  entry->output_hash = result->hash[0] ? g_strdup(result->hash) : NULL;
}

static MsManifestEntry *
entry_new(void)
{
  MsManifestEntry *entry = g_new0(MsManifestEntry, 1);

  entry->quality = MS_QUALITY_AUTO;
  entry->modified_ns = -1;
  return entry;
}

/** ms_manifest_entry_write: (transfer full): the line of the entry, without a newline. */
char *
ms_manifest_entry_write(const MsManifestEntry *self)
{
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
  return entry;
}

/**
 * ms_manifest_entry_complete: an entry of an output that was about to get its name becomes one that is done, if the
 * output has it.
 */
gboolean
ms_manifest_entry_complete(MsManifestEntry *self)
{
  MsFileStamp file = {.known = TRUE,
                      .size = self->output_size,
                      .modified = self->output_modified,
                      .modified_ns = self->output_modified_ns,
                      .inode = (guint64)self->output_inode};

  if (!self->output || !ms_file_stamp_is_at(&file, self->output))
    return FALSE;
  self->status = MS_ITEM_DONE;
  self->done = self->is_completed = TRUE;
  if (self->hash) {
    ms_file_stamp_take(&file, self->output, TRUE);
    g_free(self->output_hash);
    self->output_hash = g_strdup(file.hash);
  }
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
 * @item: whose input the line is about
 *
 * Returns: whether the line says that the input was finished with these settings, and both files are as they were then,
 *   by their contents where the request says so, else by size and time
 */
gboolean
ms_manifest_entry_is_done(const MsManifestEntry *self, const MsBatchItem *item, const MsBatchRequest *request)
{
  const gboolean by_hash = request->resume == MS_RESUME_HASH;

  return is_alike(self, item, request) && is_same_input(self, item->input, by_hash) && has_whole_output(self, by_hash);
}
