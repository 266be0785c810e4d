/* SPDX-License-Identifier: MIT */
#include "core/image/stream/row-window.h"

#include <sys/mman.h>
#include <unistd.h>

#include "core/error.h"

struct _MsRowWindow {
  guint8 *pixels;
  gsize stride;
  gsize size;
  gsize dropped; /* bytes at the start that were given back, whole pages */
  gsize held;    /* bytes at the start that were made writable, whole pages */
  GBytes *bytes;
};

typedef struct {
  void *pages;
  gsize size;
} Mapping;

static void
mapping_free(gpointer data)
{
  Mapping *self = data;

  munmap(self->pages, self->size);
  g_free(self);
}

/**
 * ms_row_window_new:
 *
 * The rows hold zeros and take no memory until ms_row_window_hold() makes them writable.
 *
 * Returns: (transfer full): a window of width * height RGBA pixels, or %NULL with #MS_ERROR_MEMORY
 */
MsRowWindow *
ms_row_window_new(int width, int height, GError **error)
{
  gsize size = (gsize)width * height * 4;
  void *pages = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (pages == MAP_FAILED) {
    ms_set_error(error, MS_ERROR_MEMORY, "There are not enough addresses for an image of %zu bytes.", size);
    return NULL;
  }
  MsRowWindow *self = g_new0(MsRowWindow, 1);
  Mapping *mapping = g_new(Mapping, 1);
  *mapping = (Mapping){pages, size};
  self->pixels = pages;
  self->stride = (gsize)width * 4;
  self->size = size;
  self->bytes = g_bytes_new_with_free_func(pages, size, mapping_free, mapping);
  return self;
}

/** ms_row_window_get_bytes: (transfer none): all rows; the pages live as long as these bytes. */
GBytes *
ms_row_window_get_bytes(MsRowWindow *self)
{
  return self->bytes;
}

static gsize
page_size(void)
{
  return (gsize)sysconf(_SC_PAGESIZE);
}

/**
 * ms_row_window_hold: makes the rows before @end writable that are not dropped; %FALSE with #MS_ERROR_MEMORY when the
 * system refuses their memory.
 */
gboolean
ms_row_window_hold(MsRowWindow *self, int end, GError **error)
{
  gsize page = page_size();
  gsize bytes = MIN(((gsize)end * self->stride + page - 1) / page * page, self->size);

  if (bytes <= self->held)
    return TRUE;
  if (mprotect(self->pixels + self->held, bytes - self->held, PROT_READ | PROT_WRITE) != 0) {
    ms_set_error(error, MS_ERROR_MEMORY, "There is not enough memory for %zu more bytes.", bytes - self->held);
    return FALSE;
  }
  self->held = bytes / page * page;
  return TRUE;
}

/** ms_row_window_get_row: where the pixels of row @y are read, and written while it is held. */
guint8 *
ms_row_window_get_row(MsRowWindow *self, int y)
{
  return self->pixels + (gsize)y * self->stride;
}

static void
drop_bytes(MsRowWindow *self, gsize end)
{
  if (end <= self->dropped)
    return;
  madvise(self->pixels + self->dropped, end - self->dropped, MADV_DONTNEED);
  mprotect(self->pixels + self->dropped, end - self->dropped, PROT_READ);
  self->dropped = end;
}

/** ms_row_window_drop: frees the memory of the rows before @end, which then hold zeros. */
void
ms_row_window_drop(MsRowWindow *self, int end)
{
  gsize page = page_size();

  drop_bytes(self, (gsize)end * self->stride / page * page);
}

/** ms_row_window_drop_all: frees the memory of all rows, so that they can be written again from the first. */
void
ms_row_window_drop_all(MsRowWindow *self)
{
  drop_bytes(self, self->size);
  self->dropped = self->held = 0;
}

void
ms_row_window_free(MsRowWindow *self)
{
  g_bytes_unref(self->bytes);
  g_free(self);
}
