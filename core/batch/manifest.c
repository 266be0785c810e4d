/* SPDX-License-Identifier: MIT */
#include "core/batch/manifest.h"

#include <glib/gi18n-lib.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "core/image/codec.h"
#include "core/image/file/file-path.h"

struct _MsManifest {
  char *path; /* of the file that is read, and then of the one that is written */
  int fd;
  gboolean is_pattern; /* @path stands for several files */
  gboolean torn;       /* the last line does not end, so the next record starts a new line */
  gboolean has_failed; /* a record could not be written */
  GString *ignored;    /* a sentence for each file with lines that are no record */
  GMutex lock;         /* of a line that a thread appends */
  GHashTable *entries; /* absolute input path, owned by the entry -> MsManifestEntry */
  GHashTable *saving;  /* the same, of images that no line ends after their output was about to get its name */
  GHashTable *outputs; /* outputs of finished images, links followed -> input; NULL until first used */
};

static MsManifest *
manifest_new(void)
{
  MsManifest *self = g_new0(MsManifest, 1);

  self->fd = -1;
  self->ignored = g_string_new(NULL);
  g_mutex_init(&self->lock);
  self->entries = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)ms_manifest_entry_free);
  self->saving = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)ms_manifest_entry_free);
  return self;
}

void
ms_manifest_free(MsManifest *self)
{
  if (self->fd >= 0)
    close(self->fd);
  g_mutex_clear(&self->lock);
  g_hash_table_unref(self->entries);
  g_hash_table_unref(self->saving);
  g_clear_pointer(&self->outputs, g_hash_table_unref);
  g_string_free(self->ignored, TRUE);
  g_free(self->path);
  g_free(self);
}

/*
 * A later failure leaves the output of a finished image as it is, so it does not make the image unfinished. Takes
 * ownership of @entry.
 */
static void
take_entry(MsManifest *self, MsManifestEntry *entry)
{
  const MsManifestEntry *earlier = g_hash_table_lookup(self->entries, entry->input);

  if (entry->status == MS_ITEM_PENDING) {
    g_hash_table_replace(self->saving, entry->input, entry);
    return;
  }
  if (entry->done)
    g_hash_table_remove(self->saving, entry->input);
  if (!earlier || !earlier->done || entry->done)
    g_hash_table_replace(self->entries, entry->input, entry);
  else
    ms_manifest_entry_free(entry);
}

static gboolean
take_line(MsManifest *self, const char *line, gsize length)
{
  MsManifestEntry *entry = ms_manifest_entry_parse(line, length);

  if (!entry)
    return FALSE;
  take_entry(self, entry);
  return TRUE;
}

/* @n lines are no records; the first of them has number @first, from 1. */
static void
note_ignored(MsManifest *self, guint n, guint first)
{
  if (n == 0)
    return;
  if (self->ignored->len > 0)
    g_string_append_c(self->ignored, ' ');
  if (n == 1)
    g_string_append_printf(
      self->ignored,
      _("Line %u of the manifest '%s' is not a record of an image; it is ignored, and its image counts as not done."),
      first, self->path);
  else
    g_string_append_printf(
      self->ignored,
      _("The manifest '%s' has %u lines that are not records of an image, the first of them line %u; they are "
        "ignored, and their images count as not done."),
      self->path, n, first);
}

/* Ignores a last line that a crash truncated; its image counts as not done. */
static void
take_lines(MsManifest *self, const char *text, gsize length)
{
  const char *end = text + length;
  guint number = 0, n_ignored = 0, first_ignored = 0;

  for (const char *line = text; line < end;) {
    const char *stop = memchr(line, '\n', (gsize)(end - line));
    number++;
    if (!take_line(self, line, (gsize)((stop ? stop : end) - line)) && stop && stop > line) {
      n_ignored++;
      first_ignored = first_ignored ? first_ignored : number;
    }
    line = stop ? stop + 1 : end;
  }
  note_ignored(self, n_ignored, first_ignored);
}

/**
 * ms_manifest_describe_ignored: (transfer full) (nullable): how many lines were ignored because they are not records.
 */
char *
ms_manifest_describe_ignored(MsManifest *self)
{
  return self->ignored->len > 0 ? g_strdup(self->ignored->str) : NULL;
}

static gboolean
fail(MsManifest *self, const char *doing, GError **error)
{
  ms_set_error(error, MS_ERROR_IO, "The manifest '%s' cannot be %s: %s; choose another file with --manifest.",
               self->path, _(doing), ms_errno_text(errno));
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

/* Refuses a pipe, into which records vanish where nobody reads, and which the next run cannot read. */
static gboolean
refuse_pipe(MsManifest *self, GError **error)
{
  ms_set_error(error, MS_ERROR_USAGE,
               "--manifest cannot be the pipe '%s', from which no later run could read it; name a file.", self->path);
  return FALSE;
}

static gboolean
is_pipe(int fd)
{
  struct stat info;

  return fstat(fd, &info) == 0 && S_ISFIFO(info.st_mode);
}

/* A device cannot be read back, and counts as empty. */
static gboolean
read_open_file(MsManifest *self, int fd, GError **error)
{
  struct stat info;
  gsize length = 0;

  if (is_pipe(fd))
    return refuse_pipe(self, error);
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
    return TRUE;
  g_autofree char *text = ms_file_text_read(fd, self->path, G_MAXINT32, &length, error);
  if (!text)
    return FALSE;
  if (!refuse_image(self, text, length, error))
    return FALSE;
  take_lines(self, text, length);
  return TRUE;
}

static gboolean
read_file(MsManifest *self, const char *path, GError **error)
{
  const int fd = ms_file_open(path, TRUE);
  const int code = errno;

  g_free(self->path);
  self->path = g_strdup(path);
  if (fd < 0 && code == ESPIPE)
    return refuse_pipe(self, error);
  if (fd < 0 && code == ENOENT)
    return TRUE;
  if (fd < 0) {
    errno = code;
    return fail(self, N_("read"), error);
  }
  const gboolean good = read_open_file(self, fd, error);
  close(fd);
  return good;
}

/* Images whose output got its name before their run was killed are done; the others are what earlier lines say. */
static void
settle_saving(MsManifest *self)
{
  GHashTableIter each;
  gpointer input, entry;

  g_hash_table_iter_init(&each, self->saving);
  while (g_hash_table_iter_next(&each, &input, &entry)) {
    if (!ms_manifest_entry_complete(entry))
      continue;
    g_hash_table_iter_steal(&each);
    g_hash_table_replace(self->entries, input, entry);
  }
}

/* Reads the file @name, or those that it stands for as a pattern with * or ?; *@found: whether there is any. */
static gboolean
read_named(MsManifest *self, const char *name, gboolean *found, GError **error)
{
  glob_t files = {0};
  gboolean good = TRUE;

  *found = g_file_test(name, G_FILE_TEST_EXISTS);
  if (*found || !strpbrk(name, "*?")) {
    good = read_file(self, name, error);
  } else {
    *found = glob(name, 0, NULL, &files) == 0;
    for (gsize i = 0; *found && good && i < files.gl_pathc; i++)
      good = read_file(self, files.gl_pathv[i], error);
    globfree(&files);
    self->is_pattern = TRUE;
  }
  settle_saving(self);
  return good;
}

static gboolean
check_found(const char *name, gboolean found, GError **error)
{
  if (!found)
    ms_set_error(error, MS_ERROR_IO, "There is no manifest '%s'; name a file, or several by a pattern in quotes.",
                 name);
  return found;
}

/**
 * ms_manifest_load:
 * @path: a file that need not exist, which is not written before ms_manifest_begin(); or a pattern for files that are
 *   only read
 *
 * Lines that are no record are ignored; see ms_manifest_describe_ignored().
 *
 * Returns: (transfer full): the manifest with its lines read, or %NULL with #MS_ERROR_IO, or #MS_ERROR_USAGE for an
 *   image
 */
MsManifest *
ms_manifest_load(const char *path, GError **error)
{
  g_autoptr(MsManifest) self = manifest_new();
  gboolean found;

  if (!read_named(self, path, &found, error) || (self->is_pattern && !check_found(path, found, error)))
    return NULL;
  g_free(self->path);
  self->path = g_strdup(path);
  return g_steal_pointer(&self);
}

/**
 * ms_manifest_read_more:
 * @name: a file, or a pattern for several, such as those of other processes; nothing is written to them
 *
 * Adds their lines. Of several about one image, one by which it was finished takes precedence, otherwise the last.
 *
 * Returns: %FALSE as ms_manifest_load(), and where there is no such file
 */
gboolean
ms_manifest_read_more(MsManifest *self, const char *name, GError **error)
{
  g_autofree char *path = g_steal_pointer(&self->path);
  const gboolean was_pattern = self->is_pattern;
  gboolean found;
  const gboolean good = read_named(self, name, &found, error) && check_found(name, found, error);

  g_free(self->path);
  self->path = g_steal_pointer(&path);
  self->is_pattern = was_pattern;
  return good;
}

/* Keeps other processes from appending, as far as the file system has locks. */
static gboolean
lock(const MsManifest *self)
{
  int status;

  do
    status = flock(self->fd, LOCK_EX);
  while (status != 0 && errno == EINTR);
  return status == 0;
}

/* The most bytes of a record that is looked for at the end of the file; few are longer than one. */
#define MOST_TAIL (64 << 10)

/*
 * (transfer full) (nullable): the text behind the last end of a line, %NULL where there is none; *@at is its place, -1
 * where it is longer than a record.
 */
static char *
read_open_line(const MsManifest *self, off_t *at)
{
  const off_t end = lseek(self->fd, 0, SEEK_END);
  const gsize size = (gsize)CLAMP(end, 0, MOST_TAIL);
  g_autofree char *tail = g_malloc0(size + 1);

  if (size == 0 || pread(self->fd, tail, size, end - (off_t)size) != (gssize)size)
    return NULL;
  const char *last = memrchr(tail, '\n', size);
  const gsize first = last ? (gsize)(last - tail) + 1 : 0;
  if (first == size)
    return NULL;
  *at = last || (off_t)size == end ? end - (off_t)(size - first) : -1;
  return g_strndup(tail + first, size - first);
}

/*
 * Removes the part of a record with which a killed run or a full disk left the file, so that every line is JSON for
 * other programs. Other text without an end of line stays; the next record begins a new line.
 */
static void
mend_last_line(MsManifest *self)
{
  const gboolean locked = lock(self);
  off_t at = 0;
  g_autofree char *line = read_open_line(self, &at);

  if (line)
    self->torn = !ms_manifest_entry_is_part(line) || !locked || ftruncate(self->fd, at) != 0;
  if (locked)
    flock(self->fd, LOCK_UN);
}

/* Writes all of @line, or nothing of it where the disk is full; FALSE with errno set. */
static gboolean
write_line(MsManifest *self, const char *line)
{
  const gsize length = strlen(line);
  const gboolean locked = lock(self);
  const off_t end = lseek(self->fd, 0, SEEK_END);

  errno = 0;
  const gssize written = write(self->fd, line, length);
  /* A short write sets no errno; it means a full disk. */
  const int code = errno ? errno : ENOSPC;
  if (written > 0 && (written == (gssize)length || !locked || ftruncate(self->fd, end) != 0))
    self->torn = line[written - 1] != '\n';
  if (locked)
    flock(self->fd, LOCK_UN);
  errno = code;
  return written == (gssize)length;
}

/* The same of the line of a record, for any thread. */
static gboolean
write_record(MsManifest *self, const char *json)
{
  g_mutex_lock(&self->lock);
  g_autofree char *line = g_strconcat(self->torn ? "\n" : "", json, "\n", NULL);
  const gboolean good = write_line(self, line);
  const int code = errno;
  g_mutex_unlock(&self->lock);
  errno = code;
  return good;
}

static MsManifestEntry *
find_entry(MsManifest *self, const char *input)
{
  g_autofree char *absolute = g_canonicalize_filename(input, NULL);

  return g_hash_table_lookup(self->entries, absolute);
}

/** ms_manifest_find: (transfer none) (nullable): the last line about @input by which it was finished, else the last. */
const MsManifestEntry *
ms_manifest_find(MsManifest *self, const char *input)
{
  return find_entry(self, input);
}

/**
 * ms_manifest_begin: opens the file, which is created if missing, for appending; several shards may write to one file.
 */
gboolean
ms_manifest_begin(MsManifest *self, GError **error)
{
  if (self->is_pattern) {
    ms_set_error(error, MS_ERROR_USAGE,
                 "--manifest '%s' stands for files that are only read; name before it the one to which lines are "
                 "appended.",
                 self->path);
    return FALSE;
  }
  self->fd = open(self->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
  if (self->fd < 0)
    return fail(self, N_("opened"), error);
  if (is_pipe(self->fd))
    return refuse_pipe(self, error);
  mend_last_line(self);
  return TRUE;
}

/**
 * ms_manifest_complete:
 * @items: (element-type MsBatchItem): of this run, planned
 *
 * Adds the lines that killed runs had no time to write, about images of this run: those of another shard may be in
 * work in its process.
 *
 * Returns: %FALSE with #MS_ERROR_IO
 */
gboolean
ms_manifest_complete(MsManifest *self, GPtrArray *items, GError **error)
{
  for (guint i = 0; i < items->len; i++) {
    const MsBatchItem *item = g_ptr_array_index(items, i);
    MsManifestEntry *entry = item->status == MS_ITEM_SKIPPED ? find_entry(self, item->input) : NULL;
    g_autofree char *json = entry && entry->is_completed && g_strcmp0(entry->output, item->output) == 0
                              ? ms_manifest_entry_write(entry)
                              : NULL;
    if (json && !write_record(self, json))
      return fail(self, N_("written"), error);
  }
  return TRUE;
}

/** ms_manifest_open: (transfer full): @path for appending; its lines are not read. */
MsManifest *
ms_manifest_open(const char *path, GError **error)
{
  g_autoptr(MsManifest) self = manifest_new();

  self->path = g_strdup(path);
  return ms_manifest_begin(self, error) ? g_steal_pointer(&self) : NULL;
}

/**
 * ms_manifest_find_done:
 *
 * Returns: (transfer none) (nullable): the line by which the input of @item was finished unchanged with the settings of
 *   @request, if its output exists; the caller compares the name of the output
 */
const MsManifestEntry *
ms_manifest_find_done(MsManifest *self, const MsBatchItem *item, const MsBatchRequest *request)
{
  const MsManifestEntry *entry = ms_manifest_find(self, item->input);

  return entry && ms_manifest_entry_is_done(entry, item, request) ? entry : NULL;
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
      g_hash_table_replace(outputs, ms_file_path_resolve(line->output), line->input);
  }
  return outputs;
}

/** ms_manifest_find_owner: (transfer none) (nullable): the finished input whose output is @path, as a line records. */
const char *
ms_manifest_find_owner(MsManifest *self, const char *path)
{
  g_autofree char *resolved = ms_file_path_resolve(path);

  if (!self->outputs)
    self->outputs = collect_outputs(self);
  return g_hash_table_lookup(self->outputs, resolved);
}

/**
 * ms_manifest_announce:
 * @item: whose output is complete and gets its name next
 *
 * Appends the line by which the next run recognises the output if this one is killed, and flushes it to the disk. Any
 * thread may call it.
 *
 * Returns: %FALSE with #MS_ERROR_IO
 */
gboolean
ms_manifest_announce(MsManifest *self, const MsBatchItem *item, const MsBatchRequest *request, GError **error)
{
  g_autofree char *json = ms_manifest_line(item, request);

  if (write_record(self, json) && (fsync(self->fd) == 0 || errno == EINVAL || errno == ENOSYS))
    return TRUE;
  return fail(self, N_("written"), error);
}

/**
 * ms_manifest_append:
 * @item: which is done or has failed; one that was skipped gets no line, since that of the run that did the work stays
 *
 * Appends one line in a single write, so that lines of several processes never mix.
 *
 * Returns: %FALSE with #MS_ERROR_IO for the first line that cannot be written, and without an error for later ones
 */
gboolean
ms_manifest_append(MsManifest *self, const MsBatchItem *item, const MsBatchRequest *request, GError **error)
{
  g_autofree char *json = item->status != MS_ITEM_SKIPPED ? ms_manifest_line(item, request) : NULL;

  if (!json || write_record(self, json))
    return TRUE;
  if (!self->has_failed)
    fail(self, N_("written"), error);
  self->has_failed = TRUE;
  return FALSE;
}
