/* SPDX-License-Identifier: MIT */
/*
 * Numbers, labels, sentences and settings as text in the user's locale and in the words of the window; “–” where a
 * value is missing.
 */
#pragma once

#include "core/filter/settings/settings.h"

#define MS_NO_NUMBER "–"

char *ms_format_ms(double ms);
char *ms_format_about(double ms);
char *ms_format_progress(double done, double ms);
char *ms_format_ns(double ns);
char *ms_format_cell_ms(double ms);
char *ms_format_bytes(guint64 bytes);
char *ms_format_rate(double gb_per_s);
char *ms_format_share(double share);
char *ms_format_plain(const char *label);
char *ms_format_count(guint64 count);
char *ms_format_ratio(double ratio);
char *ms_words_of_window(const char *sentence);
char *ms_settings_text(const MsSettings *settings, const char *const *names, gboolean toggles_first);
