/* SPDX-License-Identifier: MIT */
/*
 * bench-colour CMYK-PROFILE: processor time of one core for conversions to sRGB, of this program and of Little CMS, by
 * the given profile of inks, of L*a*b*, by a profile of tables and by one of a matrix.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <lcms2.h>

#include "core/image/colour/colour.h"
#include "tests/support/profiles.h"

#define SIDE 1024
#define N (SIDE * SIDE)
#define REPEATS 5

static double
cpu_ms(void)
{
  struct timespec time;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* Noise, or planes of colour with little noise as in a photograph. */
static void
fill(guint8 *pixels, gboolean is_noise)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(9);

  for (int i = 0; i < 4 * N; i++) {
    const int x = i / 4 % SIDE, y = i / 4 / SIDE, k = i % 4;
    pixels[i] = is_noise ? (guint8)g_rand_int(random)
                         : (guint8)(x / 8 * 3 + y / 8 * (k + 1) + k * 40 + g_rand_int_range(random, 0, 7));
  }
}

/* icc: (nullable) */
static cmsHTRANSFORM
peer_of(GBytes *icc, cmsUInt32Number layout)
{
  cmsHPROFILE from = icc ? cmsOpenProfileFromMem(g_bytes_get_data(icc, NULL), (cmsUInt32Number)g_bytes_get_size(icc))
                         : cmsCreateLab4Profile(NULL);

  return cmsCreateTransform(from, layout, cmsCreate_sRGBProfile(), TYPE_RGBA_8, INTENT_PERCEPTUAL, 0);
}

static void
measure(const char *name, GBytes *icc, MsColourPixels pixels, cmsUInt32Number layout, gboolean is_noise)
{
  const double start = cpu_ms();
  g_autoptr(MsColour) colour = ms_colour_new(icc, pixels, NULL);
  const double made = cpu_ms() - start;
  cmsHTRANSFORM peer = peer_of(icc, layout);
  g_autofree guint8 *given = g_malloc(4 * N), *own = g_malloc(4 * N), *others = g_malloc(4 * N);
  double own_ms = G_MAXDOUBLE, others_ms = G_MAXDOUBLE, sum = 0;

  fill(given, is_noise);
  for (int i = 0; i < REPEATS; i++) {
    memcpy(own, given, 4 * N);
    memcpy(others, given, 4 * N);
    const double begin = cpu_ms();
    ms_colour_convert(colour, own, N);
    const double middle = cpu_ms();
    cmsDoTransform(peer, others, others, N);
    own_ms = MIN(own_ms, middle - begin);
    others_ms = MIN(others_ms, cpu_ms() - middle);
  }
  for (int i = 0; i < 4 * N; i++)
    sum += i % 4 < 3 ? abs(own[i] - others[i]) : 0;
  printf("%-16s %-10s %5.1f ms a megapixel, Little CMS %5.1f, mean difference %.3f; prepared in %.0f ms\n", name,
         is_noise ? "noise" : "photograph", own_ms * 1e6 / N, others_ms * 1e6 / N, sum / (3.0 * N), made);
  cmsDeleteTransform(peer);
}

int
main(int argc, char **argv)
{
  char *data = NULL;
  gsize size = 0;

  if (argc != 2 || !g_file_get_contents(argv[1], &data, &size, NULL)) {
    fputs("usage: bench-colour CMYK-PROFILE\n", stderr);
    return 2;
  }
  g_autoptr(GBytes) inks = g_bytes_new_take(data, size), rgb = ms_test_profile_tables(TRUE);
  g_autoptr(GBytes) wide = ms_test_profile_wide(2.2);
  for (int is_noise = 0; is_noise < 2; is_noise++) {
    measure("CMYK", inks, MS_COLOUR_CMYK, TYPE_CMYK_8, is_noise);
    measure("L*a*b*", NULL, MS_COLOUR_LAB, TYPE_Lab_8 | EXTRA_SH(1), is_noise);
    measure("RGB by tables", rgb, MS_COLOUR_RGBA, TYPE_RGBA_8, is_noise);
    measure("RGB by a matrix", wide, MS_COLOUR_RGBA, TYPE_RGBA_8, is_noise);
  }
  return 0;
}
