/* SPDX-License-Identifier: MIT */
/* Disjoint sets of numbered members, each of which refers to itself or to an earlier member of its set. */
#pragma once

#include <glib.h>

/** ms_disjoint_sets_find: the first member of the set of @at; halves the path to it. */
static inline guint32
ms_disjoint_sets_find(guint32 *parents, guint32 at)
{
  while (parents[at] != at) {
    parents[at] = parents[parents[at]];
    at = parents[at];
  }
  return at;
}
