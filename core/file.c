/* SPDX-License-Identifier: MIT */
#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/text.h"

/* Opening */

/**
 * ms_file_open:
 * @accepts_streams: whether a pipe or device is opened, which is only right for what a person named
 *
 * Opens a file for reading without waiting for the writer of a pipe. What the file is, is asked of the open file, so
 * that nobody can put a pipe in its place between the question and the opening.
 *
 * Returns: the file, or -1 with errno set: EISDIR for a folder, ESPIPE for a pipe, socket or device that is refused
 */
int
ms_file_open(const char *path, gboolean accepts_streams)
{
  struct stat info;
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

  if (fd < 0) {
    /* A socket cannot be opened at all. */
    errno = errno == ENXIO ? ESPIPE : errno;
    return -1;
  }
  const int code = fstat(fd, &info) != 0                      ? errno
                   : S_ISDIR(info.st_mode)                    ? EISDIR
                   : S_ISREG(info.st_mode) || accepts_streams ? 0
                                                              : ESPIPE;
  if (code == 0)
    return fd;
  close(fd);
  errno = code;
  return -1;
}

/* What a person can do */

static gboolean
is_shortage(int code)
{
  return code == EMFILE || code == ENFILE || code == ENOMEM;
}

static void
fail_for_want(GError **error, const char *name, int code)
{
  ms_set_error(error, MS_ERROR_IO, "Cannot open '%s': %s.", name, ms_errno_text(code));
}

/** ms_file_fail_reading: sets #MS_ERROR_IO with what a person can do about the errno value @code. */
void
ms_file_fail_reading(GError **error, const char *path, int code)
{
  g_autofree char *name = ms_printable(path, "");

  if (is_shortage(code)) {
    fail_for_want(error, name, code);
    return;
  }
  switch (code) {
  case ENOENT:
    if (g_file_test(path, G_FILE_TEST_IS_SYMLINK))
      ms_set_error(error, MS_ERROR_IO, "'%s' is a link to a file that does not exist; mend or remove the link.", name);
    else
      ms_set_error(error, MS_ERROR_IO, "'%s' does not exist; check the name.", name);
    break;
  case EACCES:
    ms_set_error(error, MS_ERROR_IO, "No permission to read '%s'; ask its owner or copy it.", name);
    break;
  case EISDIR:
    ms_set_error(error, MS_ERROR_IO, "'%s' is a folder where a file was expected; name a file.", name);
    break;
  case ESPIPE:
    ms_set_error(error, MS_ERROR_IO,
                 "'%s' is a pipe, socket or device, and only a pipe or device that was named itself is read; put a "
                 "file in its place.",
                 name);
    break;
  case EIO:
    ms_set_error(error, MS_ERROR_IO, "Cannot read '%s': %s; check the disk and try again.", name, ms_errno_text(code));
    break;
  default:
    ms_set_error(error, MS_ERROR_IO, "Cannot open '%s': %s; check the name.", name, ms_errno_text(code));
  }
}

/** ms_file_fail_writing: ms_file_fail_reading() for a file that cannot be written, or cannot get its name. */
void
ms_file_fail_writing(GError **error, const char *path, int code)
{
  g_autofree char *name = ms_printable(path, "");

  if (is_shortage(code)) {
    fail_for_want(error, name, code);
    return;
  }
  switch (code) {
  case ENOSPC:
  case EDQUOT:
    ms_set_error(error, MS_ERROR_IO, "Cannot write '%s': the disk is full; free some space or choose another folder.",
                 name);
    break;
  case EFBIG:
    ms_set_error(error, MS_ERROR_IO, "Cannot write '%s': the file would be larger than this system or user may write.",
                 name);
    break;
  case EACCES:
  case EPERM:
  case EROFS:
    ms_set_error(error, MS_ERROR_IO, "Cannot write '%s': no permission to write there; choose another folder.", name);
    break;
  case ENOENT:
    ms_set_error(error, MS_ERROR_IO, "Cannot write '%s': its folder does not exist; create it first.", name);
    break;
  case ENOTDIR:
    ms_set_error(error, MS_ERROR_IO, "Cannot write '%s': a part of its path is not a folder; choose another path.",
                 name);
    break;
  case EISDIR:
    ms_set_error(error, MS_ERROR_IO, "Cannot write '%s': it is a folder; give the name of a file in it.", name);
    break;
  case ESPIPE:
    ms_set_error(
      error, MS_ERROR_IO,
      "Cannot write '%s': it is a pipe, socket or device, and only a pipe or device that was named itself is "
      "written to; remove it, or choose another name.",
      name);
    break;
  default:
    ms_set_error(error, MS_ERROR_IO, "Cannot write '%s': %s; choose another name or folder.", name,
                 ms_errno_text(code));
  }
}

/* Pipes and devices */

/* How long a pipe is waited for that no program has opened for writing, where nobody says how long. */
#define NO_WRITER_S 30

/* When a wait is spoken of, and how often it looks around. */
#define NOTE_S 10
#define LOOK_MS 500

static char *
shown_name(const MsStreamWait *wait)
{
  return ms_printable(wait->name ? wait->name : "standard input or output", "");
}

/**
 * ms_stream_wait_is_over:
 * @since: monotonic time of the last byte
 *
 * Returns: whether the wait for a byte was longer than allowed, with #MS_ERROR_TIMEOUT
 */
gboolean
ms_stream_wait_is_over(const MsStreamWait *wait, gint64 since, GError **error)
{
  if (wait->silence_s <= 0 || g_get_monotonic_time() - since < (gint64)(wait->silence_s * G_USEC_PER_SEC))
    return FALSE;
  g_autofree char *name = shown_name(wait);
  ms_set_error(error, MS_ERROR_TIMEOUT,
               "'%s' gave or took no byte for %g seconds; see to the program at its other end, or give a longer "
               "--timeout.",
               name, wait->silence_s);
  return TRUE;
}

/* Speaks of a wait once. */
static void
note_wait(const MsStreamWait *wait, gint64 since, gboolean *noted)
{
  if (*noted || !wait->note || g_get_monotonic_time() - since < NOTE_S * G_USEC_PER_SEC)
    return;
  g_autofree char *name = shown_name(wait);
  g_autofree char *sentence = g_strdup_printf(_("Still waiting for '%s', which gives no byte."), name);
  *noted = TRUE;
  wait->note(sentence, wait->data);
}

/* Waits a moment until @fd can be read; %FALSE when cancelled. */
static gboolean
look(int fd, gboolean *ready, GCancellable *cancellable, GError **error)
{
  GPollFD cancel = {.fd = -1};
  const gboolean has_cancel = cancellable && g_cancellable_make_pollfd(cancellable, &cancel);
  struct pollfd fds[2] = {{.fd = fd, .events = POLLIN}, {.fd = cancel.fd, .events = POLLIN}};

  *ready = poll(fds, has_cancel ? 2 : 1, LOOK_MS) > 0 && fds[0].revents != 0;
  if (has_cancel)
    g_cancellable_release_fd(cancellable);
  return !g_cancellable_set_error_if_cancelled(cancellable, error);
}

/* Whether nobody has @fd open for writing; a pipe that gives bytes after all has them in @n. */
static gboolean
lacks_writer(int fd, void *buffer, gsize size, gssize *n)
{
  struct stat info;

  if (!(fcntl(fd, F_GETFL) & O_NONBLOCK) || fstat(fd, &info) != 0 || !S_ISFIFO(info.st_mode))
    return FALSE;
  *n = read(fd, buffer, size);
  return *n == 0;
}

/* A pipe that nobody opens for writing ends by itself, since no program may ever do so. */
static gboolean
fail_without_writer(const MsStreamWait *wait, gint64 since, GError **error)
{
  const double limit = wait->silence_s > 0 ? wait->silence_s : NO_WRITER_S;

  if (g_get_monotonic_time() - since < (gint64)(limit * G_USEC_PER_SEC))
    return FALSE;
  g_autofree char *name = shown_name(wait);
  ms_set_error(
    error, MS_ERROR_TIMEOUT,
    "No program opened the pipe '%s' for writing within %g seconds; start the one that writes into it first, "
    "or give a longer --timeout.",
    name, limit);
  return TRUE;
}

/**
 * ms_stream_read:
 * @fd: a pipe, device or file; it may block
 *
 * Returns: bytes read, 0 at the end, or -1 with #MS_ERROR_TIMEOUT, #MS_ERROR_IO or %G_IO_ERROR_CANCELLED
 */
gssize
ms_stream_read(int fd, void *buffer, gsize size, const MsStreamWait *wait, GCancellable *cancellable, GError **error)
{
  const gint64 since = g_get_monotonic_time();
  gboolean noted = FALSE;

  for (;;) {
    gboolean ready = FALSE;
    gssize n = -1;
    if (!look(fd, &ready, cancellable, error))
      return -1;
    if (ready && (n = read(fd, buffer, size)) >= 0)
      return n;
    if (ready && errno != EAGAIN && errno != EINTR) {
      ms_file_fail_reading(error, wait->name ? wait->name : "standard input", errno);
      return -1;
    }
    if (!ready && lacks_writer(fd, buffer, size, &n)) {
      if (fail_without_writer(wait, since, error))
        return -1;
    } else if (n > 0) {
      return n;
    } else if (ms_stream_wait_is_over(wait, since, error)) {
      return -1;
    }
    note_wait(wait, since, &noted);
  }
}

/* Texts */

#define PIECE (64 * 1024)

/* Appends what @fd holds, and stops at the first piece beyond @limit. */
static gboolean
read_up_to(int fd, const char *path, gsize limit, GByteArray *bytes, GError **error)
{
  const MsStreamWait wait = {.name = path};

  for (;;) {
    const guint had = bytes->len;
    g_byte_array_set_size(bytes, had + PIECE);
    const gssize n = ms_stream_read(fd, bytes->data + had, PIECE, &wait, NULL, error);
    g_byte_array_set_size(bytes, had + (guint)MAX(n, 0));
    if (n <= 0 || bytes->len > limit)
      return n >= 0;
  }
}

/** ms_file_text_read: ms_file_text_load() of a file that is open, which stays so; @path: of it in messages. */
char *
ms_file_text_read(int fd, const char *path, gsize limit, gsize *length, GError **error)
{
  g_autoptr(GByteArray) bytes = g_byte_array_new();

  if (!read_up_to(fd, path, limit, bytes, error))
    return NULL;
  if (bytes->len > limit) {
    g_autofree char *name = ms_printable(path, "");
    ms_set_error(error, MS_ERROR_TOO_LARGE, "'%s' is too large; %zu bytes are read at most.", name, limit);
    return NULL;
  }
  if (length)
    *length = bytes->len;
  g_byte_array_append(bytes, (const guint8 *)"", 1);
  return (char *)g_byte_array_free(g_steal_pointer(&bytes), FALSE);
}

static char *
load(const char *path, gboolean accepts_streams, gsize limit, gsize *length, GError **error)
{
  const int fd = ms_file_open(path, accepts_streams);

  if (fd < 0) {
    ms_file_fail_reading(error, path, errno);
    return NULL;
  }
  char *text = ms_file_text_read(fd, path, limit, length, error);
  close(fd);
  return text;
}

/**
 * ms_file_text_load:
 * @path: a file; a pipe or device is refused
 * @limit: the most bytes that are accepted, below 2 GiB
 * @length: (out) (optional): bytes of the text, without the zero behind it
 *
 * Reads no more than @limit and a piece, so that a file without an end costs no more memory than that.
 *
 * Returns: (transfer full): the text, or %NULL with an error that names the file
 */
char *
ms_file_text_load(const char *path, gsize limit, gsize *length, GError **error)
{
  return load(path, FALSE, limit, length, error);
}

/** ms_file_text_load_named: ms_file_text_load() for what a person named, which may be a pipe or device. */
char *
ms_file_text_load_named(const char *path, gsize limit, gsize *length, GError **error)
{
  return load(path, TRUE, limit, length, error);
}
