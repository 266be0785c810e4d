/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target without libFuzzer, as an ordinary test: over its seeds, over the files named on the command line,
 * and over MS_FUZZ_INPUTS damaged copies of both, the same ones on every machine. With MS_FUZZ_SECONDS it goes on with
 * further copies until these are over.
 */
#include <string.h>

#include "tests/fuzz/fuzz.h"

#define MOST_INPUT (1 << 20)

static char **files;

static double
read_number(const char *variable)
{
  const char *given = g_getenv(variable);

  return given ? g_ascii_strtod(given, NULL) : 0;
}

static GPtrArray *
all_seeds(void)
{
  GPtrArray *seeds = ms_fuzz_seeds();

  for (char **file = files; *file; file++) {
    g_autoptr(GError) error = NULL;
    char *content;
    gsize size;
    g_assert_true(g_file_get_contents(*file, &content, &size, &error));
    g_ptr_array_add(seeds, g_bytes_new_take(content, size));
  }
  return seeds;
}

static void
try_input(const guint8 *data, gsize size)
{
  /* A copy of exactly that size, so that the sanitizers see a read beyond it. */
  g_autofree guint8 *copy = g_memdup2(data, size);

  LLVMFuzzerTestOneInput(copy, size);
}

static gsize
some_offset(GRand *random, GByteArray *input)
{
  return g_rand_int(random) % input->len;
}

static void
change_bytes(GRand *random, GByteArray *input)
{
  static const guint8 extremes[] = {0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff};
  guint8 *p = input->data + some_offset(random, input);

  switch (g_rand_int_range(random, 0, 3)) {
  case 0:
    *p ^= 1 << g_rand_int_range(random, 0, 8);
    break;
  case 1:
    *p = extremes[g_rand_int_range(random, 0, G_N_ELEMENTS(extremes))];
    break;
  default:
    *p = g_rand_int(random);
  }
}

/* A large number where a length or a size may stand. */
static void
change_number(GRand *random, GByteArray *input)
{
  static const guint8 numbers[][4] = {
    {0x00, 0x00, 0x00, 0x00}, {0x00, 0x00, 0xff, 0xff}, {0x00, 0x01, 0x00, 0x00},
    {0x7f, 0xff, 0xff, 0xff}, {0x80, 0x00, 0x00, 0x00}, {0xff, 0xff, 0xff, 0xff},
  };
  gsize at = some_offset(random, input);

  memcpy(input->data + at, numbers[g_rand_int_range(random, 0, G_N_ELEMENTS(numbers))], MIN(4, input->len - at));
}

static void
remove_range(GRand *random, GByteArray *input)
{
  gsize at = some_offset(random, input);
  gsize n = 1 + g_rand_int(random) % (input->len - at);

  if (n < input->len)
    g_byte_array_remove_range(input, at, MIN(n, 64));
}

static void
repeat_range(GRand *random, GByteArray *input)
{
  gsize at = some_offset(random, input);
  gsize n = MIN(64, input->len - at);
  guint8 piece[64];

  if (input->len + n > MOST_INPUT)
    return;
  memcpy(piece, input->data + at, n);
  g_byte_array_append(input, piece, n);
  memmove(input->data + at + n, input->data + at, input->len - at - n);
  memcpy(input->data + at, piece, n);
}

static void
cut_end(GRand *random, GByteArray *input)
{
  g_byte_array_set_size(input, 1 + some_offset(random, input));
}

static void
damage(GRand *random, GByteArray *input)
{
  static void (*const ways[])(GRand * random, GByteArray * input) = {
    change_bytes, change_bytes, change_bytes, change_number, remove_range, repeat_range, cut_end,
  };
  int n = 1 << g_rand_int_range(random, 0, 4);

  for (int i = 0; i < n; i++)
    ways[g_rand_int_range(random, 0, G_N_ELEMENTS(ways))](random, input);
}

static void
test_seeds(void)
{
  g_autoptr(GPtrArray) seeds = all_seeds();

  for (guint i = 0; i < seeds->len; i++) {
    gsize size;
    const guint8 *data = g_bytes_get_data(g_ptr_array_index(seeds, i), &size);
    try_input(data, size);
  }
}

static void
test_damaged(void)
{
  g_autoptr(GPtrArray) seeds = all_seeds();
  g_autoptr(GRand) random = g_rand_new_with_seed(1975);
  const double seconds = read_number("MS_FUZZ_SECONDS");
  const guint inputs = (guint)read_number("MS_FUZZ_INPUTS");
  g_autoptr(GTimer) timer = g_timer_new();
  guint tried = 0;

  g_assert_cmpuint(inputs, >, 0);
  while (tried < inputs || g_timer_elapsed(timer, NULL) < seconds) {
    g_autoptr(GByteArray) input = g_byte_array_new();
    gsize size;
    const guint8 *data = g_bytes_get_data(g_ptr_array_index(seeds, tried % seeds->len), &size);
    tried++;
    if (size == 0 || size > MOST_INPUT)
      continue;
    g_byte_array_append(input, data, size);
    damage(random, input);
    try_input(input->data, input->len);
  }
  g_test_message("%u inputs", tried);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  files = argv + 1;
  g_test_add_func("/fuzz/seeds", test_seeds);
  g_test_add_func("/fuzz/damaged", test_damaged);
  return g_test_run();
}
