/* SPDX-License-Identifier: MIT */
/* MsFactors: one configuration as an ordered list of key=value pairs, named as on the command line. */
#pragma once

#include <glib.h>

typedef struct _MsFactors MsFactors;

MsFactors *ms_factors_new(void);
MsFactors *ms_factors_parse(const char *text, GError **error);
MsFactors *ms_factors_copy(const MsFactors *self);
void ms_factors_free(MsFactors *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsFactors, ms_factors_free)

void ms_factors_set(MsFactors *self, const char *key, const char *value);
void ms_factors_merge(MsFactors *self, const MsFactors *over);
const char *ms_factors_get(const MsFactors *self, const char *key);
const char *ms_factors_get_or(const MsFactors *self, const char *key, const char *fallback);
guint ms_factors_size(const MsFactors *self);
const char *ms_factors_key(const MsFactors *self, guint index);
const char *ms_factors_value(const MsFactors *self, guint index);
gboolean ms_factors_equal(const MsFactors *a, const MsFactors *b);
gboolean ms_factors_contains(const MsFactors *self, const MsFactors *subset);
char *ms_factors_to_string(const MsFactors *self);

gboolean ms_factors_parse_size(const char *text, gint64 *width, gint64 *height, GError **error);
