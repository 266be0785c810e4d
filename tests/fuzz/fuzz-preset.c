/* SPDX-License-Identifier: MIT */
/* Any bytes as a file of the user's presets: each preset is applied or refused with a sentence. */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "core/filter/settings/filter-presets.h"
#include "tests/fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autofree char *path = g_strdup_printf("%s/fuzz-preset-%d.ini", g_get_tmp_dir(), (int)getpid());

  g_assert_true(g_file_set_contents_full(path, (const char *)data, (gssize)size, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
  g_autoptr(MsPresets) presets = ms_presets_new(path);
  g_unlink(path);
  g_auto(GStrv) names = ms_presets_list(presets, TRUE);
  for (gsize i = 0; names[i]; i++) {
    g_autoptr(GError) error = NULL;
    MsSettings settings = ms_settings_default();
    g_auto(GStrv) keys = ms_presets_keys(presets, names[i]);
    gboolean taken = ms_presets_apply(presets, names[i], &settings, &error);
    g_assert_true(taken == (error == NULL));
    if (error)
      g_assert_cmpuint(strlen(error->message), >, 10);
  }
  return 0;
}

GPtrArray *
ms_fuzz_seeds(void)
{
  static const char *const texts[] = {
    "[soft]\nsp=10\nsr=20\nlevels=1\n",
    "[fast]\nkernel=rows\nunroll=2\nwork-group=32x4\n\n[precise]\nepsilon=0.5\nmax-iterations=50\nspace=lab\n",
    "[wrong]\nsp=soft\nnothing=1\n[soft\nsr",
  };
  GPtrArray *seeds = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);

  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
    g_ptr_array_add(seeds, g_bytes_new_static(texts[i], strlen(texts[i])));
  return seeds;
}
