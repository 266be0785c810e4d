/* SPDX-License-Identifier: MIT */
#include "core/reduce/sort/sort-serial.h"

#include <stdlib.h>

static int
compare_uint(const void *a, const void *b)
{
  guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;

  return (x > y) - (x < y);
}

static int
compare_int(const void *a, const void *b)
{
  gint32 x = *(const gint32 *)a, y = *(const gint32 *)b;

  return (x > y) - (x < y);
}

/* IEEE total order, by the same keys as in sort/convert.cl. */
static int
compare_float(const void *a, const void *b)
{
  guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;

  x ^= x & 0x80000000u ? 0xffffffffu : 0x80000000u;
  y ^= y & 0x80000000u ? 0xffffffffu : 0x80000000u;
  return (x > y) - (x < y);
}

/** ms_sort_serial: sorts with qsort() in the order of ms_sort_buffer(). */
void
ms_sort_serial(MsElementType type, void *keys, guint64 n)
{
  g_return_if_fail(type == MS_ELEMENT_UINT || type == MS_ELEMENT_INT || type == MS_ELEMENT_FLOAT);

  qsort(keys, n, 4, type == MS_ELEMENT_UINT ? compare_uint : type == MS_ELEMENT_INT ? compare_int : compare_float);
}
