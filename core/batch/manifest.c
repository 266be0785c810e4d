/* SPDX-License-Identifier: MIT */
#include "core/batch/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/image/file/file-path.h"
#include "core/batch/manifest-line.h"
#include "core/image/codec.h"
#include "core/json.h"
#include "core/path-text.h"

struct _MsManifest {
  GObject parent_instance;
  char *path;
  int fd;
  gboolean merges;     /* ms_manifest_load_merged() */
  gboolean torn;       /* the last line was cut off by a crash, so the next record starts a new line */
  guint n_ignored;     /* lines that are no record */
  guint first_ignored; /* number of the first one, from 1 */
  GHashTable *entries; /* absolute input path -> MsManifestEntry */
  GHashTable *outputs; /* outputs of finished images, links followed; NULL until first used */
};

G_DEFINE_FINAL_TYPE(MsManifest, ms_manifest, G_TYPE_OBJECT)

static void
entry_free(gpointer data)
{
  MsManifestEntry *entry = data;

  g_free(entry->output);
  g_free(entry->settings);
  g_free(entry->format);
  g_free(entry->error);
  g_free(entry->line);
  g_free(entry->hash);
  g_free(entry->output_hash);
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

static char *
get_path(JsonObject *object, const char *member)
{
  const char *text = ms_json_get_text(object, member);

  return text ? ms_path_from_text(text) : NULL;
}

static MsManifestEntry *
entry_from_object(JsonObject *object)
{
  MsManifestEntry *entry = g_new0(MsManifestEntry, 1);
  const char *settings = ms_json_get_text(object, "settings");

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

/* Rejects a line that has members of the wrong type. */
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

/* A finished image stays finished, whatever another process wrote about it. Takes all arguments. */
static void
merge_entry(MsManifest *self, char *input, MsManifestEntry *entry, char *line)
{
  MsManifestEntry *earlier = g_hash_table_lookup(self->entries, input);

  entry->line = line;
  if (earlier)
    entry->n_done += earlier->n_done;
  if (!earlier || !earlier->done || entry->done) {
    g_hash_table_replace(self->entries, input, entry);
    return;
  }
  earlier->n_done = entry->n_done;
  g_free(input);
  entry_free(entry);
}

static gboolean
take_line(MsManifest *self, const char *line, gsize length)
{
  g_autoptr(JsonNode) root = ms_json_parse(line, (gssize)length, NULL);
  JsonObject *object = root && JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;

  if (!object || !has_types(object))
    return FALSE;
  if (self->merges)
    merge_entry(self, get_path(object, "input"), entry_from_object(object), g_strndup(line, length));
  else
    g_hash_table_replace(self->entries, get_path(object, "input"), entry_from_object(object));
  return TRUE;
}

/* Ignores the last line if it is cut off, as after a crash; its image is filtered again. */
static void
take_lines(MsManifest *self, const char *text, gsize length)
{
  const char *end = text + length;
  guint number = 0;

  for (const char *line = text; line < end;) {
    const char *stop = memchr(line, '\n', (gsize)(end - line));
    number++;
    if (!take_line(self, line, (gsize)((stop ? stop : end) - line)) && stop && stop > line) {
      self->n_ignored++;
      self->first_ignored = self->first_ignored ? self->first_ignored : number;
    }
    line = stop ? stop + 1 : end;
  }
  self->torn = length > 0 && text[length - 1] != '\n';
}

/**
 * ms_manifest_describe_ignored: (transfer full) (nullable): how many lines were ignored because they are not records.
 */
char *
ms_manifest_describe_ignored(MsManifest *self)
{
  if (self->n_ignored == 0)
    return NULL;
  return g_strdup_printf(
    "The manifest '%s' has %u lines that are not records of an image, the first of them line %u; they are "
    "ignored, and their images are filtered again.",
    self->path, self->n_ignored, self->first_ignored);
}

static gboolean
fail(MsManifest *self, const char *doing, GError **error)
{
  g_set_error(error, MS_ERROR, MS_ERROR_IO, "The manifest '%s' cannot be %s: %s; choose another file with --manifest.",
              self->path, doing, g_strerror(errno));
  return FALSE;
}

/* Refuses an image, to which a mistyped name would append lines. */
static gboolean
refuse_image(MsManifest *self, const char *text, gsize length, GError **error)
{
  if (ms_codec_sniff((const guint8 *)text, length) == MS_IMAGE_FORMAT_AUTO)
    return TRUE;
  g_set_error(error, MS_ERROR, MS_ERROR_USAGE, "--manifest would write into the image '%s'; choose another file.",
              self->path);
  return FALSE;
}

static gboolean
read_file(MsManifest *self, const char *path, GError **error)
{
  g_autofree char *text = NULL;
  gsize length = 0;
  struct stat info;

  g_free(self->path);
  self->path = g_strdup(path);
  /* A pipe or device cannot be read back. */
  if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
    return TRUE;
  if (!g_file_get_contents(path, &text, &length, NULL))
    return fail(self, "read", error);
  if (!refuse_image(self, text, length, error))
    return FALSE;
  take_lines(self, text, length);
  return TRUE;
}

/**
 * ms_manifest_load:
 * @path: a file that need not exist; it is not written before ms_manifest_begin()
 *
 * Lines that are no record are ignored; see ms_manifest_describe_ignored().
 *
 * Returns: (transfer full): the manifest with its lines read, or %NULL with #MS_ERROR_IO, or #MS_ERROR_USAGE for an
 *   image
 */
MsManifest *
ms_manifest_load(const char *path, GError **error)
{
  g_autoptr(MsManifest) self = g_object_new(MS_TYPE_MANIFEST, NULL);

  return read_file(self, path, error) ? g_steal_pointer(&self) : NULL;
}

/**
 * ms_manifest_load_merged:
 * @paths: (array length=n): the manifests of several processes
 *
 * Reads several manifests as one. Of several lines about an image, a finished one counts more than others, and then the
 * last one.
 *
 * Returns: (transfer full): the manifest, which cannot be written to, or %NULL as ms_manifest_load()
 */
MsManifest *
ms_manifest_load_merged(const char *const *paths, guint n, GError **error)
{
  g_autoptr(MsManifest) self = g_object_new(MS_TYPE_MANIFEST, NULL);

  self->merges = TRUE;
  for (guint i = 0; i < n; i++)
    if (!read_file(self, paths[i], error))
      return NULL;
  return g_steal_pointer(&self);
}

/**
 * ms_manifest_begin: opens the file, which is created if missing, for appending; several shards may write to one file.
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
 * ms_manifest_find_done:
 * @save: requested format (not AUTO) and quality
 * @by_hash: compare the contents of both files with the recorded hashes, instead of the input's time
 *
 * Returns: (transfer none) (nullable): the line by which @input was finished unchanged with these settings, if its
 *   output exists; the caller compares the name of the output
 */
const MsManifestEntry *
ms_manifest_find_done(MsManifest *self, const char *input, const MsSettings *settings, const MsSaveOptions *save,
                      gboolean by_hash)
{
  const MsManifestEntry *entry = ms_manifest_find(self, input);
  g_autofree char *line = ms_settings_to_arguments(settings);

  if (!entry || !entry->done || strcmp(entry->settings, line) != 0 || !is_saved_alike(entry, save))
    return NULL;
  return is_same_input(entry, input, by_hash) && has_whole_output(entry, by_hash) ? entry : NULL;
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

/** ms_manifest_has_output: whether a line records @path as the output of a finished input. */
gboolean
ms_manifest_has_output(MsManifest *self, const char *path)
{
  g_autofree char *resolved = ms_file_path_resolve(path);

  if (!self->outputs)
    self->outputs = collect_outputs(self);
  return g_hash_table_contains(self->outputs, resolved);
}

/**
 * ms_manifest_append:
 * @settings: as requested, not as resolved by the plan
 * @save: format (not AUTO) and quality of the output
 *
 * Appends one line in a single write, so that lines of several processes never mix.
 */
gboolean
ms_manifest_append(MsManifest *self, const MsBatchItem *item, const MsSettings *settings, const MsSaveOptions *save,
                   GError **error)
{
  g_autofree char *json = ms_manifest_line(item, settings, save);
  g_autofree char *line = g_strconcat(self->torn ? "\n" : "", json, "\n", NULL);
  gsize length = strlen(line);

  errno = 0;
  gssize written = write(self->fd, line, length);
  if (written > 0)
    self->torn = line[written - 1] != '\n';
  if (written == (gssize)length)
    return TRUE;
  /* A short write sets no errno; it means a full disk. */
  errno = errno ? errno : ENOSPC;
  return fail(self, "written", error);
}
