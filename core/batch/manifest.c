/* SPDX-License-Identifier: MIT */
#include "core/batch/manifest.h"

#include <glib/gi18n-lib.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/image/codec.h"
#include "core/image/file/file-path.h"

struct _MsManifest {
  GObject parent_instance;
  char *path;
  int fd;
  gboolean merges;     /* ms_manifest_load_merged() */
  gboolean torn;       /* a crash truncated the last line, so the next record starts a new line */
  guint n_ignored;     /* lines that are no record */
  guint first_ignored; /* number of the first one, from 1 */
  GHashTable *entries; /* absolute input path, owned by the entry -> MsManifestEntry */
  GHashTable *outputs; /* outputs of finished images, links followed; NULL until first used */
};

G_DEFINE_FINAL_TYPE(MsManifest, ms_manifest, G_TYPE_OBJECT)

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
  self->entries = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)ms_manifest_entry_free);
}

/* Lines of another process do not make a finished image unfinished. Takes ownership of @entry and @line. */
static void
merge_entry(MsManifest *self, MsManifestEntry *entry, char *line)
{
  MsManifestEntry *earlier = g_hash_table_lookup(self->entries, entry->input);

  entry->line = line;
  if (earlier)
    entry->n_done += earlier->n_done;
  if (!earlier || !earlier->done || entry->done) {
    g_hash_table_replace(self->entries, entry->input, entry);
    return;
  }
  earlier->n_done = entry->n_done;
  ms_manifest_entry_free(entry);
}

static gboolean
take_line(MsManifest *self, const char *line, gsize length)
{
  MsManifestEntry *entry = ms_manifest_entry_parse(line, length);

  if (!entry)
    return FALSE;
  if (self->merges)
    merge_entry(self, entry, g_strndup(line, length));
  else
    g_hash_table_replace(self->entries, entry->input, entry);
  return TRUE;
}

/* Ignores a last line that a crash truncated; its image is filtered again. */
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
    _("The manifest '%s' has %u lines that are not records of an image, the first of them line %u; they are "
      "ignored, and their images are filtered again."),
    self->path, self->n_ignored, self->first_ignored);
}

static gboolean
fail(MsManifest *self, const char *doing, GError **error)
{
  ms_set_error(error, MS_ERROR_IO, "The manifest '%s' cannot be %s: %s; choose another file with --manifest.",
               self->path, _(doing), g_strerror(errno));
  return FALSE;
}

/* Refuses an image file, which a mistyped name would damage. */
static gboolean
refuse_image(MsManifest *self, const char *text, gsize length, GError **error)
{
  if (ms_codec_sniff((const guint8 *)text, length) == MS_IMAGE_FORMAT_AUTO)
    return TRUE;
  ms_set_error(error, MS_ERROR_USAGE, "--manifest would write into the image '%s'; choose another file.", self->path);
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
    return fail(self, N_("read"), error);
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
 * Reads several manifests as one. Of several lines about an image, a finished one takes precedence, otherwise the last
 * one.
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
  return self->fd >= 0 || fail(self, N_("opened"), error);
}

/** ms_manifest_find: (transfer none) (nullable): the last line about @input. */
const MsManifestEntry *
ms_manifest_find(MsManifest *self, const char *input)
{
  g_autofree char *absolute = g_canonicalize_filename(input, NULL);

  return g_hash_table_lookup(self->entries, absolute);
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

  return entry && ms_manifest_entry_is_done(entry, input, settings, save, by_hash) ? entry : NULL;
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
  return fail(self, N_("written"), error);
}
