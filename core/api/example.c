/* SPDX-License-Identifier: MIT */
/* Filters an image file: cc example.c $(pkg-config --cflags --libs meanshift-lab-1) && ./a.out in.png out.png */
#include <meanshift-lab.h>

static gboolean
filter_file(const char *input, const char *output, GError **error)
{
  const MslabJob job = {.settings = "sp=10,sr=20"};
  g_auto(MslabImage) image = {0};
  g_auto(MslabImage) result = {0};
  g_autoptr(MslabDevice) device = mslab_open("auto", error);

  return device && mslab_load(input, NULL, &image, error) && mslab_filter(device, &image, &job, &result, error) &&
         mslab_save(output, &result, NULL, error);
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
