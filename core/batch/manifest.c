/* SPDX-License-Identifier: MIT */
#include "core/batch/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <json-glib/json-glib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/image/file-path.h"
#include "core/image/image-format.h"
#include "core/json.h"

struct _MsManifest {
  GObject parent_instance;
  char *path;
  int fd;
  gboolean torn;       /* the last line was cut off by a crash: the next one starts on a line of its own */
  GHashTable *entries; /* absolute input path -> MsManifestEntry */
  GHashTable *outputs; /* of done lines, links followed; NULL until it is asked for */
};

G_DEFINE_FINAL_TYPE(MsManifest, ms_manifest, G_TYPE_OBJECT)

static void
entry_free(gpointer data)
{
  MsManifestEntry *entry = data;

  g_free(entry->output);
  g_free(entry->settings);
  g_free(entry->format);
  g_free(entry);
}

static void
ms_manifest_finalize(GObject *object)
{
  MsManifest *self = MS_MANIFEST(object);

  if (self->fd >= 0)
    close(self->fd);
  g_hash_table_unref(self->entries);
  g_clear_pointer(&self->outputs, g_hash_table_unref);
  g_free(self->path);
  G_OBJECT_CLASS(ms_manifest_parent_class)->finalize(object);
}

static void
ms_manifest_class_init(MsManifestClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_manifest_finalize;
}

static void
ms_manifest_init(MsManifest *self)
{
  self->fd = -1;
  self->entries = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, entry_free);
}

/* The field as bytes of a file name: escaped when they are no UTF-8. */
static char *
get_path(JsonObject *object, const char *member)
{
  const char *text = ms_json_get_text(object, member);

  return text ? g_strcompress(text) : NULL;
}

/* JSON holds UTF-8 alone; names with other bytes, and backslashes, are written with octal escapes. */
static void
set_path(JsonObject *object, const char *member, const char *path)
{
  g_autofree char *escaped = NULL;
  g_autoptr(GString) text = g_string_new(NULL);

  for (const char *p = path; *p; p++) {
    if (*p == '\\')
      g_string_append_c(text, '\\');
    g_string_append_c(text, *p);
  }
  if (!g_utf8_validate(path, -1, NULL))
    escaped = g_strescape(path, NULL);
  json_object_set_string_member(object, member, escaped ? escaped : text->str);
}

static void
take_line(MsManifest *self, const char *line, gsize length)
{
  g_autoptr(JsonNode) root = ms_json_parse(line, (gssize)length, NULL);

  if (!root || !JSON_NODE_HOLDS_OBJECT(root))
    return;
  JsonObject *object = json_node_get_object(root);
  char *input = get_path(object, "input");
  if (!input)
    return;
  MsManifestEntry *entry = g_new0(MsManifestEntry, 1);
  entry->output = get_path(object, "output");
  const char *settings = ms_json_get_text(object, "settings");
  entry->settings = g_strdup(settings ? settings : "");
  entry->format = g_strdup(ms_json_get_text(object, "format"));
  entry->quality = (int)ms_json_get_integer(object, "quality");
  entry->done = g_strcmp0(ms_json_get_text(object, "status"), "done") == 0;
  entry->size = (guint64)ms_json_get_integer(object, "size");
  entry->modified = ms_json_get_integer(object, "modified");
  g_hash_table_replace(self->entries, input, entry);
}

static void
take_lines(MsManifest *self, const char *text, gsize length)
{
  const char *end = text + length;

  for (const char *line = text; line < end;) {
    const char *stop = memchr(line, '\n', (gsize)(end - line));
    if (!stop)
      stop = end;
    take_line(self, line, (gsize)(stop - line));
    line = stop + 1;
  }
  self->torn = length > 0 && text[length - 1] != '\n';
}

static gboolean
fail(MsManifest *self, const char *doing, GError **error)
{
  g_set_error(error, MS_ERROR, MS_ERROR_IO, "The manifest '%s' cannot be %s: %s; choose another file with --manifest.",
              self->path, doing, g_strerror(errno));
  return FALSE;
}

/* A slip of the hand must not put lines behind a picture. */
static gboolean
refuse_image(MsManifest *self, const char *text, gsize length, GError **error)
{
  if (ms_image_sniff((const guint8 *)text, length) == MS_IMAGE_FORMAT_AUTO)
    return TRUE;
  g_set_error(error, MS_ERROR, MS_ERROR_USAGE, "--manifest would write into the image '%s'; choose another file.",
              self->path);
  return FALSE;
}

/**
 * ms_manifest_load:
 * @path: a file that need not be there; it is only read until ms_manifest_begin()
 *
 * Lines that are no JSON (the torn last line of a crash) are passed over.
 *
 * Returns: (transfer full): the manifest with its lines read, or %NULL with #MS_ERROR_IO, or #MS_ERROR_USAGE for an
 *   image
 */
MsManifest *
ms_manifest_load(const char *path, GError **error)
{
  g_autoptr(MsManifest) self = g_object_new(MS_TYPE_MANIFEST, NULL);
  g_autofree char *text = NULL;
  gsize length = 0;
  struct stat info;

  self->path = g_strdup(path);
  /* A pipe or device keeps nothing to be read back. */
  if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
    return g_steal_pointer(&self);
  if (!g_file_get_contents(path, &text, &length, NULL)) {
    fail(self, "read", error);
    return NULL;
  }
  if (!refuse_image(self, text, length, error))
    return NULL;
  take_lines(self, text, length);
  return g_steal_pointer(&self);
}

/**
 * ms_manifest_begin: makes the file when it is not there and opens it to add lines; several shards may write to one.
 */
gboolean
ms_manifest_begin(MsManifest *self, GError **error)
{
  self->fd = open(self->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  return self->fd >= 0 || fail(self, "opened", error);
}

/** ms_manifest_open: (transfer full): ms_manifest_load() and ms_manifest_begin() in one; lines are only ever added. */
MsManifest *
ms_manifest_open(const char *path, GError **error)
{
  g_autoptr(MsManifest) self = ms_manifest_load(path, error);

  return self && ms_manifest_begin(self, error) ? g_steal_pointer(&self) : NULL;
}

/** ms_manifest_find: (transfer none) (nullable): the last line about @input. */
const MsManifestEntry *
ms_manifest_find(MsManifest *self, const char *input)
{
  g_autofree char *absolute = g_canonicalize_filename(input, NULL);

  return g_hash_table_lookup(self->entries, absolute);
}

static const char *
format_name(MsImageFormat format)
{
  return format == MS_IMAGE_FORMAT_JPEG ? "jpeg" : "png";
}

/* Lines of older versions do not tell; then the output's name has to do. */
static gboolean
is_saved_alike(const MsManifestEntry *entry, const MsSaveOptions *save)
{
  if (entry->format && strcmp(entry->format, format_name(save->format)) != 0)
    return FALSE;
  return save->format != MS_IMAGE_FORMAT_JPEG || entry->quality == 0 || entry->quality == save->quality;
}

/**
 * ms_manifest_find_done:
 * @save: format (not AUTO) and quality that are wanted now
 *
 * Returns: (transfer none) (nullable): the line that says @input, as it is now, was done with these settings and its
 *   output is there; whether that output is the one that is wanted now is for the caller to see
 */
const MsManifestEntry *
ms_manifest_find_done(MsManifest *self, const char *input, const MsSettings *settings, const MsSaveOptions *save)
{
  const MsManifestEntry *entry = ms_manifest_find(self, input);
  g_autofree char *line = ms_settings_to_arguments(settings);
  struct stat info;

  if (!entry || !entry->done || strcmp(entry->settings, line) != 0 || !is_saved_alike(entry, save))
    return NULL;
  /* Nothing tells whether a pipe brings the same again. */
  if (stat(input, &info) != 0 || !S_ISREG(info.st_mode) || (guint64)info.st_size != entry->size ||
      info.st_mtime != entry->modified)
    return NULL;
  return entry->output && g_file_test(entry->output, G_FILE_TEST_EXISTS) ? entry : NULL;
}

static GHashTable *
collect_outputs(MsManifest *self)
{
  GHashTable *outputs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  GHashTableIter each;
  gpointer entry;

  g_hash_table_iter_init(&each, self->entries);
  while (g_hash_table_iter_next(&each, NULL, &entry)) {
    const MsManifestEntry *line = entry;
    if (line->done && line->output)
      g_hash_table_add(outputs, ms_file_path_resolve(line->output));
  }
  return outputs;
}

/** ms_manifest_has_output: whether the lines that were read say that @path is the output of an input that was done. */
gboolean
ms_manifest_has_output(MsManifest *self, const char *path)
{
  g_autofree char *resolved = ms_file_path_resolve(path);

  if (!self->outputs)
    self->outputs = collect_outputs(self);
  return g_hash_table_contains(self->outputs, resolved);
}

static void
set_format(JsonObject *object, const MsSaveOptions *save)
{
  json_object_set_string_member(object, "format", format_name(save->format));
  if (save->format == MS_IMAGE_FORMAT_JPEG)
    json_object_set_int_member(object, "quality", save->quality);
}

static char *
item_line(const MsBatchItem *item, const MsSettings *settings, const MsSaveOptions *save)
{
  g_autoptr(JsonObject) object = json_object_new();
  g_autoptr(JsonNode) node = json_node_new(JSON_NODE_OBJECT);
  g_autofree char *input = g_canonicalize_filename(item->input, NULL);
  g_autofree char *output = item->output ? g_canonicalize_filename(item->output, NULL) : NULL;
  g_autofree char *line = ms_settings_to_arguments(settings);
  struct stat info = {0};

  set_path(object, "input", input);
  if (output) {
    set_path(object, "output", output);
    set_format(object, save);
  }
  json_object_set_string_member(object, "status", ms_item_status_name(item->status));
  if (item->error) {
    g_autofree char *sentence = g_utf8_make_valid(item->error, -1);
    json_object_set_string_member(object, "error", sentence);
  }
  json_object_set_string_member(object, "settings", line);
  if (stat(item->input, &info) == 0) {
    json_object_set_int_member(object, "size", info.st_size);
    json_object_set_int_member(object, "modified", info.st_mtime);
  }
  json_object_set_int_member(object, "width", item->width);
  json_object_set_int_member(object, "height", item->height);
  json_node_set_object(node, object);
  return json_to_string(node, FALSE);
}

/**
 * ms_manifest_append:
 * @settings: what was asked for (not what the plan made of it)
 * @save: format (not AUTO) and quality of the output
 *
 * Adds one line by one write, which other processes' lines cannot cut in two.
 */
gboolean
ms_manifest_append(MsManifest *self, const MsBatchItem *item, const MsSettings *settings, const MsSaveOptions *save,
                   GError **error)
{
  g_autofree char *json = item_line(item, settings, save);
  g_autofree char *line = g_strconcat(self->torn ? "\n" : "", json, "\n", NULL);
  gsize length = strlen(line);

  errno = 0;
  gssize written = write(self->fd, line, length);
  if (written > 0)
    self->torn = line[written - 1] != '\n';
  if (written == (gssize)length)
    return TRUE;
  /* Less than was asked for, without an error: the disk was full in the middle. */
  errno = errno ? errno : ENOSPC;
  return fail(self, "written", error);
}
