/* SPDX-License-Identifier: MIT */
#include "core/image/image-drain.h"

#include <sys/stat.h>
#include <unistd.h>

#include <gio/gunixinputstream.h>

#include "core/error.h"
#include "core/image/file/file-path.h"
#include "core/image/file/pipe-output.h"
#include "core/image/image-io.h"
#include "core/printable.h"

#define READ_SIZE (64 << 10)

/* Four channels of 32 bits: no uncompressed file of an accepted image has more. */
#define MOST_BYTES_PER_PIXEL 16

/* Gets the bytes of a pipe in pieces. */
typedef gboolean (*TakeBytes)(gpointer data, const guint8 *bytes, gsize size, GError **error);

/* Reads to the end, since the size of a pipe is unknown; stops at a size that no accepted image can have. */
static gboolean
read_all(MsImageSource *source, guint64 most_bytes, TakeBytes take, gpointer data, GError **error)
{
  g_autofree guint8 *piece = g_malloc(READ_SIZE);
  guint64 most =
    MIN(source->limits->max_pixels, G_MAXUINT64 / 16) * MOST_BYTES_PER_PIXEL + source->limits->max_metadata;
  guint64 done = 0;
  gsize got = 1;

  if (most_bytes > 0)
    most = MIN(most, most_bytes);
  if (ms_image_find_codec(source, error) == NULL)
    return FALSE;
  while (got > 0) {
    if (done > most) {
      ms_set_error(error, MS_ERROR_TOO_LARGE,
                   "'%s' has more bytes than the largest allowed picture; scale it down or raise the limit.",
                   source->name);
      return FALSE;
    }
    if (!ms_image_source_read(source, piece, READ_SIZE, &got, error) || !take(data, piece, got, error))
      return FALSE;
    done += got;
  }
  return TRUE;
}

static gboolean
append_bytes(gpointer data, const guint8 *bytes, gsize size, GError **error)
{
  g_byte_array_append(data, bytes, (guint)size);
  return TRUE;
}

/**
 * ms_image_source_drain:
 *
 * Returns: (transfer full): all of it, or %NULL with the errors of ms_image_load()
 */
GBytes *
ms_image_source_drain(MsImageSource *source, GError **error)
{
  g_autoptr(GByteArray) content = g_byte_array_new();
  guint64 most = G_MAXUINT - READ_SIZE;

  if (source->limits->max_bytes > 0)
    most = MIN(most, source->limits->max_bytes);
  if (!read_all(source, most, append_bytes, content, error))
    return NULL;
  return g_byte_array_free_to_bytes(g_steal_pointer(&content));
}

static MsImageSource
source_of(int fd, GInputStream *stream, const char *name, const MsImageLimits *limits, GCancellable *cancellable)
{
  return (MsImageSource){.name = name, .stream = stream, .limits = limits, .cancellable = cancellable, .fd = fd};
}

/**
 * ms_image_drain_fd:
 * @fd: open for reading; may be a pipe (standard input); not closed
 * @name: its name in messages
 * @limits: (nullable): %NULL for ms_image_limits_default()
 *
 * A pipe can be read only once, so its content is kept for reading the header and then the image.
 *
 * Returns: (transfer full): all of it, or %NULL with the errors of ms_image_load()
 */
GBytes *
ms_image_drain_fd(int fd, const char *name, const MsImageLimits *limits, GCancellable *cancellable, GError **error)
{
  MsImageLimits defaults = ms_image_limits_default();
  g_autoptr(GInputStream) base = g_unix_input_stream_new(fd, FALSE);
  g_autoptr(GInputStream) stream = ms_image_buffered_stream(base);
  MsImageSource source = source_of(fd, stream, name, limits ? limits : &defaults, cancellable);

  return ms_image_source_drain(&source, error);
}

/** ms_image_drain: ms_image_drain_fd() for the path of a pipe or device. */
GBytes *
ms_image_drain(const char *path, const MsImageLimits *limits, GCancellable *cancellable, GError **error)
{
  g_autofree char *name = ms_printable(path, "");
  int fd = ms_image_open_file(path, name, error);

  if (fd < 0)
    return NULL;
  GBytes *bytes = ms_image_drain_fd(fd, name, limits, cancellable, error);
  close(fd);
  return bytes;
}

static gboolean
write_bytes(gpointer data, const guint8 *bytes, gsize size, GError **error)
{
  int code = ms_pipe_output_write(*(const int *)data, bytes, size, NULL, error);

  if (code != 0)
    ms_set_error(error, MS_ERROR_IO,
                 "A temporary file for the bytes of a pipe cannot be written: %s; choose its folder with --scratch.",
                 g_strerror(code));
  return code == 0;
}

/**
 * ms_image_drain_to_file:
 * @path: of a pipe or device, "-" for standard input
 * @into: a file, open for writing
 *
 * Copies the bytes of a pipe into a file, for callers that need them more than once.
 *
 * Returns: %FALSE with the errors of ms_image_load(), or #MS_ERROR_IO where the file cannot be written
 */
gboolean
ms_image_drain_to_file(const char *path, int into, const MsImageLimits *limits, GCancellable *cancellable,
                       GError **error)
{
  gboolean standard = ms_file_path_is_standard(path);
  g_autofree char *name = standard ? g_strdup("standard input") : ms_printable(path, "");
  int fd = standard ? STDIN_FILENO : ms_image_open_file(path, name, error);

  if (fd < 0)
    return FALSE;
  g_autoptr(GInputStream) base = g_unix_input_stream_new(fd, !standard);
  g_autoptr(GInputStream) stream = ms_image_buffered_stream(base);
  MsImageSource source = source_of(fd, stream, name, limits, cancellable);

  return read_all(&source, 0, write_bytes, &into, error);
}

/** ms_image_is_stream: whether @path is a pipe or device, whose bytes can be read only once. */
gboolean
ms_image_is_stream(const char *path)
{
  struct stat info;

  return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}
