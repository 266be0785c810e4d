/* SPDX-License-Identifier: MIT */
/* Any bytes as a manifest: invalid lines are ignored, and the others can be looked up. */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "core/batch/batch.h"
#include "tests/fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autofree char *path = g_strdup_printf("%s/fuzz-manifest-%d.jsonl", g_get_tmp_dir(), (int)getpid());
  g_autoptr(GError) error = NULL;
  g_autoptr(MsBatchItem) item = ms_batch_item_new(1, "/etc/hostname", "hostname");
  MsBatchRequest request = ms_batch_request_default();

  request.save.format = MS_IMAGE_FORMAT_JPEG;
  g_assert_true(g_file_set_contents_full(path, (const char *)data, (gssize)size, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
  g_autoptr(MsManifest) manifest = ms_manifest_load(path, &error);
  g_unlink(path);
  g_assert_true((manifest == NULL) == (error != NULL));
  if (manifest) {
    for (request.resume = MS_RESUME_NO; request.resume <= MS_RESUME_HASH; request.resume++)
      ms_manifest_find_done(manifest, item, &request);
    ms_manifest_find_owner(manifest, "/tmp/out.png");
  }
  return 0;
}

GPtrArray *
ms_fuzz_seeds(void)
{
  static const char *const lines[] = {
    "{\"input\":\"/etc/hostname\",\"output\":\"/tmp/out.png\",\"format\":\"jpeg\",\"quality\":92,\"status\":\"done\","
    "\"settings\":\"--sp 10 --sr 20\",\"size\":6,\"sha256\":\"00\",\"modified\":1700000000,\"width\":4,\"height\":3}\n",
    "{\"input\":\"/a\\\\303\",\"status\":\"failed\",\"error\":\"No.\",\"settings\":\"\"}\n{\"input\":\"/b\",\"stat",
    "{\"input\":\"/etc/hostname\",\"output\":7,\"status\":7,\"settings\":5,\"size\":\"x\",\"quality\":[]}\n",
    "{\"input\":\"/etc/hostname\",\"output\":\"/etc/"
    "hostname\",\"status\":\"saving\",\"output_size\":6,\"output_inode\":-1}\n",
    "[[[[{\"input\":{}}]]]]\n{\"input\":null}\n\n[]\n",
  };
  GPtrArray *seeds = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);

  for (gsize i = 0; i < G_N_ELEMENTS(lines); i++)
    g_ptr_array_add(seeds, g_bytes_new_static(lines[i], strlen(lines[i])));
  g_ptr_array_add(seeds, g_bytes_new_take(g_strnfill(1000000, '['), 1000000));
  return seeds;
}
