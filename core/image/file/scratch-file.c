/* SPDX-License-Identifier: MIT */
#include "core/image/file/scratch-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/error.h"

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
clear(gpointer data)
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
  g_atomic_rc_box_release_full(self, clear);
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
    self->name, (size >> 20) + 1, self->folder, g_strerror(code));
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
