/* SPDX-License-Identifier: MIT */
/* MslabReduction: the result of reducing an array. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define MSLAB_TYPE_REDUCTION (mslab_reduction_get_type())

G_DECLARE_FINAL_TYPE(MslabReduction, mslab_reduction, MSLAB, REDUCTION, GObject)

double mslab_reduction_get_number(MslabReduction *self);
gboolean mslab_reduction_is_integer(MslabReduction *self);
char *mslab_reduction_get_text(MslabReduction *self);
gboolean mslab_reduction_get_range(MslabReduction *self, double *minimum, double *maximum);
gboolean mslab_reduction_get_positions(MslabReduction *self, guint64 *minimum_at, guint64 *maximum_at);

G_END_DECLS
