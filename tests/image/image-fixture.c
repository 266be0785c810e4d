/* SPDX-License-Identifier: MIT */
#include "tests/image/image-fixture.h"

#include <string.h>
#include <unistd.h>

#include "core/image/image-save.h"
#include "tests/support/image-files.h"

void
image_fixture_set_up(ImageFixture *self, gconstpointer data)
{
  self->folder = ms_test_folder_new();
  self->target = g_build_filename(self->folder, "picture.png", NULL);
  self->image = ms_test_image_random(120, 90, 42, FALSE, NULL);
}

void
image_fixture_tear_down(ImageFixture *self, gconstpointer data)
{
  g_object_unref(self->image);
  g_free(self->target);
  ms_test_folder_remove(self->folder);
}

gboolean
image_fixture_save(ImageFixture *self, const char *path, gboolean overwrite, GError **error)
{
  MsSaveOptions options = ms_save_options_default();

  options.overwrite = overwrite;
  return ms_image_save(self->image, path, &options, NULL, NULL, error);
}

/** image_fixture_assert_saved: checks that @path holds the fixture's image. */
void
image_fixture_assert_saved(ImageFixture *self, const char *path)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) again = ms_image_load(path, NULL, NULL, &error);

  g_assert_no_error(error);
  ms_test_assert_same_image(again, self->image);
}

/** image_fixture_assert_sentence: checks that the error is one sentence on one line and names the file. */
void
image_fixture_assert_sentence(const GError *error, const char *path)
{
  g_autofree char *name = g_strdup_printf("'%s'", path);

  g_assert_nonnull(error);
  g_test_message("%s", error->message);
  g_assert_nonnull(strstr(error->message, name));
  g_assert_true(g_str_has_suffix(error->message, "."));
  g_assert_null(strchr(error->message, '\n'));
}

#define NOBODY 65534

/**
 * image_fixture_become_nobody: drops root's rights, which ignore permissions, until image_fixture_become_self(); %FALSE
 * where that is not possible.
 */
gboolean
image_fixture_become_nobody(void)
{
  return geteuid() != 0 || seteuid(NOBODY) == 0;
}

void
image_fixture_become_self(void)
{
  g_assert_cmpint(seteuid(getuid()), ==, 0);
}
