/* SPDX-License-Identifier: MIT */
/*
 * PoCL's binary of a program holds files, among them a shared object for each kernel and work-group, each behind its
 * path and size. Intel's is an ELF file in whose sections another one lies. Both are found by the first bytes of an ELF
 * file and end with its table of sections.
 */
#include "core/lab/measure/machine-code.h"

#include <elf.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* Bytes of a path before the file, as far as it is looked for. */
#define LONGEST_PATH 256

/* The bytes of the ELF file that begins at @data; 0 if it is none for this kind of processor. */
static gsize
elf_size(const guint8 *data, gsize left)
{
  Elf64_Ehdr head;

  if (left < sizeof head)
    return 0;
  memcpy(&head, data, sizeof head);
  if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_machine != EM_X86_64)
    return 0;
  const gsize table = (gsize)head.e_shentsize * head.e_shnum;
  return head.e_shoff > 0 && head.e_shoff <= left && table <= left - head.e_shoff ? head.e_shoff + table : 0;
}

/* How well a file fits by the path before it, which may name the kernel, and the work-group for which it was made. */
static guint
rate_path(const guint8 *data, gsize offset, const char *kernel, const gsize group[3])
{
  const gsize length = MIN(offset, LONGEST_PATH);
  g_autofree char *of_kernel = g_strdup_printf("/%s/", kernel);
  g_autofree char *of_group =
    g_strdup_printf("/%s/%zu-%zu-%zu", kernel, MAX(group[0], 1), MAX(group[1], 1), MAX(group[2], 1));
  g_autofree char *before = g_strndup("", length);

  for (gsize i = 0; i < length; i++)
    before[i] = data[offset - length + i] ? (char)data[offset - length + i] : ' ';
  return 1 + (strstr(before, of_kernel) != NULL) + (strstr(before, of_group) != NULL);
}

/**
 * ms_machine_code_find:
 * @group: the work-items of a work-group in each dimension; 0 counts as 1
 *
 * Returns: (transfer full) (nullable): the ELF file in @binary that is the most likely to have the kernel for that
 *   work-group
 */
GBytes *
ms_machine_code_find(GBytes *binary, const char *kernel, const gsize group[3])
{
  gsize size;
  const guint8 *data = g_bytes_get_data(binary, &size);
  GBytes *found = NULL;
  guint best = 0;

  for (gsize i = 0; i + SELFMAG <= size; i++) {
    const gsize bytes = memcmp(data + i, ELFMAG, SELFMAG) == 0 ? elf_size(data + i, size - i) : 0;
    const guint rating = bytes > 0 ? rate_path(data, i, kernel, group) : 0;
    if (rating <= best)
      continue;
    best = rating;
    g_clear_pointer(&found, g_bytes_unref);
    found = g_bytes_new_from_bytes(binary, i, bytes);
  }
  return found;
}

/** ms_machine_code_find_lister: (transfer full) (nullable): the program objdump. */
char *
ms_machine_code_find_lister(void)
{
  return g_find_program_in_path("objdump");
}

/** ms_machine_code_list: (transfer full) (nullable): what @lister, objdump, prints of the instructions. */
char *
ms_machine_code_list(GBytes *code, const char *lister)
{
  g_autofree char *path = NULL;
  g_autoptr(GSubprocess) process = NULL;
  g_autoptr(GBytes) listing = NULL;
  const int file = g_file_open_tmp("meanshift-lab-code-XXXXXX", &path, NULL);

  if (file < 0)
    return NULL;
  close(file);
  if (g_file_set_contents(path, g_bytes_get_data(code, NULL), (gssize)g_bytes_get_size(code), NULL))
    process = g_subprocess_new(G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE, NULL, lister, "-d",
                               "--no-show-raw-insn", path, NULL);
  const gboolean good = process && g_subprocess_communicate(process, NULL, NULL, &listing, NULL, NULL) &&
                        g_subprocess_get_successful(process);
  g_unlink(path);
  return good ? g_strndup(g_bytes_get_data(listing, NULL), g_bytes_get_size(listing)) : NULL;
}
