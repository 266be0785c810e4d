/* SPDX-License-Identifier: MIT */
#include "core/batch/file-stamp.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_SIZE (256 << 10)

/* Leaves @hash empty when the file cannot be read, so that it counts as changed. */
static void
hash_content(int fd, char hash[65])
{
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
  g_autofree guchar *buffer = g_malloc(BUFFER_SIZE);
  gssize n;

  while ((n = read(fd, buffer, BUFFER_SIZE)) > 0)
    g_checksum_update(checksum, buffer, n);
  if (n == 0)
    g_strlcpy(hash, g_checksum_get_string(checksum), 65);
}

/**
 * ms_file_stamp_take:
 * @self: (out)
 * @with_hash: whether the content is read for @hash, which takes about as long as decoding a small image
 *
 * Stamps the file at @path; links are followed.
 */
void
ms_file_stamp_take(MsFileStamp *self, const char *path, gboolean with_hash)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info;

  memset(self, 0, sizeof *self);
  if (fd >= 0 ? fstat(fd, &info) == 0 : stat(path, &info) == 0) {
    self->known = S_ISREG(info.st_mode);
    self->size = self->known ? (guint64)info.st_size : 0;
    self->modified = self->known ? info.st_mtim.tv_sec : 0;
    self->modified_ns = self->known ? (int)info.st_mtim.tv_nsec : 0;
  }
  if (fd >= 0 && self->known && with_hash)
    hash_content(fd, self->hash);
  if (fd >= 0)
    close(fd);
}
