/* SPDX-License-Identifier: MIT */
/* The headers of libraries that most files of the window include: see core/precompiled/libraries.h. */
#include <gtk/gtk.h>

#include "core/precompiled/libraries.h"
