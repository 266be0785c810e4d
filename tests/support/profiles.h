/* SPDX-License-Identifier: MIT */
/* Colour profiles for tests, made without a library. */
#pragma once

#include <glib.h>

GBytes *ms_test_profile_wide(double gamma);
GBytes *ms_test_profile_tables(gboolean leads_back);
