/* SPDX-License-Identifier: MIT */
/*
 * Formats that modules of gdk-pixbuf decode: the same pixels as by gdk-pixbuf in this process, damaged and hostile
 * files, loaders that misbehave in every way, and what confines them.
 */
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gdk-pixbuf/gdk-pixbuf.h>

#include "core/error.h"
#include "core/image/codec.h"
#include "core/image/common/losses.h"
#include "core/image/loader/protocol.h"
#include "core/image/pixbuf.h"
#include "core/process/child.h"
#include "tests/support/fixture.h"
#include "tests/support/image-files.h"
#include "tests/support/profiles.h"

/* ---- Files, of a gradient of 8 x 6 pixels. */

static const char gif_file[] =
  "R0lGODlhCAAGAPIAAP8AAMwAM5kAZmYAmTMAzAAA/wAAAAAAACH5BAAAAAAAIf8LSW1hZ2VNYWdpY2sNZ2FtbWE9MC40NTQ1NQAsAAAAAAgABg"
  "AAAxAIuhr+Tsgph72W6K2L/14CADs=";

static const char animation_file[] =
  "R0lGODlhCAAGAPMAAP8AAMwAM5kAZv//AMz/M5n/ZmYAmTMAzAAA/2b/mTP/zAD//wAAAAAAAAAAAAAAACH5BAAAAAAAIf8LTkVUU0NBUEUyLj"
  "ADAQAAACH/C0ltYWdlTWFnaWNrDWdhbW1hPTAuNDU0NTUALAAAAAAIAAYAAAQSEMgpg71W6K2N/94hjiJinmYEACH5BAAAAAAAIf8LSW1hZ2VN"
  "YWdpY2sNZ2FtbWE9MC40NTQ1NQAsAAAAAAgABgAABBJwySmVvTbprYv/HiGO4mCeZgQAIfkEAAAAAAAh/wtJbWFnZU1hZ2ljaw1nYW1tYT0wLj"
  "Q1NDU1ACwAAAAACAAGAAAEEhDJKY+91uithf9eII4iYJ5mBAA7";

static const char tga_file[] = "AAAKAAAAAAAAAAAACAAGABgAhwAA/4czAMyHZgCZh5kAZofMADOH/wAA";

static const char heic_file[] =
  "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAxFtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAAA5waXRtAA"
  "AAAAACAAAAEGlkYXQAAAAAAAgABgAAADhpbG9jAQAAAERAAAIAAQAAAAAAAAM1AAEAAAAAAAAAVwACAAEAAAAAAAAAAQAAAAAAAAAIAAAAOGlp"
  "bmYAAAAAAAIAAAAVaW5mZQIAAAEAAQAAaHZjMQAAAAAVaW5mZQIAAAAAAgAAZ3JpZAAAAAI8aXBycAAAAhlpcGNvAAAAdWh2Y0MBBAgAAAAAAA"
  "AAAAAe8AD8/fr6AAAPAyAAAQAXQAEMAf//BAgAAAMAnbgAAAMAAB66AkAhAAEAKkIBAQQIAAADAJ24AAADAAAeoCCBBNluqumubgQEDAgAAAMA"
  "CAAAAwAIQCIAAQAGRAHBc8GJAAAAFGlzcGUAAAAAAAAAQAAAAEAAAAAUaXNwZQAAAAAAAAAIAAAABgAAAWRjb2xycHJvZgAAAVgAAAAAAhAAAG"
  "1udHJSR0IgWFlaIAAAAAAAAAAAAAAAAGFjc3AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAD21gABAAAAANMtAAAAAAAAAAAAAAAAAAAA"
  "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB3JYWVoAAADYAAAAFGdYWVoAAADsAAAAFGJYWVoAAAEAAAAAFHd0cHQAAAEUAA"
  "AAFHJUUkMAAAEoAAAAEGdUUkMAAAE4AAAAEGJUUkMAAAFIAAAAEFhZWiAAAAAAAACcGAAAT6UAAAT8WFlaIAAAAAAAADSNAACgLAAAD5VYWVog"
  "AAAAAAAAJjEAABAvAAC+nFhZWiAAAAAAAAD21gABAAAAANMtY3VydgAAAAAAAAABAc0AAGN1cnYAAAAAAAAAAQHNAABjdXJ2AAAAAAAAAAEBzQ"
  "AAAAAAEHBpeGkAAAAAAwoKCgAAABtpcG1hAAAAAAAAAAIAAQKBAgACAwOEhQAAABppcmVmAAAAAAAAAA5kaW1nAAIAAQABAAAAX21kYXQAAABT"
  "KAGvUhrERYD0uW/4YOjlG5huIoJ7h/WPp4Ah/5PcEtPe8sgWSBiEYTWhX3MWWzoE3z1j53QvfWb///93Xr/lC6j7xH28I3S25mLBZjKt+tdLQe"
  "A=";

static const char avif_file[] =
  "AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUEAAADybWV0YQAAAAAAAAAoaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAAAGxpYmF2aW"
  "YAAAAADnBpdG0AAAAAAAEAAAAeaWxvYwAAAABEAAABAAEAAAABAAABGgAAAC4AAAAoaWluZgAAAAAAAQAAABppbmZlAgAAAAABAABhdjAxQ29s"
  "b3IAAAAAamlwcnAAAABLaXBjbwAAABRpc3BlAAAAAAAAAAgAAAAGAAAAEHBpeGkAAAAAAwgICAAAAAxhdjFDgSAAAAAAABNjb2xybmNseAABAA"
  "0ABoAAAAAXaXBtYQAAAAAAAAABAAEEAQKDBAAAADZtZGF0EgAKCDgIvWEBDQaQMiAWQAYYYYQAQcG9l7R03LVN7WnvLau36Yblk+O/Q4cpUA==";

static const char jxl_file[] = "/wooMBBQubeKIAgCAQCwAEsYixXCEbLNCXXjFwgDQM2aNWvWfKvrLS5zo3afwzNl5nvbI0ACBBBAAAEA";

/* As gdk-pixbuf writes it. */
static GBytes *
make_saved(const char *type)
{
  g_autoptr(GdkPixbuf) pixbuf = gdk_pixbuf_new(GDK_COLORSPACE_RGB, TRUE, 8, 16, 16);
  gchar *data = NULL;
  gsize size = 0;

  gdk_pixbuf_fill(pixbuf, 0x11803fc0);
  g_assert_true(gdk_pixbuf_save_to_buffer(pixbuf, &data, &size, type, NULL, NULL));
  return g_bytes_new_take(data, size);
}

static GBytes *
from_base64(const char *text)
{
  gsize size = 0;
  guint8 *bytes = g_base64_decode(text, &size);

  return g_bytes_new_take(bytes, size);
}

/* (transfer full) (nullable): a file of the format. */
static GBytes *
make_file(MsImageFormat format)
{
  if (format == MS_IMAGE_FORMAT_GIF)
    return from_base64(gif_file);
  if (format == MS_IMAGE_FORMAT_HEIC)
    return from_base64(heic_file);
  if (format == MS_IMAGE_FORMAT_AVIF)
    return from_base64(avif_file);
  if (format == MS_IMAGE_FORMAT_JXL)
    return from_base64(jxl_file);
  if (format == MS_IMAGE_FORMAT_TGA)
    return from_base64(tga_file);
  if (format == MS_IMAGE_FORMAT_ICO)
    return make_saved("ico");
  if (format == MS_IMAGE_FORMAT_BMP)
    return make_saved("bmp");
  return NULL;
}

/* ---- Pictures. */

/* (transfer full): as gdk-pixbuf decodes it in this process. */
static MsImage *
decode_here(GBytes *file, const char *mime_type)
{
  g_autoptr(GdkPixbufLoader) loader = gdk_pixbuf_loader_new_with_mime_type(mime_type, NULL);

  g_assert_nonnull(loader);
  g_assert_true(gdk_pixbuf_loader_write_bytes(loader, file, NULL));
  g_assert_true(gdk_pixbuf_loader_close(loader, NULL));
  GdkPixbuf *pixbuf = gdk_pixbuf_loader_get_pixbuf(loader);
  const int width = gdk_pixbuf_get_width(pixbuf), height = gdk_pixbuf_get_height(pixbuf);
  g_autoptr(GdkPixbuf) rgba = gdk_pixbuf_add_alpha(pixbuf, FALSE, 0, 0, 0);
  guint8 *pixels = g_malloc((gsize)width * height * 4);
  for (int y = 0; y < height; y++)
    memcpy(pixels + (gsize)y * width * 4, gdk_pixbuf_read_pixels(rgba) + (gsize)y * gdk_pixbuf_get_rowstride(rgba),
           (gsize)width * 4);
  return ms_image_new_take(width, height, pixels, NULL);
}

/* From memory and from a file; a module that was not asked for would be missed as one that is missing. */
static void
test_format(gconstpointer data)
{
  const MsCodec *codec = data;
  g_autoptr(GBytes) file = make_file(codec->format);
  g_autofree char *folder = ms_test_folder_new(), *path = g_build_filename(folder, "picture", NULL);
  gsize size;
  const void *bytes = g_bytes_get_data(file, &size);
  MsImageHeader header;

  g_assert_cmpint(ms_codec_sniff(bytes, size), ==, codec->format);
  g_assert_true(g_file_set_contents(path, bytes, (gssize)size, NULL));
  if (!ms_codec_is_readable(codec)) {
    g_autoptr(GError) error = NULL;
    g_assert_null(ms_image_load(path, NULL, NULL, &error));
    g_assert_error(error, MS_ERROR, MS_ERROR_UNSUPPORTED);
    g_assert_nonnull(strstr(error->message, "gdk-pixbuf has no module"));
    g_test_skip("gdk-pixbuf has no module for it.");
  } else {
    g_autoptr(MsImage) expected = decode_here(file, codec->mime_types[0]);
    g_autoptr(MsImage) image = ms_test_decode(file), again = ms_test_load(path);
    ms_test_assert_same_image(image, expected);
    ms_test_assert_same_image(again, expected);
    g_assert_true(ms_image_peek_size(path, NULL, &header, NULL));
    g_assert_cmpint(header.width, ==, ms_image_get_width(expected));
    g_assert_cmpint(header.height, ==, ms_image_get_height(expected));
    g_assert_cmpint(header.has_more_images, ==, FALSE);
  }
  ms_test_folder_remove(g_steal_pointer(&folder));
}

static void
test_animation(void)
{
  g_autoptr(GBytes) file = from_base64(animation_file), still = from_base64(gif_file);
  g_autoptr(MsImageFile) open = ms_image_file_open_bytes(file, "a.gif", NULL, NULL, NULL);
  g_autofree char *losses = ms_losses_describe(&open->header, NULL, "a.gif", MS_LANGUAGE_ENGLISH);
  g_autoptr(MsImage) image = ms_image_file_load(open, NULL), expected = decode_here(file, "image/gif");

  g_assert_cmpstr(losses, ==, "'a.gif': only the first of its 3 images was read.");
  ms_test_assert_same_image(image, expected);
}

static void
test_profile(void)
{
  g_autoptr(GBytes) file = from_base64(heic_file), profile = ms_test_profile_wide(1.8);

  if (!ms_codec_is_readable(ms_codec_get(MS_IMAGE_FORMAT_HEIC))) {
    g_test_skip("gdk-pixbuf has no module for HEIC.");
    return;
  }
  g_autoptr(MsImage) image = ms_test_decode(file);
  g_assert_true(g_bytes_equal(ms_image_get_metadata(image)->icc, profile));
}

/* ---- Damage. */

/* Loads, or is refused with a sentence; a part that is accepted as damaged says so. */
static void
try_file(GBytes *file)
{
  for (int accepts = 0; accepts < 2; accepts++) {
    MsImageLimits limits = ms_image_limits_default();
    g_autoptr(GError) error = NULL;
    limits.accept_damaged = accepts;
    limits.max_pixels = 1 << 20;
    g_autoptr(MsImage) image = ms_image_load_bytes(file, "x", &limits, NULL, &error);
    g_assert_true(image ? !error : error->domain == MS_ERROR && g_str_has_prefix(error->message, "'x' "));
  }
}

static void
test_damaged(gconstpointer data)
{
  const MsCodec *codec = data;
  const guint n = ms_fixture_form() >= MS_TEST_CI ? 200 : 12;
  g_autoptr(GRand) random = g_rand_new_with_seed(7);
  g_autoptr(GBytes) file = make_file(codec->format);
  const gsize size = g_bytes_get_size(file);

  /* glycin waits for some files without end. */
  g_setenv(MS_PIXBUF_SECONDS_VARIABLE, "5", TRUE);
  for (guint i = 0; i < n; i++) {
    g_autoptr(GBytes) cut = g_bytes_new_from_bytes(file, 0, size * i / n);
    g_autofree guint8 *copy = g_memdup2(g_bytes_get_data(file, NULL), size);
    copy[g_rand_int_range(random, 0, (gint32)size)] ^= (guint8)(1 << g_rand_int_range(random, 0, 8));
    g_autoptr(GBytes) flipped = g_bytes_new(copy, size);
    try_file(cut);
    try_file(flipped);
  }
  g_unsetenv(MS_PIXBUF_SECONDS_VARIABLE);
}

/* A cut file is refused, or what was decoded of it is kept and called damaged, where the module gives a part. */
static void
test_cut(void)
{
  g_autofree char *about = ms_pixbuf_describe();
  g_autoptr(GBytes) whole = from_base64(gif_file), cut = g_bytes_new_from_bytes(whole, 0, g_bytes_get_size(whole) - 12);
  MsImageLimits limits = ms_image_limits_default();

  ms_test_assert_refused(cut, MS_ERROR_FORMAT);
  if (strstr(about, "glycin")) {
    g_test_skip("glycin gives no part of a file.");
    return;
  }
  limits.accept_damaged = TRUE;
  g_autoptr(MsImage) image = ms_image_load_bytes(cut, "a.gif", &limits, NULL, NULL);
  g_assert_nonnull(image);
  g_assert_nonnull(ms_image_get_damage(image));
}

/* What claims gigabytes is refused by its size. */
static void
test_sizes(void)
{
  static const guint8 gif[] = "GIF89a\xff\xff\xff\xff\0\0\0,\0\0\0\0\xff\xff\xff\xff\0\2\2L\1\0;";
  static const guint8 tga[18] = {0, 0, 2, [12] = 0xff, 0xff, 0xff, 0xff, 24};
  static const guint8 empty[] = "GIF89a\0\0\0\0\0\0\0,\0\0\0\0\0\0\0\0\0\2\2L\1\0;";
  g_autoptr(GBytes) first = g_bytes_new_static(gif, sizeof gif), second = g_bytes_new_static(tga, sizeof tga);
  g_autoptr(GBytes) nothing = g_bytes_new_static(empty, sizeof empty);

  ms_test_assert_refused(first, MS_ERROR_TOO_LARGE);
  ms_test_assert_refused(second, MS_ERROR_TOO_LARGE);
  ms_test_assert_refused(nothing, MS_ERROR_FORMAT);
}

/* 16 megapixels need more than the least that a limit on memory leaves, which suffices for a small picture. */
static void
test_memory(void)
{
  static const guint8 header[18] = {0, 0, 10, [13] = 16, [15] = 16, 24, 0x20}, run[4] = {0xff, 1, 2, 3};
  GByteArray *content = g_byte_array_new();
  g_autoptr(GBytes) small = from_base64(gif_file);
  MsImageLimits limits = ms_image_limits_default();
  g_autoptr(GError) error = NULL;

  limits.decoder_memory = 1 << 20;
  g_byte_array_append(content, header, sizeof header);
  for (guint i = 0; i < 4096 * 4096 / 128; i++)
    g_byte_array_append(content, run, sizeof run);
  g_autoptr(GBytes) large = g_byte_array_free_to_bytes(content);
  g_autoptr(MsImage) image = ms_image_load_bytes(small, "a.gif", &limits, NULL, &error);
  g_assert_no_error(error);
  g_assert_null(ms_image_load_bytes(large, "a.tga", &limits, NULL, &error));
  g_test_message("%s", error->message);
  g_assert_error(error, MS_ERROR, MS_ERROR_TOO_LARGE);
  g_assert_nonnull(strstr(error->message, "the 1 MiB that --memory-limit leaves"));
  g_clear_error(&error);
  limits.decoder_memory = 1 << 30;
  g_autoptr(MsImage) whole = ms_image_load_bytes(large, "a.tga", &limits, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpint(ms_image_get_width(whole), ==, 4096);
}

/* ---- Loaders that misbehave: this program, started as one. */

#define BEHAVIOUR "MS_TEST_LOADER"

static void
send_size(MsChannel *channel, int width, int height)
{
  ms_channel_send(channel, MS_LOADER_SIZE, g_variant_new("(iiu)", width, height, 1), NULL, NULL);
}

static void
wait_for_decode(MsChannel *channel)
{
  g_auto(MsMessage) message;

  ms_message_init(&message);
  ms_channel_wait(channel, &message);
}

static void
behave(const char *how)
{
  MsChannel *channel = ms_channel_new(MS_CHILD_CHANNEL_FD, &ms_loader_requests, &ms_loader_answers, TRUE);
  static const char noise[4096] = "x";

  /* A sanitizer would catch it. */
  signal(SIGSEGV, SIG_DFL);
  if (g_str_equal(how, "crashes"))
    raise(SIGSEGV);
  else if (g_str_equal(how, "floods"))
    while (write(STDERR_FILENO, noise, sizeof noise) > 0)
      ;
  else if (g_str_equal(how, "babbles"))
    send(MS_CHILD_CHANNEL_FD, noise, sizeof noise, 0);
  else if (g_str_equal(how, "exits"))
    _exit(3);
  else if (g_str_equal(how, "claims"))
    send_size(channel, G_MAXINT, G_MAXINT);
  else if (g_str_equal(how, "lies"))
    send_size(channel, -5, 7);
  else if (g_str_equal(how, "skips"))
    ms_channel_send(channel, MS_LOADER_DONE, g_variant_new("(u@ays)", 1, g_variant_new_bytestring(""), ""), NULL, NULL);
  else if (g_str_equal(how, "speaks"))
    ms_channel_send(channel, MS_LOADER_FAILED, g_variant_new("(us)", 77, "\x1b[31m"), NULL, NULL);
  else
    send_size(channel, 8, 6);
  wait_for_decode(channel);
  wait_for_decode(channel);
  if (g_str_equal(how, "dies late"))
    raise(SIGABRT);
  if (g_str_equal(how, "repeats"))
    send_size(channel, 1 << 20, 1 << 20);
  while (TRUE)
    pause();
}

/* The loaders that hang are given one second. */
static void
test_behaviour(void)
{
  const struct {
    const char *how;
    MsError code;
    const char *words;
  } rows[] = {
    {"crashes", MS_ERROR_FORMAT, "signal 11"},         {"floods", MS_ERROR_FORMAT, "without end"},
    {"babbles", MS_ERROR_FORMAT, "not a message"},     {"exits", MS_ERROR_FORMAT, "status 3"},
    {"claims", MS_ERROR_TOO_LARGE, "too large"},       {"lies", MS_ERROR_FORMAT, "header is not valid"},
    {"skips", MS_ERROR_FORMAT, "header is not valid"}, {"speaks", MS_ERROR_UNSUPPORTED, "no module"},
    {"dies late", MS_ERROR_FORMAT, "signal 6"},        {"repeats", MS_ERROR_FORMAT, "pixels cannot be decoded"},
    {"hangs", MS_ERROR_FORMAT, "nothing for 1 s"}};
  g_autofree char *usual = g_strdup(g_getenv(MS_PIXBUF_LOADER_VARIABLE));
  g_autoptr(GBytes) file = from_base64(gif_file);

  g_setenv(MS_PIXBUF_LOADER_VARIABLE, "/proc/self/exe", TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    g_setenv(BEHAVIOUR, rows[i].how, TRUE);
    if (g_str_equal(rows[i].how, "hangs"))
      g_setenv(MS_PIXBUF_SECONDS_VARIABLE, "1", TRUE);
    g_assert_null(ms_image_load_bytes(file, "a.gif", NULL, NULL, &error));
    g_test_message("%s: %s", rows[i].how, error->message);
    g_assert_error(error, MS_ERROR, (int)rows[i].code);
    g_assert_nonnull(strstr(error->message, "'a.gif'"));
    g_assert_nonnull(strstr(error->message, rows[i].words));
  }
  g_unsetenv(BEHAVIOUR);
  g_unsetenv(MS_PIXBUF_SECONDS_VARIABLE);
  g_setenv(MS_PIXBUF_LOADER_VARIABLE, "/nonexistent", TRUE);
  ms_test_assert_refused(file, MS_ERROR_UNSUPPORTED);
  g_setenv(MS_PIXBUF_LOADER_VARIABLE, usual, TRUE);
}

static void
write_script(const char *path, const char *text)
{
  g_assert_true(g_file_set_contents(path, text, -1, NULL));
  g_assert_cmpint(g_chmod(path, 0700), ==, 0);
}

/*
 * A module of glycin is taken for one by the temporary file that it makes, and reads nothing where bubblewrap does not
 * run: a script stands in for each.
 */
static void
test_glycin(void)
{
  g_autofree char *about = ms_pixbuf_describe();
  if (strstr(about, "glycin")) {
    g_test_skip("The real one decodes here.");
    return;
  }
  g_autofree char *folder = ms_test_folder_new(), *bubblewrap = g_build_filename(folder, "bwrap", NULL);
  g_autofree char *loader = g_build_filename(folder, "loader", NULL);
  g_autofree char *usual = g_strdup(g_getenv(MS_PIXBUF_LOADER_VARIABLE)), *path = g_strdup(g_getenv("PATH"));
  g_autofree char *before = g_strconcat(folder, ":", path, NULL);
  g_autofree char *text = g_strdup_printf("#!/bin/sh\n: > \"$TMPDIR/glycin-x\"\nexec '%s' \"$@\"\n", usual);
  g_autoptr(GBytes) file = from_base64(gif_file);

  write_script(loader, text);
  g_setenv(MS_PIXBUF_LOADER_VARIABLE, loader, TRUE);
  g_setenv("PATH", before, TRUE);
  for (int works = 0; works < 2; works++) {
    g_autoptr(GError) error = NULL;
    write_script(bubblewrap, works ? "#!/bin/sh\nexit 0\n" : "#!/bin/sh\nexit 1\n");
    g_autoptr(MsImage) image = ms_image_load_bytes(file, "a.gif", NULL, NULL, &error);
    g_assert_cmpint(image != NULL, ==, works);
    g_assert_true(works || g_error_matches(error, MS_ERROR, MS_ERROR_UNSUPPORTED));
    g_assert_true(works || strstr(error->message, "bubblewrap (bwrap) is missing"));
  }
  g_setenv("PATH", path, TRUE);
  g_setenv(MS_PIXBUF_LOADER_VARIABLE, usual, TRUE);
  ms_test_folder_remove(g_steal_pointer(&folder));
}

/* Waits for a loader that never answers until it is cancelled. */
static gpointer
cancel_soon(gpointer cancellable)
{
  g_usleep(50 * 1000);
  g_cancellable_cancel(cancellable);
  return NULL;
}

static void
test_cancelled(void)
{
  g_autofree char *usual = g_strdup(g_getenv(MS_PIXBUF_LOADER_VARIABLE));
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(GBytes) file = from_base64(gif_file);
  g_autoptr(GError) error = NULL;

  g_setenv(MS_PIXBUF_LOADER_VARIABLE, "/proc/self/exe", TRUE);
  g_setenv(BEHAVIOUR, "hangs", TRUE);
  GThread *thread = g_thread_new("cancel", cancel_soon, cancellable);
  g_assert_null(ms_image_load_bytes(file, "a.gif", NULL, cancellable, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join(thread);
  g_unsetenv(BEHAVIOUR);
  g_setenv(MS_PIXBUF_LOADER_VARIABLE, usual, TRUE);
}

/* ---- The confinement. */

/* Whether @what is possible to a loader that is confined by @layers; -1 where the system lacks one. */
static int
is_possible(const char *layers, const char *what)
{
  g_autofree char *folder = ms_test_folder_new(), *path = g_build_filename(folder, "victim", NULL);
  g_autofree char *said = NULL;
  g_autofree char *program = g_test_build_filename(G_TEST_BUILT, "try-confined", NULL);
  char *arguments[] = {program, (char *)layers, (char *)what, path, NULL};
  int status = 0;

  g_assert_true(g_file_set_contents(path, "x", 1, NULL));
  g_assert_true(g_spawn_sync(NULL, arguments, NULL, G_SPAWN_DEFAULT, NULL, NULL, &said, NULL, &status, NULL));
  ms_test_folder_remove(g_steal_pointer(&folder));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
    return -1;
  g_assert_cmpint(status, ==, 0);
  /* A program that was executed in its place says nothing. */
  return !g_str_equal(said, "denied\n");
}

/* Each layer denies its part alone, and without them all is possible, so that the tries are real. */
static void
test_confined(void)
{
  static const struct {
    const char *what;
    gboolean by_landlock, by_seccomp;
  } rows[] = {{"read", TRUE, TRUE},    {"write", TRUE, TRUE},    {"remove", TRUE, TRUE},  {"execute", TRUE, TRUE},
              {"socket", FALSE, TRUE}, {"connect", FALSE, TRUE}, {"fork", FALSE, TRUE},   {"trace", FALSE, TRUE},
              {"kill", FALSE, TRUE},   {"code", FALSE, TRUE},    {"thread", FALSE, FALSE}};

  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_test_message("%s", rows[i].what);
    g_assert_cmpint(is_possible("0", rows[i].what), ==, 1);
    const int paths = is_possible("1", rows[i].what), calls = is_possible("2", rows[i].what);
    if (rows[i].by_landlock)
      g_assert_cmpint(paths, <=, 0);
    if (calls >= 0)
      g_assert_cmpint(calls, ==, !rows[i].by_seccomp);
  }
}

/* (transfer full): the path of something about the only child of this thread. */
static char *
path_of_child(const char *name)
{
  g_autofree char *children = NULL;

  g_assert_true(g_file_get_contents("/proc/thread-self/children", &children, NULL, NULL));
  return g_strdup_printf("/proc/%d/%s", atoi(children), name);
}

static void
assert_matches(const char *path, const char *pattern, gboolean matches)
{
  g_autofree char *text = NULL;

  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  g_test_message("%s", pattern);
  g_assert_cmpint(g_regex_match_simple(pattern, text, 0, 0), ==, matches);
}

/* (transfer full): with zeros behind it, up to @size bytes. */
static GBytes *
pad(GBytes *start, gsize size)
{
  guint8 *bytes = g_malloc0(size);

  memcpy(bytes, g_bytes_get_data(start, NULL), g_bytes_get_size(start));
  return g_bytes_new_take(bytes, size);
}

/* A loader that has stated the size of a picture, and waits, is confined, and has no descriptor but those it needs. */
static void
test_serves_confined(void)
{
  g_autofree char *about = ms_pixbuf_describe();
  g_autoptr(GBytes) start = from_base64(gif_file), file = pad(start, 2 << 20);

  if (!strstr(about, "and seccomp") || strstr(about, "glycin") ||
      !g_file_test("/proc/thread-self/children", G_FILE_TEST_EXISTS)) {
    g_test_skip("The system does not confine by seccomp, or does not tell.");
    return;
  }
  g_autoptr(MsImageFile) open = ms_image_file_open_bytes(file, "a.gif", NULL, NULL, NULL);
  g_assert_nonnull(open);
  g_autofree char *status = path_of_child("status"), *limits = path_of_child("limits"), *fds = path_of_child("fd");
  assert_matches(status, "NoNewPrivs:\\t1", TRUE);
  assert_matches(status, "Seccomp:\\t2", TRUE);
  assert_matches(limits, "Max core file size +0 ", TRUE);
  /* What is raised for the pixels stays below what even a process that is not root's may have. */
  assert_matches(limits, "Max cpu time +12 +1012 ", TRUE);
  const guint64 base = (G_GUINT64_CONSTANT(256) << 20) + g_get_num_processors() * (4 << 20) + 8 * (2 << 20);
  g_autofree char *memory = g_strdup_printf("Max data size +%" G_GUINT64_FORMAT " +%" G_GUINT64_FORMAT " ",
                                            base + 64 * 8 * 6, base + 64 * G_GUINT64_CONSTANT(1000000000));
  assert_matches(limits, memory, TRUE);
  assert_matches(limits, "Max (file|data) size +unlimited", FALSE);
  g_assert_cmpuint(ms_test_folder_count(fds), ==, 5);
}

static void
test_describe(void)
{
  g_autofree char *text = ms_pixbuf_describe();

  g_test_message("%s", text);
  g_assert_true(g_str_has_prefix(text, gdk_pixbuf_version));
  g_assert_nonnull(strstr(text, "GIF"));
  g_assert_nonnull(strstr(text, "; confined by "));
}

int
main(int argc, char **argv)
{
  guint n;
  const MsCodec *codecs = ms_codec_table(&n);

  char temporary[] = "/tmp/ms-test-XXXXXX";

  if (g_getenv(BEHAVIOUR))
    behave(g_getenv(BEHAVIOUR));
  g_assert_nonnull(g_mkdtemp(temporary));
  g_setenv("TMPDIR", temporary, TRUE);
  g_test_init(&argc, &argv, NULL);
  for (guint i = 0; i < n; i++) {
    if (ms_codec_is_written(&codecs[i]))
      continue;
    g_autofree char *format = g_strdup_printf("/pixbuf/%s/pixels", codecs[i].name);
    g_autofree char *damage = g_strdup_printf("/pixbuf/%s/damaged", codecs[i].name);
    g_test_add_data_func(format, &codecs[i], test_format);
    g_test_add_data_func(damage, &codecs[i], test_damaged);
  }
  g_test_add_func("/pixbuf/animation", test_animation);
  g_test_add_func("/pixbuf/profile", test_profile);
  g_test_add_func("/pixbuf/cut", test_cut);
  g_test_add_func("/pixbuf/sizes", test_sizes);
  g_test_add_func("/pixbuf/memory", test_memory);
  g_test_add_func("/pixbuf/glycin", test_glycin);
  g_test_add_func("/pixbuf/behaviour", test_behaviour);
  g_test_add_func("/pixbuf/cancelled", test_cancelled);
  g_test_add_func("/pixbuf/confined", test_confined);
  g_test_add_func("/pixbuf/serves-confined", test_serves_confined);
  g_test_add_func("/pixbuf/describe", test_describe);
  const int status = g_test_run();
  /* Only an empty folder can be removed: nothing that a module kept is left. */
  g_assert_cmpint(g_rmdir(temporary), ==, 0);
  return status;
}
