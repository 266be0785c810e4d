/* SPDX-License-Identifier: MIT */
/* The element types of arrays: their names, sizes and kinds. */
#pragma once

#include <glib.h>

#include "core/error.h"

typedef enum {
  MS_ELEMENT_UCHAR,
  MS_ELEMENT_CHAR,
  MS_ELEMENT_USHORT,
  MS_ELEMENT_SHORT,
  MS_ELEMENT_INT,
  MS_ELEMENT_UINT,
  MS_ELEMENT_FLOAT,
  MS_ELEMENT_DOUBLE,
  MS_ELEMENT_N_TYPES,
} MsElementType;

/** ms_element_type_names: %NULL-terminated: the types as OpenCL C and --type spell them. */
extern const char *const ms_element_type_names[];

const char *ms_element_type_name(MsElementType type);
gboolean ms_element_type_parse(const char *text, MsElementType *type, GError **error);
gsize ms_element_type_size(MsElementType type);
gboolean ms_element_type_is_real(MsElementType type);
gboolean ms_element_type_is_signed(MsElementType type);
const char *ms_element_type_lowest(MsElementType type);
const char *ms_element_type_highest(MsElementType type);
void ms_elements_to_integers(MsElementType type, const void *from, guint n, gint64 *into);
void ms_elements_to_doubles(MsElementType type, const void *from, guint n, double *into);
