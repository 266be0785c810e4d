/* SPDX-License-Identifier: MIT */
#include "core/image/image-io.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/file.h"
#include "core/image/file/file-path.h"
#include "core/image/file/pipe-output.h"
#include "core/text.h"

#define READ_SIZE (64 << 10)

/* Four channels of 32 bits: no uncompressed file of an accepted image has more. */
#define MOST_BYTES_PER_PIXEL 16

static MsImageFile *
new_file(const char *name, const MsImageLimits *limits, GCancellable *cancellable)
{
  MsImageFile *self = g_new0(MsImageFile, 1);

  self->name = g_strdup(name);
  self->limits = limits ? *limits : ms_image_limits_default();
  self->cancellable = cancellable ? g_object_ref(cancellable) : NULL;
  self->fd = -1;
  return self;
}

static void
close_decoder(MsImageFile *self)
{
  if (self->decoder)
    self->codec->decoder->close(self);
  self->decoder = NULL;
  self->block_size = 0;
  self->at = 0;
  self->has_rows = FALSE;
  self->next_row = 0;
  self->damage[0] = '\0';
}

/** ms_image_file_close: closes the file, which is freed. */
void
ms_image_file_close(MsImageFile *self)
{
  close_decoder(self);
  g_clear_pointer(&self->metadata, ms_metadata_unref);
  g_clear_pointer(&self->raw, ms_metadata_unref);
  ms_colour_free(self->colour);
  g_clear_pointer(&self->bytes, g_bytes_unref);
  g_clear_object(&self->cancellable);
  g_clear_error(&self->error);
  if (self->fd >= 0)
    close(self->fd);
  g_free(self->buffer);
  g_free(self->name);
  g_free(self);
}

/* %FALSE with the error of the codec's last function, if it has failed. */
static gboolean
check_image_file(MsImageFile *self, GError **error)
{
  if (!self->error)
    return TRUE;
  g_propagate_error(error, g_steal_pointer(&self->error));
  return FALSE;
}

/* The codec of a file that begins with these bytes. */
static const MsCodec *
find_codec(const char *name, const guint8 *start, gsize n, GError **error)
{
  const MsCodec *codec = ms_codec_get(ms_codec_sniff(start, n));

  if (codec)
    return codec;
  if (n == 0) {
    ms_set_error(error, MS_ERROR_FORMAT, "'%s' is empty; get a fresh copy of it.", name);
    return NULL;
  }
  g_autofree char *titles = ms_codec_list_titles(ms_codec_is_readable, " or ");
  ms_set_error(error, MS_ERROR_FORMAT, "'%s' is not a %s file; convert it to one of them first.", name, titles);
  return NULL;
}

/* Reads the header, from the first byte; a header that is read again must be the same, as its size has been used. */
static gboolean
open_decoder(MsImageFile *self, GError **error)
{
  const int width = self->header.width, height = self->header.height;

  if (!ms_image_file_fill_block(self))
    return check_image_file(self, error);
  if (!self->codec)
    self->codec = find_codec(self->name, self->block, self->block_size, error);
  if (!self->codec)
    return FALSE;
  self->header = (MsImageHeader){.format = self->codec->format};
  self->codec->decoder->open(self);
  if (!self->error && width > 0 && (self->header.width != width || self->header.height != height)) {
    close_decoder(self);
    self->header.width = width;
    self->header.height = height;
    ms_set_error(&self->error, MS_ERROR_FORMAT, "'%s' was changed while it was read; try again.", self->name);
  }
  return check_image_file(self, error);
}

/* Gets the bytes of a pipe in pieces. */
typedef gboolean (*TakeBytes)(gpointer data, const guint8 *bytes, gsize size, GError **error);

/* Fills the piece, but for the last of the pipe. */
static gboolean
read_piece(const MsImageFile *self, int fd, guint8 *piece, gsize size, gsize *got, GError **error)
{
  MsStreamWait wait = self->limits.wait;
  gssize n = 1;

  wait.name = self->name;
  for (*got = 0; n > 0 && *got < size; *got += (gsize)MAX(n, 0))
    n = ms_stream_read(fd, piece + *got, size - *got, &wait, self->cancellable, error);
  return n >= 0;
}

/*
 * Reads a pipe to the end, since its size is unknown; stops at its first bytes where it holds no image, and at a size
 * that no accepted image can have.
 */
static gboolean
drain(const MsImageFile *self, int fd, guint64 most_bytes, TakeBytes take, gpointer data, GError **error)
{
  g_autofree guint8 *piece = g_malloc(READ_SIZE);
  guint64 most = MIN(self->limits.max_pixels, G_MAXUINT64 / 32) * MOST_BYTES_PER_PIXEL + self->limits.max_metadata;
  guint64 done = 0;
  gsize got = 0;

  if (most_bytes > 0)
    most = MIN(most, most_bytes);
  do {
    if (done > most) {
      ms_set_error(error, MS_ERROR_TOO_LARGE,
                   "'%s' has more bytes than the largest allowed picture; scale it down or raise the limit.",
                   self->name);
      return FALSE;
    }
    if (!read_piece(self, fd, piece, done == 0 ? MS_CODEC_MAGIC_SIZE : READ_SIZE, &got, error) ||
        (done == 0 && !find_codec(self->name, piece, got, error)) || !take(data, piece, got, error))
      return FALSE;
    done += got;
  } while (got > 0);
  return TRUE;
}

static gboolean
append_bytes(gpointer data, const guint8 *bytes, gsize size, GError **error)
{
  g_byte_array_append(data, bytes, (guint)size);
  return TRUE;
}

/* A pipe can be read only once and in order, so all of it is kept. */
static gboolean
keep_content(MsImageFile *self, int fd, GError **error)
{
  g_autoptr(GByteArray) content = g_byte_array_new();
  guint64 most = G_MAXUINT - READ_SIZE;

  if (self->limits.max_bytes > 0)
    most = MIN(most, self->limits.max_bytes);
  if (!drain(self, fd, most, append_bytes, content, error))
    return FALSE;
  self->bytes = g_byte_array_free_to_bytes(g_steal_pointer(&content));
  self->size = g_bytes_get_size(self->bytes);
  return TRUE;
}

/* Takes @self, and reads the header of the file that is open as @fd, which is closed where @owns. */
static MsImageFile *
open_fd(MsImageFile *self, int fd, gboolean owns, GError **error)
{
  g_autoptr(MsImageFile) file = self;
  struct stat info;

  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && owns) {
    file->fd = fd;
    file->size = (guint64)info.st_size;
  } else {
    gboolean good = keep_content(file, fd, error);
    if (owns)
      close(fd);
    if (!good)
      return NULL;
  }
  return open_decoder(file, error) ? g_steal_pointer(&file) : NULL;
}

/**
 * ms_image_file_open:
 * @path: an image file of any format in the table of codecs; its extension does not matter. A pipe or device is refused
 *   unless the limits accept it
 * @limits: (nullable): %NULL for ms_image_limits_default()
 * @cancellable: (nullable): checked for every row or block
 *
 * Reads the header of a file, and a pipe as a whole, since its bytes can be read only once.
 *
 * Returns: (transfer full): the file, or %NULL with %MS_ERROR_IO (cannot be read), %MS_ERROR_FORMAT (damaged or no
 *   image), %MS_ERROR_TOO_LARGE, %MS_ERROR_MEMORY, %MS_ERROR_UNSUPPORTED (not in this build) or %G_IO_ERROR_CANCELLED
 */
MsImageFile *
ms_image_file_open(const char *path, const MsImageLimits *limits, GCancellable *cancellable, GError **error)
{
  g_autofree char *name = ms_printable(path, "");
  const int fd = ms_file_open(path, limits && limits->accepts_streams);

  if (fd < 0)
    ms_file_fail_reading(error, path, errno);
  return fd >= 0 ? open_fd(new_file(name, limits, cancellable), fd, TRUE, error) : NULL;
}

/** ms_image_file_open_fd: ms_image_file_open() for what is open already, as standard input is; it is not closed. */
MsImageFile *
ms_image_file_open_fd(int fd, const char *name, const MsImageLimits *limits, GCancellable *cancellable, GError **error)
{
  return open_fd(new_file(name, limits, cancellable), fd, FALSE, error);
}

/** ms_image_file_open_bytes: ms_image_file_open() for the content of a file; @name: of it in messages. */
MsImageFile *
ms_image_file_open_bytes(GBytes *bytes, const char *name, const MsImageLimits *limits, GCancellable *cancellable,
                         GError **error)
{
  g_autoptr(MsImageFile) self = new_file(name, limits, cancellable);

  self->bytes = g_bytes_ref(bytes);
  self->size = g_bytes_get_size(bytes);
  return open_decoder(self, error) ? g_steal_pointer(&self) : NULL;
}

/* (transfer full): decodes the image or its preview. */
static MsImage *
decode(MsImageFile *self, MsDecoding how)
{
  if (how == MS_DECODING_PREVIEW && !self->codec->decoder->gives_previews)
    ms_image_file_refuse_preview(self);
  else
    self->codec->decoder->start(self, how);
  if (self->error)
    return NULL;
  const int width = self->stored.width, height = self->stored.height;
  guint8 *pixels = ms_image_file_alloc_pixels(self, (guint64)width, (guint64)height);
  if (!pixels)
    return NULL;
  self->codec->decoder->rows(self, pixels, height);
  if (!self->error)
    return ms_image_file_finish(self, pixels);
  ms_image_file_free_pixels(self, pixels);
  return NULL;
}

/**
 * ms_image_file_load:
 *
 * The image is upright (EXIF orientation applied), as RGBA with 8 bits a channel. Where self->scratch is set, for a
 * format that is read by rows, its pixels are in temporary files.
 *
 * Returns: (transfer full): the image, or %NULL with the errors of ms_image_file_open() or ms_scratch_file_map()
 */
MsImage *
ms_image_file_load(MsImageFile *self, GError **error)
{
  if (self->has_rows)
    close_decoder(self);
  if (!self->decoder && !open_decoder(self, error))
    return NULL;
  g_autoptr(MsImage) image = decode(self, MS_DECODING_WHOLE);
  if (image && self->damage[0])
    ms_image_set_damage(image, self->damage);
  close_decoder(self);
  return check_image_file(self, error) ? g_steal_pointer(&image) : NULL;
}

/**
 * ms_image_file_load_preview:
 *
 * Reads about an eighth of the width and height in less time than the whole. A file that has none can be loaded without
 * reading its header again.
 *
 * Returns: (transfer full): the upright preview, or %NULL with %MS_ERROR_UNSUPPORTED where the format or the file has
 *   none, or the errors of ms_image_file_load()
 */
MsImage *
ms_image_file_load_preview(MsImageFile *self, GError **error)
{
  if (!self->decoder && !open_decoder(self, error))
    return NULL;
  g_autoptr(MsImage) preview = decode(self, MS_DECODING_PREVIEW);
  if (!g_error_matches(self->error, MS_ERROR, MS_ERROR_UNSUPPORTED))
    close_decoder(self);
  return check_image_file(self, error) ? g_steal_pointer(&preview) : NULL;
}

/**
 * ms_image_file_start_rows: goes to the first row, also for another pass.
 *
 * Returns: %FALSE with the errors of ms_image_file_open(), or with %MS_ERROR_UNSUPPORTED where the rows of the upright
 *   image are not stored in order
 */
gboolean
ms_image_file_start_rows(MsImageFile *self, GError **error)
{
  if (!self->codec->decoder->gives_rows) {
    ms_set_error(error, MS_ERROR_UNSUPPORTED, "'%s' is a %s file, which cannot be read by rows.", self->name,
                 self->codec->title);
    return FALSE;
  }
  if (self->has_rows && self->next_row == 0)
    return TRUE;
  if (self->next_row > 0)
    close_decoder(self);
  if (!self->decoder && !open_decoder(self, error))
    return FALSE;
  const gboolean has_started = self->codec->decoder->start(self, MS_DECODING_ROWS);
  self->has_rows = has_started && ms_image_file_begin_rows(self);
  /* The decoder cannot start again for the whole image. */
  if (has_started && !self->has_rows)
    close_decoder(self);
  return check_image_file(self, error);
}

/** ms_image_file_rows: decodes the next @n rows, n * width * 4 bytes; FALSE with the errors of ms_image_file_open(). */
gboolean
ms_image_file_rows(MsImageFile *self, guint8 *into, int n, GError **error)
{
  self->codec->decoder->rows(self, into, n);
  if (self->colour && !self->error)
    ms_image_file_convert(self, self->colour, into, (gsize)self->header.width * (gsize)n);
  self->next_row += n;
  return check_image_file(self, error);
}

/** ms_image_file_get_damage: (nullable): what was damaged in the rows read so far of a file that is accepted so. */
const char *
ms_image_file_get_damage(const MsImageFile *self)
{
  return self->damage[0] ? self->damage : NULL;
}

/** ms_image_load: ms_image_file_open() and ms_image_file_load(). */
MsImage *
ms_image_load(const char *path, const MsImageLimits *limits, GCancellable *cancellable, GError **error)
{
  g_autoptr(MsImageFile) file = ms_image_file_open(path, limits, cancellable, error);

  return file ? ms_image_file_load(file, error) : NULL;
}

/** ms_image_load_bytes: ms_image_file_open_bytes() and ms_image_file_load(). */
MsImage *
ms_image_load_bytes(GBytes *bytes, const char *name, const MsImageLimits *limits, GCancellable *cancellable,
                    GError **error)
{
  g_autoptr(MsImageFile) file = ms_image_file_open_bytes(bytes, name, limits, cancellable, error);

  return file ? ms_image_file_load(file, error) : NULL;
}

/**
 * ms_image_peek_size:
 * @path: an image file; a pipe is refused, whose bytes can be read only once
 * @limits: (nullable): %NULL for ms_image_limits_default()
 * @header: (out): format and size of the upright picture
 *
 * For files that are not read afterwards, or much later.
 *
 * Returns: FALSE with the errors of ms_image_file_open()
 */
gboolean
ms_image_peek_size(const char *path, const MsImageLimits *limits, MsImageHeader *header, GError **error)
{
  MsImageLimits files = limits ? *limits : ms_image_limits_default();

  files.accepts_streams = FALSE;
  g_autoptr(MsImageFile) file = ms_image_file_open(path, &files, NULL, error);
  if (file)
    *header = file->header;
  return file != NULL;
}

static gboolean
write_bytes(gpointer data, const guint8 *bytes, gsize size, GError **error)
{
  int code = ms_pipe_output_write(*(const int *)data, bytes, size, NULL, NULL, error);

  if (code != 0)
    ms_set_error(error, MS_ERROR_IO,
                 "A temporary file for the bytes of a pipe cannot be written: %s; choose its folder with --scratch.",
                 ms_errno_text(code));
  return code == 0;
}

/**
 * ms_image_drain_to_file:
 * @path: of a pipe or device, "-" for standard input
 * @into: a file, open for writing
 *
 * Copies the bytes of a pipe into a file, for another process.
 *
 * Returns: %FALSE with the errors of ms_image_file_open(), or #MS_ERROR_IO where the file cannot be written
 */
gboolean
ms_image_drain_to_file(const char *path, int into, const MsImageLimits *limits, GCancellable *cancellable,
                       GError **error)
{
  gboolean standard = ms_file_path_is_standard(path);
  g_autofree char *name = standard ? g_strdup("standard input") : ms_printable(path, "");
  int fd = standard ? STDIN_FILENO : ms_file_open(path, TRUE);
  g_autoptr(MsImageFile) file = new_file(name, limits, cancellable);

  if (fd < 0)
    ms_file_fail_reading(error, path, errno);
  gboolean good = fd >= 0 && drain(file, fd, 0, write_bytes, &into, error);
  if (!standard && fd >= 0)
    close(fd);
  return good;
}

/** ms_image_is_stream: whether @path is a pipe or device, whose bytes can be read only once. */
gboolean
ms_image_is_stream(const char *path)
{
  struct stat info;

  return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}
