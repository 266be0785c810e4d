/* SPDX-License-Identifier: MIT */
#include "app/python/pixels.h"

#include <string.h>

static gboolean
is_bytes(const Py_buffer *view)
{
  return view->itemsize == 1 && (!view->format || strcmp(view->format, "B") == 0);
}

/* Whether the samples of a pixel and the pixels of a row follow each other, with rows in ascending order. */
static gboolean
has_plain_rows(const Py_buffer *view)
{
  return view->strides[2] == 1 && view->strides[1] == view->shape[2] &&
         view->strides[0] >= view->shape[1] * view->shape[2];
}

/* Columns of an array of Fortran order that are copied at a time: their cache lines fit into the first-level cache. */
enum { NARROW = 16 };

typedef void (*CopyRow)(const Py_buffer *view, guint8 *samples, guint8 *pixels, Py_ssize_t columns);

/* Copies between @view and @pixels, which has rows of four samples a pixel. Where columns are contiguous, each sample
 * of a row lies in another cache line. Few columns are copied at a time, so that these lines serve the next rows. */
static void
copy_rows(const Py_buffer *view, guint8 *pixels, CopyRow copy_row)
{
  const Py_ssize_t columns = view->shape[1];
  const Py_ssize_t width = ABS(view->strides[0]) < ABS(view->strides[1]) ? NARROW : columns;

  for (Py_ssize_t left = 0; left < columns; left += width)
    for (Py_ssize_t y = 0; y < view->shape[0]; y++)
      copy_row(view, (guint8 *)view->buf + y * view->strides[0] + left * view->strides[1],
               pixels + (y * columns + left) * 4, MIN(width, columns - left));
}

/* A pixel that has three samples becomes opaque. */
static void
gather_row(const Py_buffer *view, guint8 *samples, guint8 *pixels, Py_ssize_t columns)
{
  const Py_ssize_t step = view->strides[1], sample = view->strides[2];
  const gboolean opaque = view->shape[2] == 3;

  for (Py_ssize_t x = 0; x < columns; x++, samples += step, pixels += 4) {
    pixels[0] = samples[0];
    pixels[1] = samples[sample];
    pixels[2] = samples[2 * sample];
    pixels[3] = opaque ? G_MAXUINT8 : samples[3 * sample];
  }
}

/* One copy serves every order of samples, pixels and rows; %NULL without the memory. */
static guint8 *
gather(const Py_buffer *view)
{
  guint8 *pixels = g_try_malloc_n((gsize)view->shape[0], (gsize)view->shape[1] * 4);

  if (pixels)
    copy_rows(view, pixels, gather_row);
  return pixels;
}

static int
check_form(const MsPythonState *state, const Py_buffer *view)
{
  if (view->ndim == 3 && is_bytes(view) && view->shape[0] <= G_MAXINT && view->shape[1] <= G_MAXINT &&
      view->shape[2] <= 4)
    return 0;
  PyErr_SetString(state->usage_error, "An image is an array of height x width x 3 or 4 values of uint8.");
  return -1;
}

/* The memory of @view where it is; make_image() copies what has other strides, and the library refuses wrong sizes. */
static MslabImage
image_of(const Py_buffer *view)
{
  const int height = (int)view->shape[0], width = (int)view->shape[1], channels = (int)view->shape[2];

  return (MslabImage){view->buf, width, height, (gsize)MAX(view->strides[0], width * channels), channels, NULL};
}

static int
make_image(MsPythonPixels *self)
{
  self->image = image_of(&self->view);
  if (self->view.len == 0 || self->view.shape[2] < 3 || has_plain_rows(&self->view))
    return 0;
  self->copy = gather(&self->view);
  self->image = (MslabImage){self->copy, self->image.width, self->image.height, (gsize)self->image.width * 4, 4, NULL};
  if (!self->copy)
    PyErr_NoMemory();
  return self->copy ? 0 : -1;
}

/** ms_python_pixels_open: takes the image of @array; 0, or -1 with an exception set and nothing to clear. */
int
ms_python_pixels_open(MsPythonPixels *self, const MsPythonState *state, PyObject *array)
{
  *self = (MsPythonPixels){0};
  if (PyObject_GetBuffer(array, &self->view, PyBUF_STRIDED_RO | PyBUF_FORMAT) < 0)
    return -1;
  if (check_form(state, &self->view) == 0 && make_image(self) == 0)
    return 0;
  ms_python_pixels_clear(self);
  return -1;
}

void
ms_python_pixels_clear(MsPythonPixels *self)
{
  g_clear_pointer(&self->copy, g_free);
  PyBuffer_Release(&self->view);
}

/** ms_python_pixels_check_result: 0 if @result can hold a result of the same shape, or -1 with an exception set. */
int
ms_python_pixels_check_result(const MsPythonPixels *self, const MsPythonState *state, const Py_buffer *result)
{
  if (!is_bytes(result)) {
    PyErr_SetString(state->usage_error, "The array for the result needs values of uint8.");
    return -1;
  }
  for (int i = 0; i < 3; i++)
    if (result->ndim != 3 || result->shape[i] != self->view.shape[i]) {
      PyErr_SetString(state->usage_error, "The array for the result needs the shape of the image.");
      return -1;
    }
  return 0;
}

static void
scatter_row(const Py_buffer *result, guint8 *samples, guint8 *pixels, Py_ssize_t columns)
{
  for (Py_ssize_t x = 0; x < columns; x++, samples += result->strides[1], pixels += 4)
    for (Py_ssize_t c = 0; c < result->shape[2]; c++)
      samples[c * result->strides[2]] = pixels[c];
}

/**
 * ms_python_pixels_get_result: the memory of @result, or {0} where its rows are not plain; the library allocates then.
 */
MslabImage
ms_python_pixels_get_result(const Py_buffer *result)
{
  return has_plain_rows(result) ? image_of(result) : (MslabImage){0};
}

/** ms_python_pixels_copy_result: copies a filtered image into @result, whose samples lie in another order. */
void
ms_python_pixels_copy_result(const MslabImage *image, const Py_buffer *result)
{
  copy_rows(result, image->pixels, scatter_row);
}
