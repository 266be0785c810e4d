/* SPDX-License-Identifier: MIT */
#include "core/opencl/program-cache.h"

#include <glib/gstdio.h>
#include <string.h>

#include "core/folder.h"

/*
 * A file is: magic, the key (64 hex digits), the SHA-256 of the binary (64 hex digits), the binary. Some runtimes abort
 * the process on a truncated binary, so a binary with a wrong checksum is never loaded.
 */
#define MAGIC "MSLABPC1"
#define MAGIC_SIZE 8
#define DIGEST_SIZE 64
#define HEADER_SIZE (MAGIC_SIZE + 2 * DIGEST_SIZE)

/**
 * ms_program_cache_key:
 *
 * Returns: (transfer full): SHA-256 in hex over platform, device, driver, sources and options
 */
char *
ms_program_cache_key(MsDevice *device, MsProgramSpec *spec)
{
  g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
  g_autofree char *hash = ms_program_spec_hash(spec);
  const char *const fields[] = {
    ms_device_get_platform(device), ms_device_get_vendor(device),  ms_device_get_name(device),
    ms_device_get_driver(device),   ms_device_get_version(device), hash,
  };

  for (gsize i = 0; i < G_N_ELEMENTS(fields); i++)
    g_checksum_update(sum, (const guchar *)fields[i], (gssize)strlen(fields[i]) + 1);
  return g_strdup(g_checksum_get_string(sum));
}

/** ms_program_cache_folder: (transfer full): the folder of the binaries. */
char *
ms_program_cache_folder(void)
{
  return g_build_filename(g_get_user_cache_dir(), "meanshift-lab", "programs", NULL);
}

static char *
cache_path(const char *folder, const char *key)
{
  g_autofree char *name = g_strconcat(key, ".bin", NULL);

  return g_build_filename(folder, name, NULL);
}

static gboolean
header_agrees(const char *data, gsize size, const char *key)
{
  if (size <= HEADER_SIZE || memcmp(data, MAGIC, MAGIC_SIZE) != 0)
    return FALSE;
  if (memcmp(data + MAGIC_SIZE, key, DIGEST_SIZE) != 0)
    return FALSE;
  g_autofree char *digest =
    g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)data + HEADER_SIZE, size - HEADER_SIZE);
  return memcmp(data + MAGIC_SIZE + DIGEST_SIZE, digest, DIGEST_SIZE) == 0;
}

/**
 * ms_program_cache_load:
 *
 * Returns: (transfer full) (nullable): the binary, or %NULL when there is none with a valid checksum
 */
GBytes *
ms_program_cache_load(const char *folder, const char *key)
{
  g_autofree char *path = cache_path(folder, key);
  g_autofree char *data = NULL;
  gsize size = 0;

  if (!g_file_get_contents(path, &data, &size, NULL))
    return NULL;
  if (!header_agrees(data, size, key)) {
    g_unlink(path);
    return NULL;
  }
  return g_bytes_new(data + HEADER_SIZE, size - HEADER_SIZE);
}

/**
 * ms_program_cache_store: writes a binary under a temporary name and renames it, so that readers see all of it or none.
 */
gboolean
ms_program_cache_store(const char *folder, const char *key, GBytes *binary, GError **error)
{
  g_autofree char *path = cache_path(folder, key);
  g_autofree char *digest = g_compute_checksum_for_bytes(G_CHECKSUM_SHA256, binary);
  g_autoptr(GByteArray) file = g_byte_array_new();

  if (!ms_folder_make(folder, MS_FOLDER_PRIVATE, error))
    return FALSE;
  g_byte_array_append(file, (const guint8 *)MAGIC, MAGIC_SIZE);
  g_byte_array_append(file, (const guint8 *)key, DIGEST_SIZE);
  g_byte_array_append(file, (const guint8 *)digest, DIGEST_SIZE);
  g_byte_array_append(file, g_bytes_get_data(binary, NULL), (guint)g_bytes_get_size(binary));
  return g_file_set_contents_full(path, (const char *)file->data, file->len, G_FILE_SET_CONTENTS_CONSISTENT, 0600,
                                  error);
}

/** ms_program_cache_remove: deletes a binary that the driver rejected. */
void
ms_program_cache_remove(const char *folder, const char *key)
{
  g_autofree char *path = cache_path(folder, key);

  g_unlink(path);
}
