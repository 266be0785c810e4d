/* SPDX-License-Identifier: MIT */
#include "core/image/stream/row-file.h"

#include <gio/gunixinputstream.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/image/codec.h"
#include "core/image/image-io.h"

struct _MsRowFile {
  MsImageSource source;
  MsImageLimits limits;
  char *name;
  MsRowReader *reader;
};

static gboolean
open_source(MsRowFile *self, const MsRowInput *input, GError **error)
{
  g_autoptr(GInputStream) base = NULL;
  struct stat info;

  if (input->content) {
    self->source.bytes = g_bytes_ref(input->content);
    self->source.size = g_bytes_get_size(input->content);
    base = g_memory_input_stream_new_from_bytes(input->content);
  } else {
    self->source.fd = ms_image_open_file(input->path, self->name, error);
    if (self->source.fd < 0)
      return FALSE;
    gboolean is_file = fstat(self->source.fd, &info) == 0 && S_ISREG(info.st_mode);
    self->source.size = is_file ? (guint64)info.st_size : G_MAXUINT64;
    base = g_unix_input_stream_new(self->source.fd, FALSE);
  }
  self->source.stream = ms_image_buffered_stream(base);
  return TRUE;
}

static MsRowReader *
open_reader(MsRowFile *self, GError **error)
{
  const MsCodec *codec = ms_image_find_codec(&self->source, error);

  if (!codec)
    return NULL;
  if (codec->open_rows)
    return codec->open_rows(&self->source, error);
  ms_set_error(error, MS_ERROR_UNSUPPORTED, "'%s' is a %s file, which cannot be read by rows.", self->name,
               codec->title);
  return NULL;
}

static MsRowFile *
new_file(const MsRowInput *input, GCancellable *cancellable, GError **error)
{
  g_autoptr(MsRowFile) self = g_new0(MsRowFile, 1);

  self->name = g_strdup(input->name);
  self->limits = *input->limits;
  self->source = (MsImageSource){.name = self->name, .limits = &self->limits, .fd = -1};
  self->source.cancellable = cancellable ? g_object_ref(cancellable) : NULL;
  return open_source(self, input, error) ? g_steal_pointer(&self) : NULL;
}

/**
 * ms_row_file_open:
 * @cancellable: (nullable): checked for every row
 *
 * Returns: (transfer full): the file, at the first row; %NULL with the errors of ms_image_load(), or with
 *   %MS_ERROR_UNSUPPORTED where the rows of the upright image are not stored in order
 */
MsRowFile *
ms_row_file_open(const MsRowInput *input, GCancellable *cancellable, GError **error)
{
  g_autoptr(MsRowFile) self = new_file(input, cancellable, error);

  if (!self)
    return NULL;
  self->reader = open_reader(self, error);
  return self->reader ? g_steal_pointer(&self) : NULL;
}

/**
 * ms_row_file_load_scratch:
 * @scratch: in whose temporary files the pixels are
 *
 * Loads a file whose rows are not stored in order, of a format that is read by rows otherwise.
 *
 * Returns: (transfer full): the upright image; %NULL with the errors of ms_image_load() or ms_scratch_file_map()
 */
MsImage *
ms_row_file_load_scratch(const MsRowInput *input, MsScratchFile *scratch, GCancellable *cancellable, GError **error)
{
  g_autoptr(MsRowFile) self = new_file(input, cancellable, error);
  const MsCodec *codec = self ? ms_image_find_codec(&self->source, error) : NULL;

  if (!codec)
    return NULL;
  g_return_val_if_fail(codec->open_rows, NULL);
  self->source.scratch = scratch;
  MsImage *image = codec->read(&self->source, error);
  if (image && ms_row_file_get_damage(self))
    ms_image_set_damage(image, self->source.damage);
  return image;
}

/** ms_row_file_get_damage: (nullable): what was damaged in the rows read so far, of a file that is accepted damaged. */
const char *
ms_row_file_get_damage(MsRowFile *self)
{
  return self->source.damage[0] != '\0' ? self->source.damage : NULL;
}

/** ms_row_file_get_reader: (transfer none): the size of the image and its metadata. */
const MsRowReader *
ms_row_file_get_reader(MsRowFile *self)
{
  return self->reader;
}

/** ms_row_file_read: writes the next row, width * 4 bytes; %FALSE with the errors of ms_image_load(). */
gboolean
ms_row_file_read(MsRowFile *self, guint8 *row, GError **error)
{
  return self->reader->read(self->reader, row, error);
}

void
ms_row_file_close(MsRowFile *self)
{
  if (self->reader)
    self->reader->close(self->reader);
  g_clear_object(&self->source.stream);
  g_clear_pointer(&self->source.bytes, g_bytes_unref);
  g_clear_object(&self->source.cancellable);
  if (self->source.fd >= 0)
    close(self->source.fd);
  g_free(self->name);
  g_free(self);
}
