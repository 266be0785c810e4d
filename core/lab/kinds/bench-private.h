/* SPDX-License-Identifier: MIT */
/* The fields of MsLabBench, for the files of this module. */
#pragma once

#include "core/lab/kinds/bench.h"

/* Generated elements; @buffer is %NULL until a subject asks for them on the device. */
typedef struct {
  MsElementType type;
  guint64 n;
  void *data;
  cl_mem buffer;
} MsLabArray;

struct _MsLabBench {
  MsContext *context;
  GPtrArray *contexts;
  MsImage *image;
  GHashTable *scenes;    /* "WxH" -> MsImage */
  GPtrArray *references; /* Reference */
  GPtrArray *arrays;     /* MsLabArray */
  char *scratch_file;
  double reference_s;   /* seconds that a reference may take, 0 for any time */
  guint reference_step; /* the reference holds the bands of rows whose index is a multiple of this */
};
