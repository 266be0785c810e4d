/* SPDX-License-Identifier: MIT */
#include "api-fixture.h"

MslabEngine *
api_fixture_open(const char *selector)
{
  g_autoptr(GError) error = NULL;
  MslabEngine *engine = mslab_engine_open(selector, &error);

  g_assert_no_error(error);
  return engine;
}

void
api_fixture_assert_equal(MslabImage *a, MslabImage *b)
{
  g_autoptr(GBytes) bytes_a = mslab_image_get_pixels(a);
  g_autoptr(GBytes) bytes_b = mslab_image_get_pixels(b);

  g_assert_cmpint(mslab_image_get_width(a), ==, mslab_image_get_width(b));
  g_assert_true(g_bytes_equal(bytes_a, bytes_b));
}

void
api_fixture_on_progress(int done, int total, gpointer data)
{
  g_assert_cmpint(total, ==, HEIGHT);
  g_atomic_int_set((int *)data, done);
}
