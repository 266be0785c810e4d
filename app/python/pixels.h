/* SPDX-License-Identifier: MIT */
/* Images over the memory of Python objects, by the buffer protocol. */
#pragma once

#include "app/python/module.h"

#include <meanshift-lab.h>

/**
 * MsPythonPixels: an image whose memory belongs to a Python object.
 * @view: the object's memory, held until ms_python_pixels_clear()
 * @copy: (nullable): its pixels in order, with four samples each, where they are in no order that the library reads
 * @image: the image in either of them
 */
typedef struct {
  Py_buffer view;
  guint8 *copy;
  MslabImage image;
} MsPythonPixels;

int ms_python_pixels_open(MsPythonPixels *self, const MsPythonState *state, PyObject *array);
void ms_python_pixels_clear(MsPythonPixels *self);
int ms_python_pixels_check_result(const MsPythonPixels *self, const MsPythonState *state, const Py_buffer *result);
MslabImage ms_python_pixels_get_result(const Py_buffer *result);
void ms_python_pixels_copy_result(const MslabImage *image, const Py_buffer *result);
