/* SPDX-License-Identifier: MIT */
#include "core/lab/kinds/kernel-notes.h"

#include <elf.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "core/lab/measure/instructions.h"
#include "core/lab/measure/occupancy.h"

/* One kernel about which the driver is asked. */
typedef struct {
  MsContext *context;
  cl_device_id device;
  const MsLaunch *launch;
  char function[256]; /* its name in the program */
  MsKernelNote *note;
} Question;

/* (nullable): the program that has the kernel, if this context or a sibling has built it. */
static MsProgram *
find_program(const Question *question)
{
  g_autoptr(GPtrArray) programs = ms_context_list_programs(question->context);

  for (guint i = 0; i < programs->len; i++)
    if (ms_program_has_kernel(programs->pdata[i], question->launch->kernel))
      return programs->pdata[i];
  return NULL;
}

/* PoCL 6 reports 0 bytes for every kernel, PoCL 3.1 the true number; 0 is not trusted from any version between. */
static double
ask_bytes(const Question *question, cl_kernel_work_group_info what)
{
  MsDevice *device = question->context->device;
  const gboolean says_always_0 = ms_device_is_pocl(device) && g_ascii_strtod(device->driver, NULL) >= 4;
  cl_ulong bytes = 0;

  if (clGetKernelWorkGroupInfo(question->launch->kernel, question->device, what, sizeof bytes, &bytes, NULL) !=
      CL_SUCCESS)
    return NAN;
  return bytes == 0 && says_always_0 ? NAN : (double)bytes;
}

/* The work-items of a work-group; unknown where the runtime chose them. */
static double
group_size_of(const MsNDRange *range)
{
  double size = 1;

  for (guint i = 0; i < range->dimensions; i++)
    size *= (double)range->local[i];
  return size > 0 ? size : NAN;
}

static double
find_registers(const Question *question)
{
  MsProgram *program = find_program(question);
  const char *usage = program ? ms_program_find_usage(program, question->context->cl) : "";
  const guint registers = ms_occupancy_find_registers(usage, question->function);

  return registers > 0 ? registers : NAN;
}

/* Known only of NVIDIA's devices: of others no call of OpenCL tells the registers of a kernel. */
static void
find_occupancy(const Question *question)
{
  const MsDeviceLimits *device = &question->context->device->limits;
  MsKernelNote *note = question->note;
  MsOccupancyLimits limits;

  if (!ms_occupancy_limits_of_nvidia(device->nvidia_capability, &limits) || isnan(note->registers) ||
      isnan(note->local_bytes) || isnan(note->group_size))
    return;
  if (device->registers_of_group > 0)
    limits.registers_of_group = device->registers_of_group;
  const MsKernelNeeds needs = {(guint)note->registers, (guint64)note->local_bytes, (guint64)note->group_size};
  const MsOccupancy occupancy = ms_occupancy_compute(&limits, &needs);
  note->resident_groups = occupancy.groups;
  note->occupancy = occupancy.percent;
  note->limit = g_strdup(ms_occupancy_limit_names[occupancy.limit]);
}

static void
ask_occupancy(const Question *question)
{
  MsKernelNote *note = question->note;

  note->private_bytes = ask_bytes(question, CL_KERNEL_PRIVATE_MEM_SIZE);
  note->local_bytes = ask_bytes(question, CL_KERNEL_LOCAL_MEM_SIZE);
  if (question->context->device->limits.nvidia_capability > 0)
    note->registers = find_registers(question);
  find_occupancy(question);
}

/*
 * Machine code. PoCL's binary of a program holds files, among them a shared object for each kernel and work-group, each
 * behind its path and size. Intel's is an ELF file in whose sections another one lies. Both are found by the first
 * bytes of an ELF file and end with its table of sections.
 */

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

/* (transfer full) (nullable): what @lister, objdump, prints of the instructions. */
static char *
list_code(GBytes *code, const char *lister)
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

static gboolean
is_ptx(const char *text)
{
  return strstr(text, ".version") && strstr(text, ".target") && strstr(text, ".entry");
}

/* The form of the binary decides: PTX is text, the binary of a processor has an ELF file in it. */
static MsInstructionSource
count_instructions(const Question *question, GBytes *binary, MsInstructionCounts *counts)
{
  g_autofree char *text = g_strndup(g_bytes_get_data(binary, NULL), g_bytes_get_size(binary));
  g_autoptr(GBytes) code = NULL;

  if (is_ptx(text))
    return ms_instructions_count_ptx(text, question->function, counts) ? MS_INSTRUCTIONS_PTX
                                                                       : MS_INSTRUCTIONS_UNKNOWN_FORM;
  code = ms_machine_code_find(binary, question->function, question->launch->range.local);
  if (!code)
    return MS_INSTRUCTIONS_UNKNOWN_FORM;
  g_autofree char *lister = g_find_program_in_path("objdump");
  if (!lister)
    return MS_INSTRUCTIONS_NO_OBJDUMP;
  g_autofree char *listing = list_code(code, lister);
  return listing && ms_instructions_count_x86(listing, question->function, counts) ? MS_INSTRUCTIONS_MACHINE_CODE
                                                                                   : MS_INSTRUCTIONS_UNKNOWN_FORM;
}

static void
ask_instructions(const Question *question)
{
  MsProgram *program = find_program(question);
  g_autoptr(GBytes) binary = program ? ms_program_dup_binary(program) : NULL;
  MsKernelNote *note = question->note;

  note->counted_in = binary ? count_instructions(question, binary, &note->instructions) : MS_INSTRUCTIONS_UNKNOWN_FORM;
  if (note->counted_in != MS_INSTRUCTIONS_PTX && note->counted_in != MS_INSTRUCTIONS_MACHINE_CODE)
    note->instructions = MS_INSTRUCTIONS_UNCOUNTED;
}

/**
 * ms_kernel_notes_collect:
 * @launches: (element-type MsLaunch): as ms_context_record_launches() recorded them
 * @notes: (element-type MsKernelNote): gets a note for each
 */
void
ms_kernel_notes_collect(MsContext *context, const GArray *launches, MsColumns columns, GPtrArray *notes)
{
  for (guint i = 0; i < launches->len; i++) {
    const MsLaunch *launch = &g_array_index(launches, MsLaunch, i);
    Question question = {context, context->device->id, launch, "", ms_kernel_note_new(launch->name)};
    clGetKernelInfo(launch->kernel, CL_KERNEL_FUNCTION_NAME, sizeof question.function, question.function, NULL);
    question.note->group_size = group_size_of(&launch->range);
    if (columns & MS_COLUMNS_OCCUPANCY)
      ask_occupancy(&question);
    if (columns & MS_COLUMNS_INSTRUCTIONS)
      ask_instructions(&question);
    g_ptr_array_add(notes, question.note);
  }
}
