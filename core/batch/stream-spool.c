/* SPDX-License-Identifier: MIT */
#include "core/batch/stream-spool.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/file.h"
#include "core/image/file/atomic-file.h"
#include "core/image/file/file-path.h"
#include "core/image/file/pipe-output.h"
#include "core/image/image-io.h"
#include "core/process/child.h"

static void
close_file(gpointer fd)
{
  close(*(int *)fd);
}

/** ms_stream_spool_new: (transfer full) (element-type int): file I is descriptor MS_CHILD_FILES_FD + I of workers. */
GArray *
ms_stream_spool_new(void)
{
  GArray *files = g_array_new(FALSE, FALSE, sizeof(int));

  g_array_set_clear_func(files, close_file);
  return files;
}

/* Where the usual folder cannot be written to, the file is in memory, as the bytes of a pipe are without a worker. */
static int
create_file(const char *folder, GError **error)
{
  int fd = ms_scratch_file_create(folder ? folder : g_get_tmp_dir());

  if (fd < 0 && !folder)
    fd = memfd_create("meanshift-lab", MFD_CLOEXEC);
  if (fd < 0)
    ms_set_error(error, MS_ERROR_IO,
                 "A temporary file for the bytes of a pipe cannot be created in '%s': %s; choose "
                 "another folder with --scratch.",
                 folder ? folder : g_get_tmp_dir(), ms_errno_text(errno));
  return fd;
}

/* Returns the descriptor that the file has in workers; 0 with @error set when it cannot be created. */
static int
add_file(GArray *files, const char *folder, GError **error)
{
  int fd = create_file(folder, error);

  if (fd < 0)
    return 0;
  g_array_append_val(files, fd);
  return MS_CHILD_FILES_FD + (int)files->len - 1;
}

static int
get_file(const GArray *files, int descriptor)
{
  return g_array_index(files, int, descriptor - MS_CHILD_FILES_FD);
}

/**
 * ms_stream_spool_take:
 * @folder: (nullable): of the files, %NULL for the system's temporary files
 *
 * Reads an input that is a pipe or device to its end, and prepares a file for an output that is one.
 *
 * Returns: %FALSE with #MS_ERROR_IO, the errors of ms_image_load() or %G_IO_ERROR_CANCELLED
 */
gboolean
ms_stream_spool_take(GArray *files, const char *folder, MsBatchItem *item, const MsImageLimits *limits,
                     GCancellable *cancellable, GError **error)
{
  if (item->input_is_stream) {
    item->input_spool = add_file(files, folder, error);
    if (item->input_spool == 0 ||
        !ms_image_drain_to_file(item->input, get_file(files, item->input_spool), limits, cancellable, error))
      return FALSE;
  }
  if (item->output_is_stream)
    item->output_spool = add_file(files, folder, error);
  return !item->output_is_stream || item->output_spool > 0;
}

static gboolean
write_to_pipe(const MsBatchItem *item, GBytes *bytes, const MsStreamWait *wait, GCancellable *cancellable,
              GError **error)
{
  g_autoptr(MsAtomicFile) file = ms_atomic_file_open_waiting(item->output, item->overwrite, wait, cancellable, error);
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
ms_stream_spool_deliver(const GArray *files, MsBatchItem *item, const MsStreamWait *wait, GCancellable *cancellable,
                        GError **error)
{
  g_autoptr(GBytes) bytes = NULL;

  if (item->output_spool == 0)
    return TRUE;
  bytes = ms_stream_spool_read(get_file(files, item->output_spool), item->output, error);
  if (!bytes)
    return FALSE;
  return ms_file_path_is_standard(item->output) ? ms_pipe_output_write_standard(bytes, wait, cancellable, error)
                                                : write_to_pipe(item, bytes, wait, cancellable, error);
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
  int code = ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0
               ? ms_pipe_output_write(fd, data, size, NULL, NULL, error)
               : errno;

  if (code != 0)
    ms_set_error(error, MS_ERROR_IO,
                 "A temporary file for the bytes of a pipe cannot be written: %s; choose its folder with --scratch.",
                 ms_errno_text(code));
  return code == 0;
}
