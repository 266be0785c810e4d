/* SPDX-License-Identifier: MIT */
#include "ui/common/folder-pictures.h"

#include <string.h>

#include "core/image/codec.h"

typedef struct {
  char *name;
  char *key; /* sorts as the user's language does */
} Entry;

static int
compare_entries(gconstpointer a, gconstpointer b)
{
  return strcmp(((const Entry *)a)->key, ((const Entry *)b)->key);
}

/* Keys are made once for each name: comparing 10,000 names needs them 130,000 times. */
static GArray *
read_entries(const char *folder)
{
  GArray *entries = g_array_new(FALSE, FALSE, sizeof(Entry));
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name(dir))) {
    if (ms_codec_from_path(name) == MS_IMAGE_FORMAT_AUTO)
      continue;
    Entry entry = {g_strdup(name), g_utf8_collate_key_for_filename(name, -1)};
    g_array_append_val(entries, entry);
  }
  return entries;
}

/** ms_folder_pictures: (transfer full) (element-type utf8): the names of the files that the program can open */
GPtrArray *
ms_folder_pictures(const char *folder)
{
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GArray) entries = read_entries(folder);

  g_array_sort(entries, compare_entries);
  for (guint i = 0; i < entries->len; i++) {
    Entry *entry = &g_array_index(entries, Entry, i);
    g_ptr_array_add(names, entry->name);
    g_free(entry->key);
  }
  return names;
}
