/* SPDX-License-Identifier: MIT */
#include "core/image/image-peek.h"

#include <sys/stat.h>

#include <gio/gunixinputstream.h>

#include "core/error.h"
#include "core/image/image-io.h"
#include "core/printable.h"

static gboolean
peek_source(MsImageSource *source, MsImageHeader *header, GError **error)
{
  const MsCodec *codec = ms_image_find_codec(source, error);

  *header = (MsImageHeader){.format = codec != NULL ? codec->format : MS_IMAGE_FORMAT_AUTO};
  return codec != NULL && codec->peek(source, header, error);
}

/** ms_image_peek_bytes: ms_image_peek_size() for a file that is in memory already. */
gboolean
ms_image_peek_bytes(GBytes *bytes, const char *name, const MsImageLimits *limits, MsImageHeader *header, GError **error)
{
  MsImageLimits defaults = ms_image_limits_default();
  g_autoptr(GInputStream) memory = g_memory_input_stream_new_from_bytes(bytes);
  g_autoptr(GInputStream) stream = ms_image_buffered_stream(memory);
  MsImageSource source = ms_image_source_of_bytes(bytes, name, stream, limits ? limits : &defaults);

  return peek_source(&source, header, error);
}

/**
 * ms_image_peek_size:
 * @path: an image file, but no pipe, whose bytes can be read only once; see ms_image_drain()
 * @limits: (nullable): %NULL for ms_image_limits_default()
 * @header: (out): format and size of the upright picture
 *
 * Reads the header alone, and refuses what ms_image_load() would refuse by the header.
 *
 * Returns: FALSE with the errors of ms_image_load()
 */
gboolean
ms_image_peek_size(const char *path, const MsImageLimits *limits, MsImageHeader *header, GError **error)
{
  MsImageLimits defaults = ms_image_limits_default();
  g_autofree char *name = ms_printable(path, "");
  int fd = ms_image_open_file(path, name, error);
  struct stat info;

  if (fd < 0)
    return FALSE;
  g_autoptr(GInputStream) base = g_unix_input_stream_new(fd, TRUE);
  g_autoptr(GInputStream) stream = ms_image_buffered_stream(base);
  gboolean known = fstat(fd, &info) == 0;
  if (known && (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode))) {
    ms_set_error(error, MS_ERROR_IO, "'%s' is a pipe; its size is only known after it has been read.", name);
    return FALSE;
  }
  guint64 size = known && S_ISREG(info.st_mode) ? (guint64)info.st_size : G_MAXUINT64;
  MsImageSource source = {.name = name,
                          .stream = stream,
                          .size = size,
                          .limits = limits ? limits : &defaults,
                          .cancellable = NULL,
                          .fd = fd,
                          .bytes = NULL};
  return peek_source(&source, header, error);
}
