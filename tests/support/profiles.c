/* SPDX-License-Identifier: MIT */
#include "tests/support/profiles.h"

#include <math.h>
#include <string.h>

#define HEADER 128
#define ENTRY 12
#define N_TAGS 7

static void
put_number(GByteArray *out, gsize at, guint32 value)
{
  const guint32 big = GUINT32_TO_BE(value);

  memcpy(out->data + at, &big, sizeof big);
}

/* Adds a tag of @size bytes, whose content is zero, as number @i of the table; returns the place of its content. */
static gsize
add_tag(GByteArray *out, guint i, const char *name, const char *type, gsize size)
{
  const gsize at = out->len, entry = HEADER + 4 + (gsize)i * ENTRY;

  g_byte_array_set_size(out, (guint)(at + size));
  memset(out->data + at, 0, size);
  memcpy(out->data + at, type, 4);
  memcpy(out->data + entry, name, 4);
  put_number(out, entry + 4, (guint32)at);
  put_number(out, entry + 8, (guint32)size);
  return at + 8;
}

static guint32
fixed(double value)
{
  return (guint32)(gint32)lround(value * 65536);
}

/** ms_test_profile_wide: (transfer full): a profile with the primaries of Adobe RGB and a curve of @gamma. */
GBytes *
ms_test_profile_wide(double gamma)
{
  static const struct {
    const char *name;
    double xyz[3];
  } colours[] = {{"rXYZ", {0.60974, 0.31111, 0.01947}},
                 {"gXYZ", {0.20528, 0.62567, 0.06087}},
                 {"bXYZ", {0.14918, 0.06322, 0.74457}},
                 {"wtpt", {0.9642, 1.0, 0.8249}}};
  static const char *const curves[] = {"rTRC", "gTRC", "bTRC"};
  const guint start = HEADER + 4 + N_TAGS * ENTRY;
  g_autoptr(GByteArray) out = g_byte_array_new();

  g_byte_array_set_size(out, start);
  memset(out->data, 0, start);
  put_number(out, 8, 0x02100000);
  memcpy(out->data + 12, "mntrRGB XYZ ", 12);
  memcpy(out->data + 36, "acsp", 4);
  for (int k = 0; k < 3; k++)
    put_number(out, 68 + 4 * (gsize)k, fixed(colours[3].xyz[k]));
  put_number(out, HEADER, N_TAGS);
  for (guint i = 0; i < G_N_ELEMENTS(colours); i++) {
    const gsize at = add_tag(out, i, colours[i].name, "XYZ ", 20);
    for (int k = 0; k < 3; k++)
      put_number(out, at + 4 * (gsize)k, fixed(colours[i].xyz[k]));
  }
  for (guint i = 0; i < G_N_ELEMENTS(curves); i++) {
    /* One entry, in 256ths, is an exponent; tags begin at multiples of four. */
    const gsize at = add_tag(out, G_N_ELEMENTS(colours) + i, curves[i], "curv", 16);
    put_number(out, at, 1);
    put_number(out, at + 4, (guint32)lround(gamma * 256) << 16);
  }
  put_number(out, 0, out->len);
  return g_byte_array_free_to_bytes(g_steal_pointer(&out));
}
