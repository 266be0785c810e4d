/* SPDX-License-Identifier: MIT */
/*
 * Any text as the value of each option, as the variant of a reduction, as the settings of an experiment, as a shard and
 * as a template for names: it is accepted or refused with a sentence, and an accepted text is printed back unchanged.
 */
#include <string.h>

#include "core/batch/naming.h"
#include "core/batch/shard.h"
#include "core/factors.h"
#include "core/filter/settings/settings.h"
#include "core/reduce/reduce-options.h"
#include "tests/fuzz/fuzz.h"

static void
assert_told(gboolean taken, const GError *error)
{
  g_assert_true(taken == (error == NULL));
  if (error)
    g_assert_cmpuint(strlen(error->message), >, 10);
}

static void
try_options(const char *text)
{
  const MsOptionInfo *table = ms_options.rows;

  for (guint i = 0; i < ms_options.n_rows; i++) {
    MsSettings settings = ms_settings_default(), again = ms_settings_default();
    g_autoptr(GError) error = NULL;
    gboolean taken = ms_option_set_text(&table[i], &settings, text, &error);
    assert_told(taken, error);
    if (!taken)
      continue;
    g_autofree char *value = ms_option_get_text(&table[i], &settings);
    g_assert_true(ms_option_set_text(&table[i], &again, value, &error));
    g_assert_true(ms_settings_equal(&settings, &again));
  }
}

static void
try_variant(const char *text)
{
  g_autoptr(GError) error = NULL;
  MsReduceOptions options, again;
  gboolean taken = ms_reduce_variant_parse(text, &options, &error);

  assert_told(taken, error);
  if (!taken)
    return;
  g_autofree char *variant = ms_reduce_variant_to_string(&options, NULL);
  g_assert_true(ms_reduce_variant_parse(variant, &again, &error));
  g_assert_cmpmem(&options, sizeof options, &again, sizeof again);
}

static void
try_factors(const char *text)
{
  g_autoptr(GError) error = NULL, meaningless = NULL;
  g_autoptr(MsFactors) factors = ms_factors_parse(text, &error);
  MsSettings settings = ms_settings_default();

  assert_told(factors != NULL, error);
  if (!factors)
    return;
  g_autofree char *written = ms_factors_to_string(factors);
  g_autoptr(MsFactors) again = ms_factors_parse(written, NULL);
  g_assert_true(again && ms_factors_equal(factors, again));
  gboolean taken = ms_settings_from_factors(factors, &settings, &meaningless);
  assert_told(taken, meaningless);
}

static void
try_names(const char *text)
{
  g_autoptr(GError) shard_error = NULL, name_error = NULL;
  const MsNameParts parts = {.stem = "stem", .extension = "png", .device = "device", .seq = 1, .seq_digits = 3};
  MsShard shard;

  gboolean taken = ms_shard_parse(text, &shard, &shard_error);
  assert_told(taken, shard_error);
  taken = ms_naming_check(text, &name_error);
  assert_told(taken, name_error);
  if (taken) {
    g_autofree char *name = ms_naming_expand(text, &parts);
    g_assert_false(ms_naming_is_folder(name));
    g_assert_false(g_path_is_absolute(name));
  }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autofree char *text = g_strndup((const char *)data, size);

  try_options(text);
  try_variant(text);
  try_factors(text);
  try_names(text);
  return 0;
}

GPtrArray *
ms_fuzz_seeds(void)
{
  static const char *const texts[] = {
    "10.5",
    "10.00000000001",
    "1e3",
    "32x4",
    "buffer",
    "on",
    "auto",
    "rows-wide",
    "2/8",
    "{stem}-{sp}-{sr}-{device}-{seq}.{ext}",
    "vector=4,stride=local,times=8",
    "minmax-36,times=8",
    "sum-9",
    "unroll:2 memory:image sp:5.5 sr:20",
    "size:640x480",
  };
  GPtrArray *seeds = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);

  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
    g_ptr_array_add(seeds, g_bytes_new_static(texts[i], strlen(texts[i])));
  return seeds;
}
