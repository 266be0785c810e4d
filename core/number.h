/* SPDX-License-Identifier: MIT */
/* Numbers as text for a person, the same in every locale. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *ms_number_text(double value);

G_END_DECLS
