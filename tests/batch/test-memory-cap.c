/* SPDX-License-Identifier: MIT */
/* The division of a memory limit, and allocations that fail beyond it. */
#include <sys/mman.h>
#include <sys/resource.h>

#include "core/process/memory-cap.h"
#include "core/error.h"
#include "core/image/png.h"
#include "core/image/common/pixel-memory.h"
#include "tests/support/cases.h"

#define MIB (G_GUINT64_CONSTANT(1) << 20)
#define LIMIT (512 * MIB)

static void
test_share(void)
{
  g_assert_cmpuint(ms_memory_cap_share(1000, 0), ==, 1000);
  g_assert_cmpuint(ms_memory_cap_share(1000, 400), ==, 300);
  g_assert_cmpuint(ms_memory_cap_share(400, 400), ==, 0);
  g_assert_cmpuint(ms_memory_cap_share(1, 400), ==, 0);
  g_assert_cmpuint(ms_memory_cap_needed(300, 0), ==, 300);
  g_assert_cmpuint(ms_memory_cap_share(ms_memory_cap_needed(300, 400), 400), ==, 300);
}

static void *
map(guint64 bytes)
{
  return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void
refuse_beyond_limit(void)
{
  ms_memory_cap_hold(LIMIT, 0);
  g_assert_true(map(64 * MIB) != MAP_FAILED);
  g_assert_true(map(LIMIT) == MAP_FAILED);
  /* Addresses that are not writable take no memory. */
  g_assert_true(mmap(NULL, 4 * LIMIT, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
}

static void
refuse_rows_beyond_limit(void)
{
  g_autoptr(GError) error = NULL;

  ms_memory_cap_hold(LIMIT, 0);
  /* Each row has 1 MiB, and the window four times the limit. */
  g_autoptr(MsRowWindow) window = ms_row_window_new(1 << 18, 2048, NULL);
  for (int end = 64; end <= 2048; end += 64) {
    g_assert_true(ms_row_window_hold(window, end, NULL));
    ms_row_window_get_row(window, end - 1)[0] = 7;
    ms_row_window_drop(window, end);
  }
  g_autoptr(MsRowWindow) other = ms_row_window_new(1 << 18, 2048, NULL);
  g_assert_true(ms_row_window_hold(other, 64, &error));
  g_assert_cmpuint(ms_row_window_get_row(other, 63)[0], ==, 0);
  g_assert_false(ms_row_window_hold(other, 2048, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_MEMORY);
}

static void
use_a_quarter_of_the_addresses(void)
{
  const struct rlimit addresses = {256 * MIB, RLIM_INFINITY};
  const guint64 usual = ms_memory_cap_usual();
  struct rlimit before;

  g_assert_cmpuint(usual, >, 64 * MIB);
  g_assert_cmpint(getrlimit(RLIMIT_AS, &before), ==, 0);
  g_assert_cmpint(setrlimit(RLIMIT_AS, &addresses), ==, 0);
  const guint64 limited = ms_memory_cap_usual();
  g_assert_cmpint(setrlimit(RLIMIT_AS, &before), ==, 0);
  g_assert_cmpuint(limited, ==, 64 * MIB);
}

/* A limit of the system cannot be raised again, so that each case has a process. */
static void
test_in_process(gconstpointer run)
{
  if (g_test_subprocess()) {
    ((void (*)(void))run)();
    return;
  }
  g_test_trap_subprocess(NULL, 0, 0);
  g_test_trap_assert_passed();
}

/* An image whose opaque form alone is small enough to be compressed as a whole. */
static void
test_png_of_three_samples(void)
{
  const guint64 rows_of_three = G_GUINT64_CONSTANT(5000) * 4000 * 3;
  MsSaveOptions save = ms_save_options_default();

  g_assert_cmpuint(ms_png_encoder.bytes(5000, 4000, &save), >=, rows_of_three);
  g_assert_cmpuint(ms_png_encoder.bytes(8000, 6000, &save), <, 16 * MIB);
  save.saves_memory = TRUE;
  g_assert_cmpuint(ms_png_encoder.bytes(5000, 4000, &save), <, 16 * MIB);
}

void
ms_test_memory_cap(void)
{
  g_test_add_func("/memory-cap/share", test_share);
  g_test_add_func("/memory-cap/png-of-three-samples", test_png_of_three_samples);
  g_test_add_data_func("/memory-cap/beyond", refuse_beyond_limit, test_in_process);
  g_test_add_data_func("/memory-cap/rows-beyond", refuse_rows_beyond_limit, test_in_process);
  g_test_add_data_func("/memory-cap/usual", use_a_quarter_of_the_addresses, test_in_process);
}
