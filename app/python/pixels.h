/* SPDX-License-Identifier: MIT */
/* Images over the memory of Python objects, by the buffer protocol. */
#pragma once

#include "app/python/module.h"

#include <meanshift-lab.h>

/**
 * MsPythonPixels: an image whose memory belongs to a Python object.
 * @view: the object's memory, held until ms_python_pixels_clear()
 * @channels: samples of a pixel
 * @image: (nullable): the image; it shares the memory where that has four channels and no gaps
 */
typedef struct {
  Py_buffer view;
  int channels;
  MslabImage *image;
} MsPythonPixels;

int ms_python_pixels_open(MsPythonPixels *self, const MsPythonState *state, PyObject *array);
void ms_python_pixels_clear(MsPythonPixels *self);
int ms_python_pixels_check_result(const MsPythonPixels *self, const MsPythonState *state, const Py_buffer *result);
void ms_python_pixels_copy_result(MslabImage *image, const Py_buffer *result);
