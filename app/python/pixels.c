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

static GBytes *
get_bytes(Py_buffer *view, gsize *stride)
{
  gsize row = (gsize)(view->shape[1] * view->shape[2]);
  guint8 *copy = NULL;

  if (has_plain_rows(view) && view->len > 0) {
    *stride = (gsize)view->strides[0];
    return g_bytes_new_static(view->buf, (gsize)(view->shape[0] - 1) * *stride + row);
  }
  *stride = row;
  copy = g_try_malloc((gsize)MAX(view->len, 1));
  if (!copy || PyBuffer_ToContiguous(copy, view, view->len, 'C') < 0) {
    g_free(copy);
    return NULL;
  }
  return g_bytes_new_take(copy, (gsize)view->len);
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
  g_autoptr(GBytes) bytes = get_bytes(&self->view, &stride);
  g_autoptr(GError) error = NULL;

  if (!bytes) {
    if (!PyErr_Occurred())
      PyErr_NoMemory();
    return -1;
  }
  self->channels = (int)self->view.shape[2];
  self->image =
    mslab_image_new(bytes, (int)self->view.shape[1], (int)self->view.shape[0], stride, self->channels, &error);
  if (!self->image)
    ms_python_failure_raise(state, error);
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
  gboolean same = result->ndim == 3 && is_bytes(result) && has_plain_rows(result);

  for (int i = 0; same && i < 3; i++)
    same = result->shape[i] == self->view.shape[i];
  if (!same)
    PyErr_SetString(state->usage_error, "The array for the result needs the shape and the type of the image.");
  return same ? 0 : -1;
}
