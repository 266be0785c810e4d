/* SPDX-License-Identifier: MIT */
#include "core/image/image-drain.h"

#include <sys/stat.h>
#include <unistd.h>

#include <gio/gunixinputstream.h>

#include "core/error.h"
#include "core/image/image-io.h"

#define READ_SIZE (64 << 10)

/* Four channels of 32 bits: no uncompressed file of an accepted image has more. */
#define MOST_BYTES_PER_PIXEL 16

/**
 * ms_image_source_drain:
 * @most_bytes: more than this is refused; 0 for the size of the largest accepted image
 *
 * Reads to the end, since the size of a pipe is unknown; stops at a size that no accepted image can have.
 *
 * Returns: (transfer full): all of it, or %NULL with the errors of ms_image_load()
 */
GBytes *
ms_image_source_drain(MsImageSource *source, guint64 most_bytes, GError **error)
{
  g_autoptr(GByteArray) content = g_byte_array_new();
  guint64 most =
    MIN(source->limits->max_pixels, G_MAXUINT64 / 16) * MOST_BYTES_PER_PIXEL + source->limits->max_metadata;
  gsize got = 1;

  if (most_bytes > 0)
    most = MIN(most, most_bytes);
  if (ms_image_find_codec(source, error) == NULL)
    return NULL;
  while (got > 0) {
    guint old = content->len;
    if (old > MIN(most, G_MAXUINT - READ_SIZE)) {
      ms_set_error(error, MS_ERROR_TOO_LARGE,
                   "'%s' has more bytes than the largest allowed picture; scale it down or raise the limit.",
                   source->name);
      return NULL;
    }
    g_byte_array_set_size(content, old + READ_SIZE);
    if (!ms_image_source_read(source, content->data + old, READ_SIZE, &got, error))
      return NULL;
    g_byte_array_set_size(content, old + got);
  }
  return g_byte_array_free_to_bytes(g_steal_pointer(&content));
}

/**
 * ms_image_drain_fd:
 * @fd: open for reading; may be a pipe (standard input); not closed
 * @name: its name in messages
 * @limits: (nullable): %NULL for ms_image_limits_default()
 * @most_bytes: more than this is refused; 0 for the size of the largest accepted image
 *
 * A pipe can be read only once, so its content is kept for reading the header and then the image.
 *
 * Returns: (transfer full): all of it, or %NULL with the errors of ms_image_load()
 */
GBytes *
ms_image_drain_fd(int fd, const char *name, const MsImageLimits *limits, guint64 most_bytes, GCancellable *cancellable,
                  GError **error)
{
  MsImageLimits defaults = ms_image_limits_default();
  g_autoptr(GInputStream) base = g_unix_input_stream_new(fd, FALSE);
  g_autoptr(GInputStream) stream = ms_image_buffered_stream(base);
  MsImageSource source = {.name = name,
                          .stream = stream,
                          .size = 0,
                          .limits = limits ? limits : &defaults,
                          .cancellable = cancellable,
                          .fd = fd,
                          .bytes = NULL};

  return ms_image_source_drain(&source, most_bytes, error);
}

/** ms_image_drain: ms_image_drain_fd() for the path of a pipe or device. */
GBytes *
ms_image_drain(const char *path, const MsImageLimits *limits, guint64 most_bytes, GCancellable *cancellable,
               GError **error)
{
  g_autofree char *name = g_filename_display_name(path);
  int fd = ms_image_open_file(path, name, error);

  if (fd < 0)
    return NULL;
  GBytes *bytes = ms_image_drain_fd(fd, name, limits, most_bytes, cancellable, error);
  close(fd);
  return bytes;
}

/** ms_image_is_stream: whether @path is a pipe or device, whose bytes can be read only once. */
gboolean
ms_image_is_stream(const char *path)
{
  struct stat info;

  return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}
