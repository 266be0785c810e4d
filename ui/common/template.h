/* SPDX-License-Identifier: MIT */
/* What a class of widgets takes from its .ui file, as one table. */
#pragma once

#include <gtk/gtk.h>

/** MsTemplatePart: an object of the file that a member of the instance holds, or a function that its signals call. */
typedef struct {
  const char *name;
  gssize offset;
  GCallback function; /* (nullable): for a function */
} MsTemplatePart;

#define MS_TEMPLATE_CHILD(Type, member)                                                                                \
  {                                                                                                                    \
#member, G_STRUCT_OFFSET(Type, member), NULL                                                                       \
  }
#define MS_TEMPLATE_CALLBACK(function)                                                                                 \
  {                                                                                                                    \
#function, 0, G_CALLBACK(function)                                                                                 \
  }

void ms_template_bind(gpointer klass, const char *file, const MsTemplatePart *parts, gsize n);
