/* SPDX-License-Identifier: MIT */
/* Any bytes as the file of an experiment: it is read or refused with a sentence. */
#include <string.h>

#include "core/lab/experiment/experiment-file.h"
#include "tests/fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsExperiment) experiment = ms_experiment_parse("fuzz", (const char *)data, (gssize)size, &error);

  g_assert_true((experiment == NULL) == (error != NULL));
  if (error)
    g_assert_cmpuint(strlen(error->message), >, 10);
  return 0;
}

/* The experiments that are shipped. */
GPtrArray *
ms_fuzz_seeds(void)
{
  GPtrArray *seeds = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
  g_autofree char *folder = g_build_filename(g_getenv("MS_SOURCE_ROOT"), "data", "experiments", NULL);
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);

  g_assert_nonnull(dir);
  for (const char *name = g_dir_read_name(dir); name; name = g_dir_read_name(dir)) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    char *text;
    gsize length;
    if (!g_str_has_suffix(name, ".experiment"))
      continue;
    g_assert_true(g_file_get_contents(path, &text, &length, NULL));
    g_ptr_array_add(seeds, g_bytes_new_take(text, length));
  }
  return seeds;
}
