/* SPDX-License-Identifier: MIT */
#include "core/reduce/generated-array.h"

#include <inttypes.h>

#define ALIGNMENT 4096
#define REAL_LOW (-0.25)
#define REAL_OF(bits) ((bits) / 4294967296.0 + REAL_LOW)

static guint32
mix(guint32 seed, guint64 i)
{
  guint64 x = (i + 1) * 0x9e3779b97f4a7c15ull ^ ((guint64)seed << 32);

  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  return (guint32)(x >> 27);
}

#define FILL(ctype, value)                                                                                             \
  for (guint64 i = 0; i < n; i++) {                                                                                    \
    const guint32 bits = mix(seed, i);                                                                                 \
    ((ctype *)data)[i] = (ctype)(value);                                                                               \
  }

static void
fill(MsElementType type, void *data, guint64 n, guint32 seed)
{
  switch (type) {
  case MS_ELEMENT_UCHAR:
  case MS_ELEMENT_CHAR:
    FILL(guint8, bits)
    break;
  case MS_ELEMENT_USHORT:
  case MS_ELEMENT_SHORT:
    FILL(guint16, bits)
    break;
  case MS_ELEMENT_INT:
  case MS_ELEMENT_UINT:
    FILL(guint32, bits)
    break;
  case MS_ELEMENT_FLOAT:
    FILL(float, REAL_OF(bits))
    break;
  case MS_ELEMENT_DOUBLE:
    FILL(double, REAL_OF(bits))
    break;
  case MS_ELEMENT_N_TYPES:
    g_assert_not_reached();
  }
}

/**
 * ms_generated_array_new:
 *
 * Returns: (transfer full): @n elements, aligned to 4096 bytes; free with free(). %NULL with #MS_ERROR_USAGE for none,
 *   #MS_ERROR_MEMORY for too many
 */
void *
ms_generated_array_new(MsElementType type, guint64 n, guint32 seed, GError **error)
{
  gsize size = ms_element_type_size(type);
  void *data = NULL;

  if (n == 0) {
    ms_set_error(error, MS_ERROR_USAGE, "The array is empty; a reduction needs at least one element.");
    return NULL;
  }
  if (n <= G_MAXSIZE / 2 / size)
    data = aligned_alloc(ALIGNMENT, (n * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
  if (!data) {
    ms_set_error(error, MS_ERROR_MEMORY, "There is no memory for %" PRIu64 " elements of type %s.", n,
                 ms_element_type_name(type));
    return NULL;
  }
  fill(type, data, n, seed);
  return data;
}
