/* SPDX-License-Identifier: MIT */
#include "core/error.h"

G_DEFINE_QUARK(ms - error - quark, ms_error)
