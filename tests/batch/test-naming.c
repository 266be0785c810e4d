/* SPDX-License-Identifier: MIT */
/* Names of outputs, and the shard of each image. */
#include <locale.h>
#include <string.h>

#include "core/batch/naming.h"
#include "core/batch/shard.h"
#include "tests/support/cases.h"

static void
check_name(const char *template, const char *expected)
{
  const MsNameParts parts = {.stem = "cat.v2",
                             .extension = "png",
                             .sp = 2.5,
                             .sr = 20,
                             .device = "Tesla (TM) V100/32 GB!",
                             .seq = 7,
                             .seq_digits = 3};
  g_autoptr(GError) error = NULL;

  g_assert_true(ms_naming_check(template, &error));
  g_assert_no_error(error);
  g_autofree char *name = ms_naming_expand(template, &parts);
  g_assert_cmpstr(name, ==, expected);
}

static void
test_fields(void)
{
  check_name(MS_NAMING_DEFAULT, "cat.v2.png");
  check_name("{stem}-sp{sp}-sr{sr}.{ext}", "cat.v2-sp2.5-sr20.png");
  check_name("{seq}_{stem}{stem}.jpg", "007_cat.v2cat.v2.jpg");
  check_name("{device}.{ext}", "Tesla-TM-V100-32-GB.png");
  check_name("plain", "plain");
  check_name("sp{sp}/{stem}/{seq}.{ext}", "sp2.5/cat.v2/007.png");
}

/*
 * A locale with decimal commas: one of the system's, or one made for this test by localedef, with the numbers alone
 * because the whole takes seconds.
 */
static gboolean
enter_german(char **made)
{
  g_autofree char *folder = g_dir_make_tmp("ms-locale-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(folder, "de_DE.UTF-8", NULL);
  g_autofree char *numbers = g_build_filename(folder, "numbers", NULL);
  const char *const command[] = {"localedef", "-c", "-i", numbers, "-f", "UTF-8", path, NULL};

  *made = g_steal_pointer(&folder);
  if (setlocale(LC_NUMERIC, "de_DE.UTF-8"))
    return TRUE;
  g_assert_true(g_file_set_contents(numbers, "LC_NUMERIC\ncopy \"de_DE\"\nEND LC_NUMERIC\n", -1, NULL));
  g_spawn_sync(NULL, (char **)command, NULL,
               G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL, NULL,
               NULL, NULL);
  g_setenv("LOCPATH", *made, TRUE);
  return setlocale(LC_NUMERIC, "de_DE.UTF-8") != NULL;
}

/* Names do not depend on the locale's decimal separator. */
static void
test_fields_in_a_locale_with_commas(void)
{
  g_autofree char *before = g_strdup(setlocale(LC_ALL, NULL)), *locales = g_strdup(g_getenv("LOCPATH"));
  g_autofree char *made = NULL;

  if (enter_german(&made)) {
    g_autofree char *comma = g_strdup_printf("%.1f", 2.5);
    g_assert_cmpstr(comma, ==, "2,5");
    check_name("{stem}-sp{sp}.{ext}", "cat.v2-sp2.5.png");
  } else {
    g_test_skip("No German locale can be made on this machine (package locales).");
  }
  setlocale(LC_ALL, before);
  if (locales)
    g_setenv("LOCPATH", locales, TRUE);
  else
    g_unsetenv("LOCPATH");
  const char *const command[] = {"rm", "-rf", made, NULL};
  g_assert_true(g_spawn_sync(NULL, (char **)command, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL));
}

/* (transfer full): a name of at most @most bytes for a stem of @n bytes, the last of which is @last. */
static char *
name_of_long_stem(const char *template, gsize n, char last, gsize most)
{
  g_autofree char *stem = g_strnfill(n, 'a');
  MsNameParts parts = {.stem = stem, .extension = "png"};

  stem[n - 1] = last;
  g_autofree char *shorter = ms_naming_shorten(template, &parts, most);
  parts.stem = shorter ? shorter : stem;
  return ms_naming_expand(template, &parts);
}

/* Long stems are shortened as far as necessary, and stay different where only their ends differ. */
static void
test_long_names(void)
{
  static const char *const templates[] = {"{stem}.{ext}", "x/{stem}-{stem}.{ext}", "{stem}/{seq}.{ext}"};

  for (gsize i = 0; i < G_N_ELEMENTS(templates); i++) {
    g_autofree char *a = name_of_long_stem(templates[i], 256, 'x', 255);
    g_autofree char *b = name_of_long_stem(templates[i], 256, 'y', 255);
    g_auto(GStrv) parts = g_strsplit(a, "/", -1);
    g_assert_cmpstr(a, !=, b);
    for (guint k = 0; parts[k]; k++)
      g_assert_cmpuint(strlen(parts[k]), <=, 255);
  }
  g_autofree char *whole = name_of_long_stem("{stem}.{ext}", 251, 'x', 255);
  g_autofree char *cut = name_of_long_stem("{stem}.{ext}", 252, 'x', 255);
  g_assert_cmpuint(strlen(whole), ==, 255);
  g_assert_true(g_str_has_suffix(whole, "aax.png"));
  g_assert_cmpuint(strlen(cut), ==, 255);
  const MsNameParts parts = {.stem = "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4", .extension = "png"};
  for (gsize most = 14; most < 20; most++) {
    g_autofree char *stem = ms_naming_shorten("{stem}.{ext}", &parts, most);
    g_assert_true(g_utf8_validate(stem, -1, NULL));
  }
}

static void
test_matches(void)
{
  g_autofree char *numbered = ms_naming_numbered_anyhow("/d.1/a.png");
  g_autofree char *bare = ms_naming_numbered_anyhow("a");

  g_assert_true(ms_naming_matches("/d/a.png", "/d/a.png"));
  g_assert_false(ms_naming_matches("/d/a.png", "/d/a.pn"));
  g_assert_false(ms_naming_matches("/d/a.pn", "/d/a.png"));
  g_assert_true(ms_naming_matches(numbered, "/d.1/a-1.png"));
  g_assert_true(ms_naming_matches(numbered, "/d.1/a-123456.png"));
  g_assert_false(ms_naming_matches(numbered, "/d.1/a-.png"));
  g_assert_false(ms_naming_matches(numbered, "/d.1/a-1x.png"));
  g_assert_true(ms_naming_matches(bare, "a-7"));
  g_assert_true(ms_naming_matches("\0012-\001", "1112-3"));
  g_assert_false(ms_naming_matches("\0012-\001", "2-3"));
}

static void
test_refused_templates(void)
{
  static const char *const templates[] = {"",          "{name}.png", "{stem", "stem}.png",   "{}.png",  "{stem}}.png",
                                          "{{stem}}",  ".",          "..",    "/{stem}.png", "{stem}/", "a//{stem}",
                                          "../{stem}", "a/./{stem}"};

  for (gsize i = 0; i < G_N_ELEMENTS(templates); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_false(ms_naming_check(templates[i], &error));
    g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
    g_assert_nonnull(strstr(error->message, "--name"));
    g_assert_nonnull(strstr(error->message, "{seq}"));
  }
}

static void
check_parts(const char *path, const char *stem, const char *extension, const char *numbered)
{
  g_autofree char *actual_stem = ms_naming_stem(path);
  g_autofree char *actual_numbered = ms_naming_numbered(path, 12);

  g_assert_cmpstr(actual_stem, ==, stem);
  g_assert_cmpstr(ms_naming_extension(path), ==, extension);
  g_assert_cmpstr(actual_numbered, ==, numbered);
}

static void
test_parts_of_paths(void)
{
  check_parts("a/b.c/photo.tar.png", "photo.tar", "png", "a/b.c/photo.tar-12.png");
  check_parts("a.b/photo", "photo", NULL, "a.b/photo-12");
  check_parts(".hidden", ".hidden", NULL, ".hidden-12");
  check_parts("x/.hidden.jpg", ".hidden", "jpg", "x/.hidden-12.jpg");
  check_parts("photo.", "photo.", NULL, "photo.-12");
}

static void
test_shard_values(void)
{
  static const char *const wrong[] = {"",      "1",   "0/2",  "3/2",  "1/0",          "-1/2",
                                      "1/2/3", "a/b", "1/2 ", " 1/2", "1/99999999999"};
  MsShard shard;

  g_assert_true(ms_shard_parse("3/8", &shard, NULL));
  g_assert_cmpuint(shard.index, ==, 3);
  g_assert_cmpuint(shard.count, ==, 8);
  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_false(ms_shard_parse(wrong[i], &shard, &error));
    g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
  }
  g_assert_cmpuint(shard.index, ==, 3);
}

/* Every name is in exactly one shard, and shards are of similar size. */
static void
test_shards_divide(void)
{
  static const guint counts[] = {1, 2, 3, 7, 16};
  const guint n = 4000;

  for (gsize c = 0; c < G_N_ELEMENTS(counts); c++) {
    guint taken[16] = {0};
    for (guint i = 0; i < n; i++) {
      g_autofree char *name = g_strdup_printf("folder/IMG_%04u.JPG", i);
      guint owners = 0;
      for (guint k = 1; k <= counts[c]; k++) {
        const MsShard shard = {k, counts[c]};
        gboolean takes = ms_shard_takes(&shard, name);
        owners += takes;
        taken[k - 1] += takes;
      }
      g_assert_cmpuint(owners, ==, 1);
    }
    for (guint k = 0; k < counts[c]; k++)
      g_assert_cmpuint(taken[k], >, n / counts[c] * 3 / 4);
  }
}

void
ms_test_naming(void)
{
  g_test_add_func("/naming/fields", test_fields);
  g_test_add_func("/naming/fields-in-a-locale-with-commas", test_fields_in_a_locale_with_commas);
  g_test_add_func("/naming/long-names", test_long_names);
  g_test_add_func("/naming/matches", test_matches);
  g_test_add_func("/naming/refused-templates", test_refused_templates);
  g_test_add_func("/naming/parts-of-paths", test_parts_of_paths);
  g_test_add_func("/shard/values", test_shard_values);
  g_test_add_func("/shard/divide", test_shards_divide);
}
