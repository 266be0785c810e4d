/* SPDX-License-Identifier: MIT */
/* Filters an image file: cc example.c $(pkg-config --cflags --libs meanshift-lab-1) && ./a.out in.png out.png */
#include <meanshift-lab.h>

static gboolean
filter_file(const char *input, const char *output, GError **error)
{
  g_autoptr(MslabEngine) engine = mslab_engine_open("auto", error);
  g_autoptr(MslabSettings) settings = mslab_settings_new();
  g_autoptr(MslabImage) image = NULL;
  g_autoptr(MslabImage) result = NULL;

  if (!engine || !mslab_settings_set(settings, "sp", "10", error) || !mslab_settings_set(settings, "sr", "20", error))
    return FALSE;
  image = mslab_image_load(input, NULL, error);
  result = image ? mslab_engine_filter(engine, image, settings, NULL, error) : NULL;
  return result && mslab_image_save(result, output, NULL, error);
}

int
main(int argc, char **argv)
{
  g_autoptr(GError) error = NULL;

  if (argc == 3 && filter_file(argv[1], argv[2], &error))
    return 0;
  g_printerr("%s\n", error ? error->message : "usage: example INPUT OUTPUT");
  return 1;
}
