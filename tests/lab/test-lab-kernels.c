/* SPDX-License-Identifier: MIT */
/* What reports tell of kernels: occupancy by NVIDIA's rules, instructions by class, and the optional columns. */
#include <elf.h>
#include <math.h>
#include <string.h>

#include "core/lab/experiment/experiment-file.h"
#include "core/lab/measure/instructions.h"
#include "core/lab/kinds/kernel-notes.h"
#include "core/lab/measure/occupancy.h"
#include "core/lab/report/report-verdict.h"
#include "core/lab/report/report.h"
#include "core/opencl/program.h"
#include "tests/lab/report-fixture.h"
#include "tests/support/cases.h"
#include "tests/support/json-schema.h"

/* Of NVIDIA's guides and calculator: groups and warps that a multiprocessor holds at once. */
static const struct {
  guint capability;
  MsKernelNeeds needs;
  guint groups;
  double percent;
  int limit;
} published[] = {
  /* "CUDA C++ Best Practices Guide", 11.1, for capability 7.0: 37 registers */
  {70, {37, 0, 128}, 12, 75, MS_LIMIT_REGISTERS},
  {70, {37, 0, 320}, 4, 62.5, MS_LIMIT_REGISTERS},
  {70, {32, 0, 1024}, 2, 100, MS_LIMIT_WARPS},
  {70, {255, 0, 256}, 1, 12.5, MS_LIMIT_REGISTERS},
  {52, {32, 0, 256}, 8, 100, MS_LIMIT_WARPS},
  {52, {40, 0, 256}, 6, 75, MS_LIMIT_REGISTERS},
  {52, {16, 48 << 10, 256}, 2, 25, MS_LIMIT_LOCAL_MEMORY},
  {52, {16, 0, 32}, 32, 50, MS_LIMIT_GROUPS},
  {75, {64, 0, 256}, 4, 100, MS_LIMIT_WARPS},
  {75, {16, 0, 32}, 16, 50, MS_LIMIT_GROUPS},
  {75, {16, 32 << 10, 512}, 2, 100, MS_LIMIT_WARPS},
  {80, {32, 0, 256}, 8, 100, MS_LIMIT_WARPS},
  {80, {16, 32 << 10, 128}, 4, 25, MS_LIMIT_LOCAL_MEMORY}, /* 1 KiB of each group is the driver's */
  {80, {128, 0, 256}, 2, 25, MS_LIMIT_REGISTERS},
  {86, {40, 0, 256}, 6, 100, MS_LIMIT_WARPS},
  {86, {32, 0, 1024}, 1, 200 / 3.0, MS_LIMIT_WARPS},
  {86, {16, 40000, 64}, 2, 200 / 24.0, MS_LIMIT_LOCAL_MEMORY},
  {90, {64, 0, 1024}, 1, 50, MS_LIMIT_REGISTERS},
  {90, {32, 48 << 10, 256}, 4, 50, MS_LIMIT_LOCAL_MEMORY},
  {90, {32, 0, 33}, 32, 100, MS_LIMIT_WARPS}, /* a started warp counts as a whole one */
  {20, {21, 0, 128}, 8, 200 / 3.0, MS_LIMIT_GROUPS},
  {20, {32, 0, 512}, 2, 200 / 3.0, MS_LIMIT_REGISTERS},
  /* MS, figure 7: on a C2050, 48 registers explain why 128 work-items have the highest occupancy, 0.417 */
  {20, {48, 0, 64}, 8, 100 / 3.0, MS_LIMIT_GROUPS},
  {20, {48, 0, 128}, 5, 125 / 3.0, MS_LIMIT_REGISTERS},
  {20, {48, 0, 256}, 2, 100 / 3.0, MS_LIMIT_REGISTERS},
  {70, {255, 0, 1024}, 0, 0, MS_LIMIT_REGISTERS}, /* does not fit at all */
};

static void
test_occupancy(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(published); i++) {
    MsOccupancyLimits limits;
    g_assert_true(ms_occupancy_limits_of_nvidia(published[i].capability, &limits));
    const MsOccupancy found = ms_occupancy_compute(&limits, &published[i].needs);
    g_test_message("%u: %u registers, %u items", published[i].capability, published[i].needs.registers,
                   (guint)published[i].needs.group_size);
    g_assert_cmpuint(found.groups, ==, published[i].groups);
    g_assert_cmpfloat_with_epsilon(found.percent, published[i].percent, 1e-9);
    g_assert_cmpint(found.limit, ==, published[i].limit);
  }
}

static void
test_unknown_capability(void)
{
  MsOccupancyLimits limits;

  g_assert_false(ms_occupancy_limits_of_nvidia(0, &limits));
  g_assert_false(ms_occupancy_limits_of_nvidia(990, &limits));
}

/* As NVIDIA's driver prints it. */
static const char usage[] = "ptxas info    : 0 bytes gmem\n"
                            "ptxas info    : Compiling entry function 'prepare' for 'sm_90'\n"
                            "ptxas info    : Function properties for prepare\n"
                            "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                            "ptxas info    : Used 12 registers, 380 bytes cmem[0]\n"
                            "ptxas info    : Compiling entry function 'prepare_all' for 'sm_90'\n"
                            "ptxas info    : Function properties for prepare_all\n"
                            "    16 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads\n"
                            "ptxas info    : Used 40 registers, used 1 barriers, 2048 bytes smem, 400 bytes cmem[0]\n"
                            "ptxas info    : Compiling entry function 'cut' for 'sm_90'\n";

/* What the compiler says of the source is shown to people, without what the assembler says of registers. */
static void
test_log(void)
{
  g_autofree char *both = g_strconcat("a.cl:1:2: warning: w\n", ": Considering profile 'compute_90'\n", usage,
                                      "1 warning generated.\n", NULL);
  g_autofree char *log = NULL, *registers = NULL, *plain = NULL, *none = NULL, *kept = NULL, *unknown = NULL;

  ms_program_split_log(both, &log, &registers);
  g_assert_cmpstr(log, ==, "a.cl:1:2: warning: w\n1 warning generated.");
  g_assert_cmpuint(ms_occupancy_find_registers(registers, "prepare_all"), ==, 40);
  ms_program_split_log("", &plain, &none);
  g_assert_cmpstr(plain, ==, "");
  g_assert_null(none);
  ms_program_split_log(": Retrieving binary\nptxas info    : 0 bytes gmem\n", &kept, &unknown);
  g_assert_cmpstr(kept, ==, "");
  g_assert_null(unknown);
}

static void
test_registers(void)
{
  g_assert_cmpuint(ms_occupancy_find_registers(usage, "prepare"), ==, 12);
  g_assert_cmpuint(ms_occupancy_find_registers(usage, "prepare_all"), ==, 40);
  g_assert_cmpuint(ms_occupancy_find_registers(usage, "cut"), ==, 0);
  g_assert_cmpuint(ms_occupancy_find_registers(usage, "other"), ==, 0);
  g_assert_cmpuint(ms_occupancy_find_registers("", "prepare"), ==, 0);
  /* the registers of the kernel after it are not its own */
  g_assert_cmpuint(ms_occupancy_find_registers("Compiling entry function 'a' for 'sm_90'\n"
                                               "Compiling entry function 'b' for 'sm_90'\n: Used 7 registers",
                                               "a"),
                   ==, 0);
}

/* In the form of NVIDIA's driver for OpenCL. */
static const char ptx[] =
  "//\n// Generated by NVIDIA NVVM Compiler\n//\n.version 8.7\n.target sm_90, texmode_independent\n.address_size 64\n\n"
  "\t// .globl\tother_first\n.entry other_first(\n\t.param .u64 .ptr .global .align 4 "
  "other_first_param_0\n)\n{\n\tret;\n}\n"
  "\t// .globl\tfirst\n.visible .entry first(\n\t.param .u64 .ptr .global .align 4 first_param_0,\n"
  "\t.param .u32 first_param_1\n)\n.reqntid 32, 4, 1\n{\n\t.reg .pred \t%p<3>;\n\t.reg .b32 \t%r<9>;\n"
  "\t.shared .align 4 .b8 first_tile[512];\n\n"
  "\tld.param.u64 \t%rd1, [first_param_0];\n" /* other */
  "\tmov.u32 \t%r1, %tid.x;\n"                /* other */
  "\tmad.lo.s32 \t%r2, %r1, 4, %r1;\n"        /* arithmetic */
  "\tsetp.lt.s32 \t%p1, %r2, 8;\n"            /* arithmetic */
  "\t@%p1 bra \t$L__BB1_2;\n"                 /* branch */
  "\t// begin inline asm\n\t{ .reg .b32 t; dp4a.u32.u32 %r3, %r1, %r2, 0; prmt.b32 t, %r1, %r2, 0x3210; }\n"
  "\t// end inline asm; with a comment\n"                                                 /* packed, other */
  "\tld.global.v4.u32 \t{%r4, %r5, %r6, %r7}, [%rd1+16];\n"                               /* packed load */
  "\tld.global.L1::no_allocate.f32 \t%f1, [%rd1];\n"                                      /* load */
  "\tfma.rn.f32 \t%f2, %f1, %f1, 0f3F800000;\n"                                           /* arithmetic */
  "$L__BB1_2:\n\t{\n\t.loc\t1 7 3\n\tst.shared.v2.f32 \t[first_tile], {%f1, %f2};\n\t}\n" /* packed store */
  "\tbar.sync \t0;\n"                                                                     /* other */
  "\tatom.global.add.u32 \t%r8, [%rd1], 1;\n"                                             /* load, store */
  "\tcvt.rn.f16x2.f32 \t%r8, %f1, %f2;\n"                                                 /* packed arithmetic */
  "\tret;\n}\n"                                                                           /* branch */
  "\t// .globl\tlast\n.entry last()\n{\n\tadd.s32 \t%r1, %r1, 1;\n\tret;\n}\n";

static void
assert_counts(const MsInstructionCounts *found, MsInstructionCounts expected)
{
  g_assert_cmpfloat(found->total, ==, expected.total);
  g_assert_cmpfloat(found->arithmetic, ==, expected.arithmetic);
  g_assert_cmpfloat(found->packed, ==, expected.packed);
  g_assert_cmpfloat(found->loads, ==, expected.loads);
  g_assert_cmpfloat(found->stores, ==, expected.stores);
  g_assert_cmpfloat(found->branches, ==, expected.branches);
  g_assert_cmpfloat(found->other, ==, expected.other);
}

static void
test_ptx(void)
{
  MsInstructionCounts counts;

  g_assert_true(ms_instructions_count_ptx(ptx, "first", &counts));
  assert_counts(&counts,
                (MsInstructionCounts){
                  .total = 15, .arithmetic = 5, .packed = 4, .loads = 3, .stores = 2, .branches = 2, .other = 4});
  g_assert_true(ms_instructions_count_ptx(ptx, "last", &counts));
  assert_counts(&counts, (MsInstructionCounts){.total = 2, .arithmetic = 1, .branches = 1});
  g_assert_false(ms_instructions_count_ptx(ptx, "fir", &counts));
  g_assert_false(ms_instructions_count_ptx("", "first", &counts));
  g_assert_false(ms_instructions_count_ptx(".entry first(", "first", &counts));
  g_assert_false(ms_instructions_count_ptx(".entry first", "first", &counts));
}

/* Of objdump -d --no-show-raw-insn, PoCL 3.1. */
static const char listing[] =
  "\nparallel.so:     file format elf64-x86-64\n\n\nDisassembly of section .text:\n\n"
  "0000000000001000 <_pocl_kernel_walk>:\n    1000:\tret\n\n"
  "0000000000001010 <_pocl_kernel_walk_workgroup>:\n"
  "    1010:\tpush   %rbp\n"                                         /* store */
  "    1011:\tmov    0x20(%rdi),%rbp\n"                              /* load */
  "    1015:\tcmp    %ecx,0xc(%rbp)\n"                               /* arithmetic, load */
  "    1018:\tjle    105d <_pocl_kernel_walk_workgroup+0x4d>\n"      /* branch */
  "    101a:\tlea    (%rax,%rbx,1),%esi\n"                           /* arithmetic */
  "    101d:\tvmovdqu (%rsi,%rdx,4),%ymm1\n"                         /* packed load */
  "    1022:\tvpabsd %ymm1,%ymm2\n"                                  /* packed arithmetic */
  "    1027:\tvpaddd 0x10(%rsi),%ymm2,%ymm2\n"                       /* packed arithmetic, load */
  "    102c:\tvaddsd %xmm1,%xmm2,%xmm3\n"                            /* arithmetic */
  "    1030:\tvmulps (%rsi){1to16},%zmm1,%zmm2\n"                    /* packed arithmetic, load */
  "    1036:\tvmovups %zmm2,(%rdx){%k1}\n"                           /* packed store */
  "    103c:\tvmovss 0xf(%rip),%xmm0        # 2010 <.rodata+0x10>\n" /* load */
  "    1044:\tvpextrd $0x1,%xmm0,(%rdx)\n"                           /* store */
  "    104a:\tvmovaps %ymm1,%ymm3\n"                                 /* other */
  "    104e:\tmov    %rax,%rbx\n"                                    /* other */
  "    1051:\tlock add %eax,(%rbx)\n"                                /* arithmetic, load, store */
  "    1054:\tpopcnt %eax,%eax\n"                                    /* arithmetic */
  "    1058:\tdata16 cs nopw 0x0(%rax,%rax,1)\n"
  "    105c:\tpop    %rbp\n" /* load */
  "    105d:\tret\n"         /* branch */
  "    105e:\txchg   %ax,%ax\n\n"
  "0000000000001060 <_pocl_kernel_walk_all_workgroup>:\n    1060:\tcall   *0x8(%rax)\n    1063:\tret\n";

static void
test_x86(void)
{
  MsInstructionCounts counts;

  g_assert_true(ms_instructions_count_x86(listing, "walk", &counts));
  assert_counts(&counts,
                (MsInstructionCounts){
                  .total = 19, .arithmetic = 8, .packed = 5, .loads = 8, .stores = 4, .branches = 2, .other = 2});
  g_assert_true(ms_instructions_count_x86(listing, "walk_all", &counts));
  assert_counts(&counts, (MsInstructionCounts){.total = 2, .loads = 1, .branches = 2});
  g_assert_false(ms_instructions_count_x86(listing, "wal", &counts));
  g_assert_false(ms_instructions_count_x86("", "walk", &counts));
}

/* An ELF file of nothing but its head and a table of one section, whose size tells it from the others. */
static void
append_elf(GByteArray *to, const char *path, guint entry, guint machine)
{
  Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB},
                     .e_machine = (Elf64_Half)machine,
                     .e_shoff = sizeof head,
                     .e_shentsize = (Elf64_Half)entry,
                     .e_shnum = 1};
  const guint32 length = (guint32)strlen(path), size = (guint32)(sizeof head + entry);
  g_autofree guint8 *table = g_malloc0(entry);

  g_byte_array_append(to, (const guint8 *)&length, sizeof length);
  g_byte_array_append(to, (const guint8 *)path, length);
  g_byte_array_append(to, (const guint8 *)&size, sizeof size);
  g_byte_array_append(to, (const guint8 *)&head, sizeof head);
  g_byte_array_append(to, table, entry);
}

static gsize
found_size(GBytes *binary, const char *kernel, gsize columns)
{
  const gsize group[3] = {columns, 4, 0};
  g_autoptr(GBytes) code = ms_machine_code_find(binary, kernel, group);

  return code ? g_bytes_get_size(code) - sizeof(Elf64_Ehdr) : 0;
}

static void
test_machine_code(void)
{
  g_autoptr(GByteArray) bytes = g_byte_array_new();

  g_byte_array_append(bytes, (const guint8 *)"poclbin", 8);
  append_elf(bytes, "/walk_all/0-0-0/walk_all.so", 300, EM_X86_64);
  append_elf(bytes, "/walk/0-0-0/walk.so", 301, EM_X86_64);
  append_elf(bytes, "/walk/8-4-1-goffs0/walk.so", 302, EM_X86_64);
  append_elf(bytes, "/walk/16-4-1-goffs0/walk.so", 303, EM_X86_64);
  append_elf(bytes, "/arm/0-0-0/arm.so", 304, EM_AARCH64);
  append_elf(bytes, "/cut/8-4-1/cut.so", 305, EM_X86_64);
  g_autoptr(GBytes) binary = g_bytes_new(bytes->data, bytes->len - 1), none = g_bytes_new(bytes->data, 20);
  g_assert_cmpuint(found_size(binary, "walk", 8), ==, 302);
  g_assert_cmpuint(found_size(binary, "walk", 16), ==, 303);
  g_assert_cmpuint(found_size(binary, "walk", 32), ==, 301);
  g_assert_cmpuint(found_size(binary, "walk_all", 8), ==, 300);
  g_assert_cmpuint(found_size(none, "walk", 8), ==, 0);
  g_assert_cmpuint(found_size(binary, "cut", 8), ==, 300); /* any is better than none: the listing lacks the kernel */
}

static void
add_note(const MsReportRow *row, const char *name, double registers, double occupancy)
{
  MsKernelNote *note = ms_kernel_note_new(name);

  note->registers = registers;
  note->occupancy = occupancy;
  note->local_bytes = 2048;
  g_ptr_array_add(row->measurement->kernels, note);
}

/* A report without notes has none of their columns; with them it has those that have a value, in every form. */
static void
test_columns(void)
{
  g_autoptr(MsReport) report = ms_report_fixture_new(1);
  g_autofree char *plain = ms_report_to_text(report), *plain_csv = ms_report_to_csv(report);
  g_autofree char *plain_json = ms_report_to_json(report), *plain_latex = ms_report_to_latex(report);
  const MsReportRow *row = ms_report_fixture_row(report, 0);

  g_assert_null(strstr(plain, "registers"));
  g_assert_null(strstr(plain_csv, "registers"));
  g_assert_null(strstr(plain_json, "\"kernels\""));
  g_assert_null(strstr(plain_latex, "registers"));
  add_note(row, "other", 99, 12.5);
  add_note(row, "mean_shift", 40, 62.5);
  MsStageSeries *stage = ms_measurement_stage(row->measurement, "kernel", "mean_shift");
  g_array_append_vals(stage->ns, &(double){1e6}, 1);
  g_autofree char *text = ms_report_to_text(report), *csv = ms_report_to_csv(report);
  g_autofree char *latex = ms_report_to_latex(report);
  g_assert_nonnull(strstr(text, "registers  local B  occupancy %"));
  g_assert_null(strstr(text, "groups at once")); /* of which nothing is known */
  g_assert_nonnull(strstr(text, "       40     2048         62.5  "));
  g_assert_nonnull(strstr(csv, ",throttling,registers,local_bytes,occupancy\r\n"));
  g_assert_nonnull(strstr(csv, ",40,2048,62.5\r\n"));
  g_assert_nonnull(strstr(latex, "configuration & {registers} & {local B} & {occupancy \\%}"));
  g_assert_nonnull(strstr(latex, " & 40 & 2048 & 62.5 \\\\"));
}

/* MS, figure 7, as a C2050 would show it: its occupancy is highest with 128 work-items, 41.7 %. */
static void
test_figure_7(void)
{
  g_autoptr(MsExperiment) e = ms_experiment_load("ms-ndrange-size", NULL);
  g_autoptr(GPtrArray) all = ms_experiment_expand(e, FALSE);
  g_autoptr(MsReport) report = ms_report_new(e);
  MsOccupancyLimits limits;

  g_assert_true(ms_occupancy_limits_of_nvidia(20, &limits));
  for (guint i = 0; i < all->len; i++) {
    g_autofree char *label = ms_experiment_label(e, all->pdata[i]);
    ms_report_add_row(report, all->pdata[i], label, "one group");
    ms_report_fixture_fill_row(report, i, 10);
  }
  g_autoptr(MsChart) before = ms_report_to_chart(report, MS_LANGUAGE_ENGLISH);
  const guint panels = ms_chart_n_panels(before);
  for (guint i = 0; i < all->len; i++) {
    const MsKernelNeeds needs = {48, 0, (guint64)16 << i};
    add_note(ms_report_fixture_row(report, i), "direct", 48, ms_occupancy_compute(&limits, &needs).percent);
  }
  g_autoptr(MsChart) after = ms_report_to_chart(report, MS_LANGUAGE_ENGLISH);
  g_assert_cmpuint(ms_chart_n_panels(after), ==, panels + 1); /* only where this device has the values, too */
  g_autofree char *verdict = ms_report_verdict_text(report, MS_LANGUAGE_ENGLISH);
  g_assert_nonnull(strstr(verdict, "Occupancy of 128 against 64: in the study more, here 1.25×, agrees"));
  g_assert_nonnull(strstr(verdict, "of 128 against 256: in the study more, here 1.25×, agrees"));
  g_autofree char *text = ms_report_to_text(report);
  g_assert_nonnull(strstr(text, "41.67"));
  g_assert_nonnull(strstr(text, "41.7 % occupancy (Tesla C2050)"));
}

static void
test_json(void)
{
  g_autoptr(MsReport) report = ms_report_fixture_new(1);
  g_autoptr(GError) error = NULL;

  add_note(ms_report_fixture_row(report, 0), "mean_shift", 40, NAN);
  g_autoptr(JsonNode) node = ms_report_to_json_node(report);
  g_autofree char *violation = ms_test_schema_violation("data/report.schema.json", node);
  g_assert_cmpstr(violation, ==, NULL);
  g_autofree char *text = ms_report_to_json(report);
  g_autoptr(MsReport) copy = ms_report_fixture_read(text, -1, &error);
  g_assert_no_error(error);
  g_autofree char *again = ms_report_to_json(copy);
  g_assert_cmpstr(text, ==, again);
  const MsKernelNote *note = ms_report_fixture_row(copy, 0)->measurement->kernels->pdata[0];
  g_assert_cmpstr(note->name, ==, "mean_shift");
  g_assert_cmpfloat(note->registers, ==, 40);
  g_assert_true(isnan(note->occupancy));
}

/* Whoever has no objdump loses the counts, with a sentence. */
static void
test_remarks(void)
{
  static const struct {
    MsInstructionSource source;
    const char *sentence;
  } remarks[] = {{MS_INSTRUCTIONS_PTX, "as they stand in PTX"},
                 {MS_INSTRUCTIONS_MACHINE_CODE, "as they stand in the machine code"},
                 {MS_INSTRUCTIONS_NO_OBJDUMP, "objdump (package binutils) is not installed"},
                 {MS_INSTRUCTIONS_UNKNOWN_FORM, "hands out no binary of a form that is known"}};

  for (gsize i = 0; i < G_N_ELEMENTS(remarks); i++) {
    g_autoptr(MsReport) report = ms_report_fixture_new(1);
    const MsReportRow *row = ms_report_fixture_row(report, 0);
    add_note(row, "direct", 40, 62.5);
    g_autofree char *before = ms_report_to_text(report);
    g_assert_null(strstr(before, "Instructions"));
    MsKernelNote *note = row->measurement->kernels->pdata[0];
    note->counted_in = remarks[i].source;
    if (i < 2) {
      note->instructions.total = 200;
      note->instructions.packed = 45;
      note->instructions.branches = 20;
      note->instructions.other = 30;
    }
    g_autofree char *text = ms_report_to_text(report);
    g_assert_nonnull(strstr(text, remarks[i].sentence));
    g_assert_true((strstr(text, "instructions  packed %  branches") != NULL) == (i < 2));
    g_assert_true((strstr(text, "         200        30        20") != NULL) == (i < 2));
  }
}

void
ms_test_lab_kernels(void)
{
  g_test_add_func("/lab/kernels/occupancy", test_occupancy);
  g_test_add_func("/lab/kernels/unknown-capability", test_unknown_capability);
  g_test_add_func("/lab/kernels/log", test_log);
  g_test_add_func("/lab/kernels/registers", test_registers);
  g_test_add_func("/lab/kernels/ptx", test_ptx);
  g_test_add_func("/lab/kernels/x86", test_x86);
  g_test_add_func("/lab/kernels/machine-code", test_machine_code);
  g_test_add_func("/lab/kernels/remarks", test_remarks);
  g_test_add_func("/lab/kernels/columns", test_columns);
  g_test_add_func("/lab/kernels/figure-7", test_figure_7);
  g_test_add_func("/lab/kernels/json", test_json);
}
