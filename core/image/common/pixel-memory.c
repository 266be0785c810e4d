/* SPDX-License-Identifier: MIT */
#include "core/image/common/pixel-memory.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/error.h"
#include "core/file.h"

/* The C library keeps smaller blocks itself; larger ones it returns to the system, which clears each page again. */
#define LEAST_BYTES ((gsize)32 << 20)

/* A reference-counted box: the owner and each image hold a reference. */
struct _MsPixelMemory {
  GMutex lock;
  gboolean keeps;
  guint8 *kept; /* (nullable) */
  gsize kept_bytes;
};

/* What an image leaves when it is freed. */
typedef struct {
  MsPixelMemory *memory;
  guint8 *pixels;
  gsize bytes;
} Lease;

/** ms_pixel_memory_new: (transfer full): keeps the memory of freed images; its images may outlive it. */
MsPixelMemory *
ms_pixel_memory_new(void)
{
  MsPixelMemory *self = g_atomic_rc_box_new0(MsPixelMemory);

  g_mutex_init(&self->lock);
  self->keeps = TRUE;
  return self;
}

static void
clear_memory(gpointer data)
{
  MsPixelMemory *self = data;

  g_mutex_clear(&self->lock);
}

/** ms_pixel_memory_set_keeps: sets whether the memory of freed images is kept; %FALSE also frees the kept memory. */
void
ms_pixel_memory_set_keeps(MsPixelMemory *self, gboolean keeps)
{
  g_mutex_lock(&self->lock);
  self->keeps = keeps;
  if (!keeps)
    g_clear_pointer(&self->kept, g_free);
  g_mutex_unlock(&self->lock);
}

/** ms_pixel_memory_free: frees the kept memory; the memory of images in use is freed with them. %NULL is ignored. */
void
ms_pixel_memory_free(MsPixelMemory *self)
{
  if (!self)
    return;
  ms_pixel_memory_set_keeps(self, FALSE);
  g_atomic_rc_box_release_full(self, clear_memory);
}

/** ms_pixel_memory_kept_bytes: bytes that wait for an image of their size. */
gsize
ms_pixel_memory_kept_bytes(MsPixelMemory *self)
{
  g_mutex_lock(&self->lock);
  const gsize bytes = self->kept ? self->kept_bytes : 0;
  g_mutex_unlock(&self->lock);
  return bytes;
}

static gpointer
take_kept(MsPixelMemory *self, gsize bytes)
{
  g_mutex_lock(&self->lock);
  guint8 *kept = g_steal_pointer(&self->kept);
  const gboolean fits = kept && self->kept_bytes == bytes;
  g_mutex_unlock(&self->lock);
  if (fits)
    return kept;
  g_free(kept);
  return NULL;
}

static void
leave(gpointer data)
{
  g_autofree Lease *block = data;
  MsPixelMemory *self = block->memory;

  g_mutex_lock(&self->lock);
  if (self->keeps && block->bytes >= LEAST_BYTES) {
    g_free(self->kept);
    self->kept = g_steal_pointer(&block->pixels);
    self->kept_bytes = block->bytes;
  }
  g_mutex_unlock(&self->lock);
  g_free(block->pixels);
  g_atomic_rc_box_release_full(self, clear_memory);
}

/**
 * ms_pixel_memory_take:
 *
 * Returns: (transfer full): width * height * 4 bytes, not cleared: those that an image of this size left, or new ones;
 *   they come back to @self with their last reference, from any thread. %NULL with #MS_ERROR_MEMORY
 */
GBytes *
ms_pixel_memory_take(MsPixelMemory *self, int width, int height, GError **error)
{
  const gsize bytes = (gsize)width * (gsize)height * 4;
  guint8 *kept = take_kept(self, bytes);
  guint8 *pixels =
    kept ? kept
         : ms_image_check_memory(ms_image_try_alloc_pixels((guint64)width, (guint64)height), width, height, error);

  if (!pixels)
    return NULL;
  Lease *block = g_new(Lease, 1);
  *block = (Lease){g_atomic_rc_box_acquire(self), pixels, bytes};
  return g_bytes_new_with_free_func(pixels, bytes, leave, block);
}

/* ---- Temporary files. */

typedef struct {
  void *data;
  gsize size;
} Block;

struct _MsScratchFile {
  char *folder;
  char *name;
  GArray *blocks;
  guint64 touched; /* bytes since the pages were dropped */
};

/** ms_scratch_file_new: (transfer full): without blocks; @folder: of the files; @name: of the image, in errors. */
MsScratchFile *
ms_scratch_file_new(const char *folder, const char *name)
{
  MsScratchFile *self = g_atomic_rc_box_new0(MsScratchFile);

  self->folder = g_strdup(folder);
  self->name = g_strdup(name);
  self->blocks = g_array_new(FALSE, FALSE, sizeof(Block));
  return self;
}

MsScratchFile *
ms_scratch_file_ref(MsScratchFile *self)
{
  return g_atomic_rc_box_acquire(self);
}

static void
clear_scratch(gpointer data)
{
  MsScratchFile *self = data;

  for (guint i = 0; i < self->blocks->len; i++)
    munmap(g_array_index(self->blocks, Block, i).data, g_array_index(self->blocks, Block, i).size);
  g_array_unref(self->blocks);
  g_free(self->folder);
  g_free(self->name);
}

/** ms_scratch_file_unref: the last call frees all blocks and their space on the disk. */
void
ms_scratch_file_unref(MsScratchFile *self)
{
  g_atomic_rc_box_release_full(self, clear_scratch);
}

/**
 * ms_scratch_file_create: opens a file without a name, so that nothing is left when the process is killed.
 *
 * Returns: the file, or -1 with errno set
 */
int
ms_scratch_file_create(const char *folder)
{
  int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

  /* Not every file system has files without names. */
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
    return fd;
  g_autofree char *path = g_build_filename(folder, ".meanshift-lab-XXXXXX", NULL);
  fd = g_mkstemp_full(path, O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0)
    g_unlink(path);
  return fd;
}

/* Reserves space on the disk first, because a full disk would end the process when a page is written. */
static void *
map_file(int fd, gsize size, int *code)
{
  void *data;

  *code = posix_fallocate(fd, 0, (off_t)size);
  if (*code != 0)
    return NULL;
  data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  *code = errno;
  return data == MAP_FAILED ? NULL : data;
}

/**
 * ms_scratch_file_map:
 * @size: bytes, at least 1
 *
 * Returns: (transfer none): zeros that are stored in a temporary file; %NULL with #MS_ERROR_IO when the file cannot be
 *   made or the disk is full
 */
void *
ms_scratch_file_map(MsScratchFile *self, gsize size, GError **error)
{
  int fd = ms_scratch_file_create(self->folder), code = errno;
  Block block = {fd >= 0 ? map_file(fd, size, &code) : NULL, size};

  if (fd >= 0)
    close(fd);
  if (block.data) {
    g_array_append_val(self->blocks, block);
    return block.data;
  }
  ms_set_error(
    error, MS_ERROR_IO,
    "'%s' needs a temporary file of %zu MiB, which cannot be created in '%s': %s; choose another folder with "
    "--scratch.",
    self->name, (size >> 20) + 1, self->folder, ms_errno_text(code));
  return NULL;
}

/** ms_scratch_file_unmap: frees a block early. */
void
ms_scratch_file_unmap(MsScratchFile *self, void *data)
{
  for (guint i = 0; i < self->blocks->len; i++) {
    Block *block = &g_array_index(self->blocks, Block, i);
    if (block->data != data)
      continue;
    munmap(block->data, block->size);
    g_array_remove_index_fast(self->blocks, i);
    return;
  }
}

/** ms_scratch_file_touch: to be called when so many bytes were read or written; drops the pages after each step. */
void
ms_scratch_file_touch(MsScratchFile *self, gsize bytes)
{
  self->touched += bytes;
  if (self->touched >= MS_SCRATCH_STEP)
    ms_scratch_file_drop(self);
}

/** ms_scratch_file_drop: drops the pages of all blocks from this process's memory; their content stays in the files. */
void
ms_scratch_file_drop(MsScratchFile *self)
{
  for (guint i = 0; i < self->blocks->len; i++) {
    const Block *block = &g_array_index(self->blocks, Block, i);
    madvise(block->data, block->size, MADV_DONTNEED);
  }
  self->touched = 0;
}

/* ---- Windows of rows. */

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

/** ms_row_window_drop: frees the memory of the rows before @end, which then hold zeros. */
void
ms_row_window_drop(MsRowWindow *self, int end)
{
  const gsize page = page_size(), bytes = (gsize)end * self->stride / page * page;

  if (bytes <= self->dropped)
    return;
  madvise(self->pixels + self->dropped, bytes - self->dropped, MADV_DONTNEED);
  mprotect(self->pixels + self->dropped, bytes - self->dropped, PROT_READ);
  self->dropped = bytes;
}

void
ms_row_window_free(MsRowWindow *self)
{
  g_bytes_unref(self->bytes);
  g_free(self);
}
