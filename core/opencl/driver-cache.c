/* SPDX-License-Identifier: MIT */
#include "core/opencl/driver-cache.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glib/gi18n-lib.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/opencl/icd.h"
#include "core/error.h"

/* PoCL writes a few hundred KiB for each kernel; with less space the first kernel fails. */
#define LEAST_SPACE (4 << 20)

/* The cache folder that PoCL chooses. */
static char *
usual_folder(void)
{
  const char *folder = g_getenv(MS_DRIVER_CACHE_VARIABLE);

  return folder && *folder ? g_strdup(folder) : g_build_filename(g_get_user_cache_dir(), "pocl", "kcache", NULL);
}

/* Whether the file size limit of this process is below LEAST_SPACE; exceeding it ends the process with a signal. */
static gboolean
exceeds_limit(void)
{
  struct rlimit limit;

  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < LEAST_SPACE;
}

/* 0 when files of LEAST_SPACE can be created in @folder, else an errno value. */
static int
try_folder(const char *folder)
{
  if (exceeds_limit())
    return EFBIG;

  g_autofree char *name = g_build_filename(folder, ".ms-XXXXXX", NULL);
  int fd = g_mkstemp_full(name, O_RDWR | O_CLOEXEC, 0600);
  int code = fd >= 0 ? posix_fallocate(fd, 0, LEAST_SPACE) : errno;

  if (fd < 0)
    return code;
  unlink(name);
  close(fd);
  return code == EOPNOTSUPP || code == EINVAL ? 0 : code;
}

/* Tries the folder, or the nearest existing ancestor, in which it would be created. */
static int
try_nearest_folder(const char *folder)
{
  g_autofree char *nearest = g_strdup(folder);

  while (!g_file_test(nearest, G_FILE_TEST_EXISTS) && strcmp(nearest, "/") != 0 && strcmp(nearest, ".") != 0) {
    char *above = g_path_get_dirname(nearest);
    g_free(nearest);
    nearest = above;
  }
  return try_folder(nearest);
}

/*
 * All processes of a user share the folder, so that kernels are compiled once. A folder that another user made or can
 * write to is not used, since compiled kernels are executed.
 */
static char *
private_folder(void)
{
  const char *const parents[] = {g_get_user_runtime_dir(), g_get_tmp_dir(), "/dev/shm"};

  for (gsize i = 0; i < G_N_ELEMENTS(parents); i++) {
    g_autofree char *name = g_strdup_printf("meanshift-lab-%u", (guint)geteuid());
    g_autofree char *folder = g_build_filename(parents[i], name, NULL);
    struct stat info;
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
      continue;
    if (lstat(folder, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() && (info.st_mode & 0077) == 0 &&
        try_folder(folder) == 0)
      return g_steal_pointer(&folder);
  }
  return NULL;
}

static gboolean
has_pocl(void)
{
  g_auto(GStrv) files = ms_icd_list();

  for (gsize i = 0; files[i]; i++)
    if (strstr(files[i], "pocl"))
      return TRUE;
  return FALSE;
}

static gpointer
prepare_cache_once(gpointer unused)
{
  g_autofree char *folder = usual_folder();
  int code = has_pocl() ? try_nearest_folder(folder) : 0;

  if (code == 0)
    return NULL;
  g_autofree char *other = private_folder();
  if (!other)
    return g_strdup_printf(_("The OpenCL driver PoCL cannot write to its cache '%s': %s; free some space, or name a "
                             "writable folder with the variable %s."),
                           folder, ms_errno_text(code), MS_DRIVER_CACHE_VARIABLE);
  g_setenv(MS_DRIVER_CACHE_VARIABLE, other, TRUE);
  return g_strdup_printf(_("The OpenCL driver PoCL cannot write to its cache '%s': %s; '%s' is used instead."), folder,
                         ms_errno_text(code), other);
}

/**
 * ms_driver_cache_prepare:
 *
 * Gives PoCL a private folder where its own cannot be written to or its disk is full; does so once in a process.
 * ms_device_enumerate() calls it before the first call of OpenCL. A program that starts threads earlier calls it before
 * them, since it sets an environment variable, which other threads may be reading.
 *
 * Returns: (nullable): a sentence on what was changed or why it cannot be; %NULL if the cache was usable as it is
 */
const char *
ms_driver_cache_prepare(void)
{
  static GOnce once = G_ONCE_INIT;

  return g_once(&once, prepare_cache_once, NULL);
}

/** ms_driver_cache_find: (transfer full) (nullable): the folder of PoCL's cache; %NULL where PoCL is not installed. */
char *
ms_driver_cache_find(void)
{
  return has_pocl() ? usual_folder() : NULL;
}

/**
 * ms_driver_cache_keeps_sources:
 * @nvidia_capability: of the device, 0 where the driver is not NVIDIA's
 *
 * Returns: whether the driver keeps the machine code of programs that were built from source. NVIDIA's does in a folder
 *   of the user, unless that is turned off or could not be made.
 */
gboolean
ms_driver_cache_keeps_sources(guint nvidia_capability)
{
  const char *folder = g_getenv("CUDA_CACHE_PATH");
  g_autofree char *usual = g_build_filename(g_get_home_dir(), ".nv", "ComputeCache", NULL);

  return nvidia_capability > 0 && g_strcmp0(g_getenv("CUDA_CACHE_DISABLE"), "1") != 0 &&
         g_file_test(folder && *folder ? folder : usual, G_FILE_TEST_IS_DIR);
}

/**
 * ms_driver_cache_make_spare:
 *
 * Makes an empty folder for the cache of a driver whose usual one may be damaged.
 *
 * Returns: (transfer full) (nullable): its name, for ms_driver_cache_remove_spare(); %NULL where PoCL is not installed
 *   or no folder can be made
 */
char *
ms_driver_cache_make_spare(void)
{
  g_autofree char *parent = has_pocl() ? private_folder() : NULL;
  g_autofree char *folder = parent ? g_build_filename(parent, "spare-XXXXXX", NULL) : NULL;

  return folder && g_mkdtemp(folder) ? g_steal_pointer(&folder) : NULL;
}

static int
remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
  return remove(path);
}

/** ms_driver_cache_remove_spare: @folder: (nullable) */
void
ms_driver_cache_remove_spare(const char *folder)
{
  if (folder)
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
