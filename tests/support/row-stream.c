/* SPDX-License-Identifier: MIT */
#include "tests/support/row-stream.h"

#include <string.h>

#define WRONG 0xa5

static gsize
row_bytes(const TestStream *self)
{
  return (gsize)ms_image_get_stride(self->picture);
}

static gboolean
read_rows(int end, gpointer data, GError **error)
{
  TestStream *self = data;
  const gsize row = row_bytes(self);

  /* Rows are written meanwhile, so that there may be fewer in memory than this allows. */
  g_assert_cmpint(end, <=, g_atomic_int_get(&self->n_written) + self->stream.most_rows + self->halo);
  g_assert_cmpint(end, <=, ms_image_get_height(self->picture));
  /* What is written is not computed again. */
  g_assert_cmpint(end, >, g_atomic_int_get(&self->n_written));
  if (self->fails_reading > 0 && end >= self->fails_reading) {
    ms_set_error_literal(error, MS_ERROR_FORMAT, "The file ends here.");
    return FALSE;
  }
  if (end <= self->n_read)
    return TRUE;
  memcpy(self->pixels + (gsize)self->n_read * row, ms_image_get_pixels(self->picture) + (gsize)self->n_read * row,
         (gsize)(end - self->n_read) * row);
  self->n_read = end;
  return TRUE;
}

static gboolean
write_rows(guint8 *pixels, MsRows rows, gpointer data, GError **error)
{
  TestStream *self = data;
  const gsize row = row_bytes(self);
  const int end = rows.first + rows.count, gone = MAX(0, end - self->halo), gone_before = rows.first - self->halo;
  g_autofree guint8 *own = pixels;

  g_assert_cmpint(rows.first, ==, self->n_written);
  g_assert_cmpint(rows.count, <=, self->stream.most_rows);
  if (self->fails_writing > 0 && end >= self->fails_writing) {
    ms_set_error_literal(error, MS_ERROR_IO, "The disk is full.");
    return FALSE;
  }
  g_assert_cmpmem(own, (gsize)rows.count * row, ms_image_get_pixels(self->expected) + (gsize)rows.first * row,
                  (gsize)rows.count * row);
  if (gone > 0)
    memset(self->pixels + (gsize)MAX(0, gone_before) * row, WRONG, (gsize)(gone - MAX(0, gone_before)) * row);
  g_atomic_int_set(&self->n_written, end);
  if (self->after_write)
    self->after_write(self->data);
  return TRUE;
}

/**
 * test_stream_init:
 * @expected: the result
 * @halo: rows above and below that can influence a row
 * @most_rows: that may be in memory
 */
void
test_stream_init(TestStream *self, MsImage *picture, MsImage *expected, int halo, int most_rows)
{
  const gsize bytes = ms_image_get_byte_size(picture);
  guint8 *pixels = g_malloc(bytes);

  memset(pixels, WRONG, bytes);
  *self =
    (TestStream){.picture = g_object_ref(picture), .expected = g_object_ref(expected), .pixels = pixels, .halo = halo};
  self->source = ms_image_new_take(ms_image_get_width(picture), ms_image_get_height(picture), pixels,
                                   ms_image_get_metadata(picture));
  self->stream = (MsRowStream){.most_rows = most_rows, .read = read_rows, .write = write_rows, .data = self};
}

void
test_stream_clear(TestStream *self)
{
  g_clear_object(&self->source);
  g_clear_object(&self->picture);
  g_clear_object(&self->expected);
}
