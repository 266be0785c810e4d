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

/* A row of four samples a pixel; one that has three becomes opaque. */
static void
gather_row(const Py_buffer *view, const guint8 *row, guint8 *into)
{
  const Py_ssize_t step = view->strides[1], sample = view->strides[2];
  const gboolean opaque = view->shape[2] == 3;

  for (Py_ssize_t x = 0; x < view->shape[1]; x++, row += step, into += 4) {
    into[0] = row[0];
    into[1] = row[sample];
    into[2] = row[2 * sample];
    into[3] = opaque ? G_MAXUINT8 : row[3 * sample];
  }
}

/* One copy serves every order of samples, pixels and rows; %NULL without the memory. */
static guint8 *
gather(const Py_buffer *view)
{
  const gsize stride = (gsize)view->shape[1] * 4;
  guint8 *pixels = g_try_malloc_n((gsize)view->shape[0], stride);

  for (Py_ssize_t y = 0; pixels && y < view->shape[0]; y++)
    gather_row(view, (const guint8 *)view->buf + y * view->strides[0], pixels + (gsize)y * stride);
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

/* Copies the samples of a row of four a pixel, whatever their order in @result. */
static void
scatter_row(const guint8 *pixels, const Py_buffer *result, guint8 *row)
{
  for (Py_ssize_t x = 0; x < result->shape[1]; x++, row += result->strides[1], pixels += 4)
    for (Py_ssize_t c = 0; c < result->shape[2]; c++)
      row[c * result->strides[2]] = pixels[c];
}

/** ms_python_pixels_copy_result: copies a filtered image into @result, whose samples may lie in any order. */
void
ms_python_pixels_copy_result(MslabImage *image, const Py_buffer *result)
{
  const gsize stride = (gsize)result->shape[1] * 4;
  g_autoptr(GBytes) bytes = NULL;

  if (has_plain_rows(result)) {
    mslab_image_copy_rows(image, result->buf, (gsize)result->strides[0], (int)result->shape[2]);
    return;
  }
  bytes = mslab_image_get_pixels(image);
  const guint8 *pixels = g_bytes_get_data(bytes, NULL);
  for (Py_ssize_t y = 0; y < result->shape[0]; y++)
    scatter_row(pixels + (gsize)y * stride, result, (guint8 *)result->buf + y * result->strides[0]);
}
