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

/* The primaries of Adobe RGB and the white of all profiles. */
static const struct {
  const char *name;
  double xyz[3];
} colours[] = {{"rXYZ", {0.60974, 0.31111, 0.01947}},
               {"gXYZ", {0.20528, 0.62567, 0.06087}},
               {"bXYZ", {0.14918, 0.06322, 0.74457}},
               {"wtpt", {0.9642, 1.0, 0.8249}}};

/* kind: its class, its colours and those that they are converted to, four letters each */
static GByteArray *
begin_profile(const char *kind, guint n_tags)
{
  const guint start = HEADER + 4 + n_tags * ENTRY;
  GByteArray *out = g_byte_array_new();

  g_byte_array_set_size(out, start);
  memset(out->data, 0, start);
  put_number(out, 8, 0x02100000);
  memcpy(out->data + 12, kind, 12);
  memcpy(out->data + 36, "acsp", 4);
  for (int k = 0; k < 3; k++)
    put_number(out, 68 + 4 * (gsize)k, fixed(colours[3].xyz[k]));
  put_number(out, HEADER, n_tags);
  return out;
}

/** ms_test_profile_wide: (transfer full): a profile with the primaries of Adobe RGB and a curve of @gamma. */
GBytes *
ms_test_profile_wide(double gamma)
{
  static const char *const curves[] = {"rTRC", "gTRC", "bTRC"};
  g_autoptr(GByteArray) out = begin_profile("mntrRGB XYZ ", N_TAGS);

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

/* ---- A profile of tables. */

#define SIDE 17

/* The colours of the tables are close to L*a*b*: L* is the mean of the three, a* and b* are differences of them. */
static void
to_lab(const double rgb[3], double lab[3])
{
  lab[0] = 100 * (rgb[0] + rgb[1] + rgb[2]) / 3;
  lab[1] = 100 * (rgb[0] - rgb[1]);
  lab[2] = 100 * ((rgb[0] + rgb[1]) / 2 - rgb[2]);
}

static void
from_lab(const double lab[3], double rgb[3])
{
  rgb[2] = (lab[0] - lab[2] * 2 / 3) / 100;
  rgb[0] = (lab[0] + lab[2] / 3 + lab[1] / 2) / 100;
  rgb[1] = (lab[0] + lab[2] / 3 - lab[1] / 2) / 100;
}

static void
put_short(GByteArray *out, gsize at, double value)
{
  const guint16 big = GUINT16_TO_BE((guint16)lround(CLAMP(value, 0, 65535)));

  memcpy(out->data + at, &big, sizeof big);
}

/* The numbers of one node, of which 65280 is 100 for L*, and 0 is -128 for the other two. */
static void
put_node(GByteArray *out, gsize at, const double place[3], gboolean is_to_lab)
{
  double value[3],
    lab[3] = {place[0] * 100 * 65535 / 65280, place[1] * 65535 / 256 - 128, place[2] * 65535 / 256 - 128};

  if (is_to_lab) {
    to_lab(place, value);
    put_short(out, at, value[0] * 652.8);
    put_short(out, at + 2, (value[1] + 128) * 256);
    put_short(out, at + 4, (value[2] + 128) * 256);
    return;
  }
  from_lab(lab, value);
  for (gsize k = 0; k < 3; k++)
    put_short(out, at + 2 * k, value[k] * 65535);
}

static void
add_table(GByteArray *out, guint i, const char *name, gboolean is_to_lab)
{
  enum { CURVES = 3 * 2 * 2, NODES = SIDE * SIDE * SIDE, FIXED = 8 + 4 + 36 + 4 };
  /* Tags begin at multiples of four. */
  gsize at = add_tag(out, i, name, "mft2", (FIXED + 2 * CURVES + NODES * 6 + 3) / 4 * 4);

  memcpy(out->data + at, (guint8[]){3, 3, SIDE, 0}, 4);
  for (gsize k = 0; k < 3; k++)
    put_number(out, at + 4 + 16 * k, fixed(1));
  put_short(out, at + 40, 2);
  put_short(out, at + 42, 2);
  at += 44;
  for (gsize k = 0; k < 6; k++)
    put_short(out, k < 3 ? at + 4 * k + 2 : at + CURVES + NODES * 6 + 4 * (k - 3) + 2, 65535);
  at += CURVES;
  for (int node = 0; node < NODES; node++)
    put_node(out, at + (gsize)node * 6,
             (double[]){(double)(node / SIDE / SIDE) / (SIDE - 1), (double)(node / SIDE % SIDE) / (SIDE - 1),
                        (double)(node % SIDE) / (SIDE - 1)},
             is_to_lab);
}

/**
 * ms_test_profile_tables: (transfer full): a profile of tables in both directions.
 * @leads_back: whether one undoes the other, else the second is that of the first direction
 */
GBytes *
ms_test_profile_tables(gboolean leads_back)
{
  g_autoptr(GByteArray) out = begin_profile("prtrRGB Lab ", 2);

  add_table(out, 0, "A2B0", TRUE);
  add_table(out, 1, "B2A0", !leads_back);
  put_number(out, 0, out->len);
  return g_byte_array_free_to_bytes(g_steal_pointer(&out));
}
