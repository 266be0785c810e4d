/* SPDX-License-Identifier: MIT */
#include "core/image/image-io.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gio/gunixinputstream.h>

#include "core/error.h"
#include "core/image/codec.h"
#include "core/image/image-drain.h"
#include "core/printable.h"

#define BUFFER_SIZE (64 << 10)

static const MsCodec *
find_codec(MsImageSource *source, const guint8 *start, gsize n, GError **error)
{
  const MsCodec *codec = ms_codec_get(ms_codec_sniff(start, n));
  g_autofree char *titles = ms_codec_list_titles(" or ");

  if (codec != NULL)
    return ms_codec_check_built(codec, source->name, error) ? codec : NULL;
  if (n == 0)
    ms_set_error(error, MS_ERROR_FORMAT, "'%s' is empty; get a fresh copy of it.", source->name);
  else
    ms_set_error(error, MS_ERROR_FORMAT, "'%s' is not a %s file; convert it to one of them first.", source->name,
                 titles);
  return NULL;
}

/**
 * ms_image_find_codec:
 *
 * Peeks at the first bytes, so that the decoder still finds them in the stream.
 *
 * Returns: (transfer none): the format by content, or %NULL with %MS_ERROR_FORMAT, %MS_ERROR_IO,
 *   %MS_ERROR_UNSUPPORTED (not in this build) or %G_IO_ERROR_CANCELLED
 */
const MsCodec *
ms_image_find_codec(MsImageSource *source, GError **error)
{
  GBufferedInputStream *stream = G_BUFFERED_INPUT_STREAM(source->stream);
  g_autoptr(GError) reason = NULL;
  gsize n = 0;
  gssize got = 1;

  while (got > 0 && n < MS_CODEC_MAGIC_SIZE) {
    got = g_buffered_input_stream_fill(stream, -1, source->cancellable, &reason);
    g_buffered_input_stream_peek_buffer(stream, &n);
  }
  if (g_error_matches(reason, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    g_propagate_error(error, g_steal_pointer(&reason));
    return NULL;
  }
  if (reason != NULL) {
    ms_set_error(error, MS_ERROR_IO, "Cannot read '%s': %s; check the disk and try again.", source->name,
                 reason->message);
    return NULL;
  }
  return find_codec(source, g_buffered_input_stream_peek_buffer(stream, &n), n, error);
}

static MsImage *
read_source(MsImageSource *source, GError **error)
{
  const MsCodec *codec = ms_image_find_codec(source, error);

  MsImage *image = codec != NULL ? codec->read(source, error) : NULL;

  if (image != NULL && source->damage[0] != '\0')
    ms_image_set_damage(image, source->damage);
  return image;
}

/** ms_image_buffered_stream: (transfer full): a stream over @base for an #MsImageSource. */
GInputStream *
ms_image_buffered_stream(GInputStream *base)
{
  return g_buffered_input_stream_new_sized(base, BUFFER_SIZE);
}

/**
 * ms_image_load_bytes:
 * @bytes: the whole content of a file
 * @name: its name in messages
 * @limits: (nullable): %NULL for ms_image_limits_default()
 *
 * Like ms_image_load(), for a file that is in memory already.
 */
MsImage *
ms_image_load_bytes(GBytes *bytes, const char *name, const MsImageLimits *limits, GCancellable *cancellable,
                    GError **error)
{
  MsImageLimits defaults = ms_image_limits_default();
  g_autoptr(GInputStream) memory = g_memory_input_stream_new_from_bytes(bytes);
  g_autoptr(GInputStream) stream = ms_image_buffered_stream(memory);
  MsImageSource source = ms_image_source_of_bytes(bytes, name, stream, limits ? limits : &defaults);

  source.cancellable = cancellable;
  return read_source(&source, error);
}

typedef MsImage *(*Read)(MsImageSource *source, GError **error);

static MsImage *
load_fd(MsImageSource *source, Read read, GError **error)
{
  g_autoptr(GInputStream) base = g_unix_input_stream_new(source->fd, FALSE);
  g_autoptr(GInputStream) stream = ms_image_buffered_stream(base);
  struct stat info;

  source->stream = stream;
  if (fstat(source->fd, &info) == 0 && S_ISREG(info.st_mode)) {
    source->size = info.st_size;
    return read(source, error);
  }
  g_autoptr(GBytes) bytes = ms_image_source_drain(source, error);
  if (bytes == NULL)
    return NULL;
  g_autoptr(GInputStream) memory = g_memory_input_stream_new_from_bytes(bytes);
  g_autoptr(GInputStream) drained = ms_image_buffered_stream(memory);
  source->stream = drained;
  source->size = g_bytes_get_size(bytes);
  source->fd = -1;
  source->bytes = bytes;
  return read(source, error);
}

static void
set_open_error(GError **error, const char *path, const char *name, int code)
{
  switch (code) {
  case ENOENT:
    if (g_file_test(path, G_FILE_TEST_IS_SYMLINK))
      ms_set_error(error, MS_ERROR_IO, "'%s' is a link to a file that does not exist; mend or remove the link.", name);
    else
      ms_set_error(error, MS_ERROR_IO, "'%s' does not exist; check the name.", name);
    break;
  case EACCES:
    ms_set_error(error, MS_ERROR_IO, "No permission to read '%s'; ask its owner or copy it.", name);
    break;
  case EISDIR:
    ms_set_error(error, MS_ERROR_IO, "'%s' is a folder, not an image; name the images in it.", name);
    break;
  default:
    ms_set_error(error, MS_ERROR_IO, "Cannot open '%s': %s; check the name.", name, g_strerror(code));
  }
}

/**
 * ms_image_open_file:
 * @name: of the file in messages
 *
 * Opens a pipe without waiting for its writer: waiting in read can be cancelled, waiting in open() cannot.
 *
 * Returns: the open file, or -1 with %MS_ERROR_IO
 */
int
ms_image_open_file(const char *path, const char *name, GError **error)
{
  struct stat info;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  int code = errno;

  if (fd >= 0 && (fstat(fd, &info) != 0 || !S_ISDIR(info.st_mode)))
    return fd;
  if (fd >= 0) {
    close(fd);
    code = EISDIR;
  }
  set_open_error(error, path, name, code);
  return -1;
}

static MsImage *
load_file(const char *path, MsImageSource *source, Read read, GError **error)
{
  MsImageLimits defaults = ms_image_limits_default();
  g_autofree char *name = ms_printable(path, "");
  const int fd = ms_image_open_file(path, name, error);

  if (fd < 0)
    return NULL;
  source->name = name;
  source->fd = fd;
  if (!source->limits)
    source->limits = &defaults;
  MsImage *image = load_fd(source, read, error);
  close(fd);
  return image;
}

/**
 * ms_image_load:
 * @path: an image file of any format in the table of codecs; its extension does not matter
 * @limits: (nullable): %NULL for ms_image_limits_default()
 * @cancellable: (nullable): checked for every row
 *
 * The image is upright (EXIF orientation applied), as RGBA with 8 bits a channel.
 *
 * Returns: (transfer full): the image, or %NULL with %MS_ERROR_IO (cannot be read), %MS_ERROR_FORMAT (damaged or no
 *   image), %MS_ERROR_TOO_LARGE, %MS_ERROR_MEMORY or %G_IO_ERROR_CANCELLED
 */
MsImage *
ms_image_load(const char *path, const MsImageLimits *limits, GCancellable *cancellable, GError **error)
{
  return ms_image_load_rows(path, limits, &(MsRowReport){NULL}, cancellable, error);
}

/**
 * ms_image_load_rows:
 * @report: called for every row that has been decoded; not by the decoder of WebP
 *
 * Like ms_image_load(), with progress.
 */
MsImage *
ms_image_load_rows(const char *path, const MsImageLimits *limits, const MsRowReport *report, GCancellable *cancellable,
                   GError **error)
{
  MsImageSource source = {.limits = limits, .cancellable = cancellable, .report = *report};

  return load_file(path, &source, read_source, error);
}

static MsImage *
read_preview(MsImageSource *source, GError **error)
{
  const MsCodec *codec = ms_image_find_codec(source, error);

  if (codec != NULL && codec->read_preview == NULL)
    ms_set_error(error, MS_ERROR_UNSUPPORTED, "'%s' has no preview, since it is a %s file.", source->name,
                 codec->title);
  return codec != NULL && codec->read_preview != NULL ? codec->read_preview(source, error) : NULL;
}

/**
 * ms_image_load_preview:
 * @path: an image file, but no pipe, whose bytes can be read only once
 *
 * Reads about an eighth of the width and height in less time than the whole.
 *
 * Returns: (transfer full): the upright preview, or %NULL with %MS_ERROR_UNSUPPORTED where the format or the file has
 *   none, or the errors of ms_image_load()
 */
MsImage *
ms_image_load_preview(const char *path, const MsImageLimits *limits, GCancellable *cancellable, GError **error)
{
  MsImageSource source = {.limits = limits, .cancellable = cancellable};

  return load_file(path, &source, read_preview, error);
}
