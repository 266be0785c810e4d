/* SPDX-License-Identifier: MIT */
/* Loading large pictures: preview, progress and cancelling, while the test holds back the second half of the file. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/gui/window-fixture.h"
#include "tests/support/image-files.h"
#include "tests/support/png-peer.h"
#include "ui/window/window-private.h"
#include "ui/window/window.h"

/* The least picture that has a preview. */
#define SIDE 4096

/* Reading of one file stops at its middle when it gets there for the last of a number of times. */
typedef struct {
  GMutex lock;
  GCond changed;
  ino_t inode;
  off_t middle;
  int passes; /* times that the middle may still be passed, counted down; negative while the gate is open */
} Gate;

static Gate gate = {.passes = -1};

static void
close_gate(const char *path, int passes)
{
  struct stat info;

  g_assert_cmpint(stat(path, &info), ==, 0);
  g_mutex_lock(&gate.lock);
  gate.inode = info.st_ino;
  gate.middle = info.st_size / 2;
  g_atomic_int_set(&gate.passes, passes);
  g_mutex_unlock(&gate.lock);
}

static void
open_gate(void)
{
  g_mutex_lock(&gate.lock);
  g_atomic_int_set(&gate.passes, -1);
  g_cond_broadcast(&gate.changed);
  g_mutex_unlock(&gate.lock);
}

/* The reading that gets behind the middle once more than allowed waits until the gate is open. */
static void
pass_gate(int fd, off_t from, size_t size)
{
  struct stat info;

  if (g_atomic_int_get(&gate.passes) < 0 || fstat(fd, &info) != 0 || info.st_ino != gate.inode || from > gate.middle ||
      from + (off_t)size <= gate.middle)
    return;
  g_mutex_lock(&gate.lock);
  if (gate.passes > 0)
    g_atomic_int_add(&gate.passes, -1);
  else
    while (gate.passes == 0)
      g_cond_wait(&gate.changed, &gate.lock);
  g_mutex_unlock(&gate.lock);
}

/* Takes the place of the C library's pread() for the whole program. */
ssize_t
pread(int fd, void *buffer, size_t size, off_t offset)
{
  if (g_atomic_int_get(&gate.passes) >= 0)
    pass_gate(fd, offset, size);
  return syscall(SYS_pread64, fd, buffer, size, offset);
}

static MsImage *
noise(void)
{
  guint32 *pixels = g_new(guint32, SIDE * SIDE), state = 1;

  for (gsize i = 0; i < SIDE * SIDE; i++)
    pixels[i] = (state = state * 1664525 + 1013904223) | 0xff000000;
  return ms_image_new_take(SIDE, SIDE, (guint8 *)pixels, NULL);
}

static GBytes *
interlaced(MsImage *image)
{
  return ms_png_peer_encode(&(MsPngPeer){.rows = ms_image_get_pixels(image),
                                         .stride = SIDE * 4,
                                         .width = SIDE,
                                         .height = SIDE,
                                         .depth = 8,
                                         .colour_type = PNG_COLOR_TYPE_GRAY,
                                         .interlace = PNG_INTERLACE_ADAM7});
}

static char *
write_file(WindowFixture *fixture, const char *name, GBytes *bytes)
{
  char *path = g_build_filename(fixture->folder, name, NULL);

  g_assert_true(g_file_set_contents(path, g_bytes_get_data(bytes, NULL), (gssize)g_bytes_get_size(bytes), NULL));
  return path;
}

/* (nullable) */
static GtkWidget *
load_row(WindowFixture *fixture)
{
  return find_by_name(GTK_WIDGET(fixture->window), "load-row");
}

static double
fraction_of(GtkWidget *row)
{
  return gtk_progress_bar_get_fraction(GTK_PROGRESS_BAR(find_by_type(row, GTK_TYPE_PROGRESS_BAR)));
}

static GtkWidget *
preview_of(GtkWidget *row)
{
  GtkWidget *preview = NULL;
  g_autoptr(GList) children = gtk_container_get_children(GTK_CONTAINER(row));

  for (GList *l = children; l; l = l->next)
    if (GTK_IS_IMAGE(l->data))
      preview = l->data;
  return preview && gtk_widget_get_visible(preview) ? preview : NULL;
}

static void
cancel_and_see_it_end(WindowFixture *fixture)
{
  gtk_button_clicked(GTK_BUTTON(find_by_type(load_row(fixture), GTK_TYPE_BUTTON)));
  open_gate();
  wait_for(60, !ms_window_is_opening(fixture->window));
  g_assert_null(load_row(fixture));
  g_assert_cmpuint(ms_window_get_n_documents(fixture->window), ==, 0);
  g_assert_cmpstr(ms_window_get_message(fixture->window), ==, "");
}

/* @passes: readings of the whole file before the one of all pixels, for the preview if there is one */
static void
check_loading(WindowFixture *fixture, const char *name, GBytes *bytes, int passes)
{
  g_autofree char *path = write_file(fixture, name, bytes);
  g_autoptr(GFile) file = g_file_new_for_path(path);

  close_gate(path, passes);
  ms_window_open(fixture->window, file);
  wait_for(60, load_row(fixture) && fraction_of(load_row(fixture)) > 0);
  g_assert_cmpfloat(fraction_of(load_row(fixture)), <, 0.9);
  g_assert_true((preview_of(load_row(fixture)) != NULL) == (passes > 0));
  if (passes > 0) {
    GdkPixbuf *preview = gtk_image_get_pixbuf(GTK_IMAGE(preview_of(load_row(fixture))));
    g_assert_cmpint(gdk_pixbuf_get_width(preview), ==, gdk_pixbuf_get_height(preview));
    g_assert_cmpint(gdk_pixbuf_get_width(preview), >, 100);
  }
  cancel_and_see_it_end(fixture);
}

/*
 * A preview, which JPEG files have, comes before the pixels, then the share of the rows; the button stops the loading
 * without a message.
 */
static void
test_large_pictures(void)
{
  SET_UP(fixture);
  g_autoptr(MsImage) image = noise();
  g_autoptr(GBytes) jpeg = ms_test_encode(image, MS_IMAGE_FORMAT_JPEG);
  g_autoptr(GBytes) png = interlaced(image);
  check_loading(&fixture, "large.jpg", jpeg, 1);
  check_loading(&fixture, "large.png", png, 0);
}

/* A file of which nothing can be read yet has a row, too. */
static void
test_pipe(void)
{
  SET_UP(fixture);
  g_autofree char *path = g_build_filename(fixture.folder, "slow.png", NULL);
  g_assert_cmpint(mkfifo(path, 0600), ==, 0);
  int writer = open(path, O_RDWR | O_CLOEXEC);
  g_autoptr(GFile) file = g_file_new_for_path(path);
  ms_window_open(fixture.window, file);
  wait_for(60, load_row(&fixture));
  g_assert_null(preview_of(load_row(&fixture)));
  cancel_and_see_it_end(&fixture);
  close(writer);
}

int
main(int argc, char **argv)
{
  gtk_test_init(&argc, &argv, NULL);
  g_test_add_func("/window-loading/large-pictures", test_large_pictures);
  g_test_add_func("/window-loading/pipe", test_pipe);
  return window_fixture_run();
}
