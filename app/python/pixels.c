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

/* The memory of the object where it has plain rows, with @channels samples a pixel; otherwise a copy with four. */
static GBytes *
get_bytes(const Py_buffer *view, gsize *stride, int *channels)
{
  gsize row = (gsize)(view->shape[1] * view->shape[2]);
  guint8 *copy = NULL;

  *channels = (int)view->shape[2];
  *stride = row;
  if (view->len == 0 || *channels < 3)
    return g_bytes_new_static(view->buf, (gsize)view->len);
  if (has_plain_rows(view)) {
    *stride = (gsize)view->strides[0];
    return g_bytes_new_static(view->buf, (gsize)(view->shape[0] - 1) * *stride + row);
  }
  *channels = 4;
  *stride = (gsize)view->shape[1] * 4;
  copy = gather(view);
  return copy ? g_bytes_new_take(copy, (gsize)view->shape[0] * *stride) : NULL;
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

static int
make_image(MsPythonPixels *self, const MsPythonState *state)
{
  gsize stride = 0;
  int channels = 0;
  g_autoptr(GBytes) bytes = get_bytes(&self->view, &stride, &channels);
  g_autoptr(GError) error = NULL;

  if (!bytes) {
    PyErr_NoMemory();
    return -1;
  }
  self->channels = (int)self->view.shape[2];
  self->image = mslab_image_new(bytes, (int)self->view.shape[1], (int)self->view.shape[0], stride, channels, &error);
  if (!self->image)
    ms_python_module_raise(state, error);
  return self->image ? 0 : -1;
}

/** ms_python_pixels_open: takes the image of @array; 0, or -1 with an exception set and nothing to clear. */
int
ms_python_pixels_open(MsPythonPixels *self, const MsPythonState *state, PyObject *array)
{
  *self = (MsPythonPixels){0};
  if (PyObject_GetBuffer(array, &self->view, PyBUF_STRIDED_RO | PyBUF_FORMAT) < 0)
    return -1;
  if (check_form(state, &self->view) == 0 && make_image(self, state) == 0)
    return 0;
  ms_python_pixels_clear(self);
  return -1;
}

void
ms_python_pixels_clear(MsPythonPixels *self)
{
  g_clear_object(&self->image);
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

/** ms_python_pixels_copy_result: copies a filtered image into @result, whose samples may lie in any order. */
void
ms_python_pixels_copy_result(MslabImage *image, const Py_buffer *result)
{
  g_autoptr(GBytes) bytes = NULL;

  if (has_plain_rows(result)) {
    mslab_image_copy_rows(image, result->buf, (gsize)result->strides[0], (int)result->shape[2]);
    return;
  }
  bytes = mslab_image_get_pixels(image);
  copy_rows(result, (guint8 *)g_bytes_get_data(bytes, NULL), scatter_row);
}
