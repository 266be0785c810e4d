/* SPDX-License-Identifier: MIT */
#include "core/batch/stream-spool.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/process/child.h"
#include "core/image/file/atomic-file.h"
#include "core/image/file/file-path.h"
#include "core/image/file/pipe-output.h"
#include "core/image/image-io.h"

/* File I of @files is the descriptor MS_CHILD_FILES_FD + I of the worker. */
struct _MsStreamSpool {
  char *folder;
  GArray *files;
};

static void
close_file(gpointer fd)
{
  close(*(int *)fd);
}

/** ms_stream_spool_new: (transfer full): @folder: (nullable): of the files, %NULL for the system's temporary files. */
MsStreamSpool *
ms_stream_spool_new(const char *folder)
{
  MsStreamSpool *self = g_new0(MsStreamSpool, 1);

  self->folder = g_strdup(folder);
  self->files = g_array_new(FALSE, FALSE, sizeof(int));
  g_array_set_clear_func(self->files, close_file);
  return self;
}

void
ms_stream_spool_free(MsStreamSpool *self)
{
  g_array_unref(self->files);
  g_free(self->folder);
  g_free(self);
}

/* Where the usual folder cannot be written to, the file is in memory, as the bytes of a pipe are without a worker. */
static int
create_file(const MsStreamSpool *self, GError **error)
{
  int fd = ms_scratch_file_create(self->folder ? self->folder : g_get_tmp_dir());

  if (fd < 0 && !self->folder)
    fd = memfd_create("meanshift-lab", MFD_CLOEXEC);
  if (fd < 0)
    ms_set_error(error, MS_ERROR_IO,
                 "A temporary file for the bytes of a pipe cannot be created in '%s': %s; choose "
                 "another folder with --scratch.",
                 self->folder ? self->folder : g_get_tmp_dir(), g_strerror(errno));
  return fd;
}

/* Returns the descriptor that the file has in workers; 0 with @error set when it cannot be created. */
static int
add_file(MsStreamSpool *self, GError **error)
{
  int fd = create_file(self, error);

  if (fd < 0)
    return 0;
  g_array_append_val(self->files, fd);
  return MS_CHILD_FILES_FD + (int)self->files->len - 1;
}

static int
get_file(const MsStreamSpool *self, int descriptor)
{
  return g_array_index(self->files, int, descriptor - MS_CHILD_FILES_FD);
}

static gboolean
read_input(MsStreamSpool *self, MsBatchItem *item, const MsImageLimits *limits, GCancellable *cancellable,
           GError **error)
{
  item->input_spool = add_file(self, error);
  return item->input_spool > 0 &&
         ms_image_drain_to_file(item->input, get_file(self, item->input_spool), limits, cancellable, error);
}

static gboolean
is_pipe(const char *path)
{
  return path && (ms_file_path_is_standard(path) || ms_image_is_stream(path));
}

/**
 * ms_stream_spool_take:
 *
 * Reads an input that is a pipe or device to its end, and prepares a file for an output that is one.
 *
 * Returns: %FALSE with #MS_ERROR_IO, the errors of ms_image_load() or %G_IO_ERROR_CANCELLED
 */
gboolean
ms_stream_spool_take(MsStreamSpool *self, MsBatchItem *item, const MsImageLimits *limits, GCancellable *cancellable,
                     GError **error)
{
  if (is_pipe(item->input) && !read_input(self, item, limits, cancellable, error))
    return FALSE;
  if (is_pipe(item->output))
    item->output_spool = add_file(self, error);
  return !is_pipe(item->output) || item->output_spool > 0;
}

/** ms_stream_spool_get_files: (element-type int): what workers inherit from descriptor %MS_CHILD_FILES_FD on. */
const GArray *
ms_stream_spool_get_files(const MsStreamSpool *self)
{
  return self->files;
}

static gboolean
write_to_pipe(const MsBatchItem *item, GBytes *bytes, GCancellable *cancellable, GError **error)
{
  g_autofree char *folder = item->folder_length > 0 ? g_strndup(item->output, item->folder_length) : NULL;
  g_autoptr(MsAtomicFile) file =
    folder ? ms_atomic_file_open_below(folder, item->output, item->overwrite, cancellable, error)
           : ms_atomic_file_open(item->output, item->overwrite, cancellable, error);
  gsize size = 0;
  const void *data = g_bytes_get_data(bytes, &size);

  return file && ms_atomic_file_write(file, data, size, error) && ms_atomic_file_commit(file, error);
}

/**
 * ms_stream_spool_deliver: writes the result that a worker left in a file to the pipe or device that is the output of
 * @item; does nothing for another output.
 *
 * Returns: %FALSE with #MS_ERROR_IO or %G_IO_ERROR_CANCELLED
 */
gboolean
ms_stream_spool_deliver(MsStreamSpool *self, MsBatchItem *item, GCancellable *cancellable, GError **error)
{
  g_autoptr(GBytes) bytes = NULL;

  if (item->output_spool == 0)
    return TRUE;
  bytes = ms_stream_spool_read(get_file(self, item->output_spool), item->output, error);
  if (!bytes)
    return FALSE;
  return ms_file_path_is_standard(item->output) ? ms_pipe_output_write_standard(bytes, cancellable, error)
                                                : write_to_pipe(item, bytes, cancellable, error);
}

/** ms_stream_spool_read: (transfer full): the bytes of a file of the spool, which stay in it; @name: of the pipe. */
GBytes *
ms_stream_spool_read(int fd, const char *name, GError **error)
{
  g_autoptr(GError) failure = NULL;
  g_autoptr(GMappedFile) file = g_mapped_file_new_from_fd(fd, FALSE, &failure);

  if (file)
    return g_mapped_file_get_bytes(file);
  ms_set_error(error, MS_ERROR_IO, "The temporary file of '%s' cannot be read: %s.", name, failure->message);
  return NULL;
}

/** ms_stream_spool_write: replaces what an earlier attempt may have written to a file of the spool. */
gboolean
ms_stream_spool_write(int fd, GBytes *bytes, GError **error)
{
  gsize size = 0;
  const void *data = g_bytes_get_data(bytes, &size);
  int code =
    ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0 ? ms_pipe_output_write(fd, data, size, NULL, error) : errno;

  if (code != 0)
    ms_set_error(error, MS_ERROR_IO,
                 "A temporary file for the bytes of a pipe cannot be written: %s; choose its folder with --scratch.",
                 g_strerror(code));
  return code == 0;
}
