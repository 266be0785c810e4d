/* SPDX-License-Identifier: MIT */
#include "core/image/tiff-reader.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/error.h"

G_GNUC_PRINTF(4, 0)
static int
on_error(TIFF *tiff, void *data, const char *module, const char *format, va_list arguments)
{
  MsTiffReader *self = data;
  g_autofree char *message = g_strdup_vprintf(format, arguments);

  if (self->error == NULL && !(self->reads_rows && ms_image_source_accepts(self->source, message)))
    ms_set_error(&self->error, MS_ERROR_FORMAT, "'%s' is a damaged TIFF file (%s); get a fresh copy of it.",
                 self->source->name, message);
  return 1;
}

/*
 * Ignores most warnings, which are about tags that libtiff does not know or corrects. Those of libjpeg, and data that
 * end early, mean that pixels are wrong.
 */
G_GNUC_PRINTF(4, 0)
static int
on_warning(TIFF *tiff, void *data, const char *module, const char *format, va_list arguments)
{
  if (g_strcmp0(module, "JPEGLib") == 0 || strstr(format, "remature") != NULL)
    on_error(tiff, data, module, format, arguments);
  return 1;
}

/* Returns 0 on an error, because libtiff 4.5 adds a result of -1 to its position and writes before its buffer. */
static tmsize_t
on_read(thandle_t handle, void *buffer, tmsize_t size)
{
  MsTiffReader *self = handle;
  gssize got = self->error ? 0 : ms_image_source_read_at(self->source, self->at, buffer, size, &self->error);

  self->at += MAX(got, 0);
  return MAX(got, 0);
}

static tmsize_t
on_no_write(thandle_t handle, void *buffer, tmsize_t size)
{
  return -1;
}

static toff_t
on_seek(thandle_t handle, toff_t offset, int whence)
{
  MsTiffReader *self = handle;

  switch (whence) {
  case SEEK_CUR:
    self->at += offset;
    break;
  case SEEK_END:
    self->at = self->source->size + offset;
    break;
  default:
    self->at = offset;
  }
  return self->at;
}

static int
on_close(thandle_t handle)
{
  return 0;
}

static toff_t
on_size(thandle_t handle)
{
  MsTiffReader *self = handle;

  return self->source->size;
}

/**
 * ms_tiff_reader_refuse: sets an error for a @kind of TIFF that is not supported; the first error is kept.
 *
 * Returns: %FALSE
 */
gboolean
ms_tiff_reader_refuse(MsTiffReader *self, const char *kind)
{
  if (self->error == NULL)
    ms_set_error_phrase(&self->error, MS_ERROR_FORMAT,
                        "'%s' is of a kind of TIFF that cannot be read (%s); convert it to PNG.", self->source->name,
                        kind);
  return FALSE;
}

/**
 * ms_tiff_reader_damaged: sets an error for a damaged file; the first error is kept.
 *
 * Returns: %FALSE
 */
gboolean
ms_tiff_reader_damaged(MsTiffReader *self, const char *what)
{
  if (self->error == NULL)
    ms_set_error_phrase(&self->error, MS_ERROR_FORMAT, "'%s' is a damaged TIFF file (%s); get a fresh copy of it.",
                        self->source->name, what);
  return FALSE;
}

/** ms_tiff_reader_open: opens the first directory; %FALSE with the error in @self. */
gboolean
ms_tiff_reader_open(MsTiffReader *self)
{
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
  guint64 most = MIN(self->source->limits->max_pixels, G_MAXINT64 / 64) * 4 * sizeof(double) + MS_TIFF_SMALL_ALLOCATION;

  TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, self);
  TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, self);
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)most);
  /*
   * "m" keeps the file from being mapped into memory: if another program truncated it, a mapping would end this
   * process.
   */
  self->tiff = TIFFClientOpenExt(self->source->name, "rm", self, on_read, on_no_write, on_seek, on_close, on_size, NULL,
                                 NULL, options);
  TIFFOpenOptionsFree(options);
  if (self->tiff == NULL)
    ms_tiff_reader_damaged(self, N_("it has no directory"));
  return self->tiff != NULL && self->error == NULL;
}

/** ms_tiff_reader_close: frees all but the error. */
void
ms_tiff_reader_close(MsTiffReader *self)
{
  if (self->tiff != NULL)
    TIFFClose(self->tiff);
  g_clear_pointer(&self->metadata, ms_metadata_unref);
  ms_image_source_free_pixels(self->source, self->pixels);
  g_free(self->block);
  g_free(self->row);
  g_free(self->tiles);
}
