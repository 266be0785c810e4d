/* SPDX-License-Identifier: MIT */
/* The inside of MsLabBench, for the files that fill it. */
#pragma once

#include "core/lab/kinds/bench.h"

G_BEGIN_DECLS

/* Generated elements; on the device too once somebody asked for them there. */
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
};

void ms_lab_array_free(gpointer data);

G_END_DECLS
