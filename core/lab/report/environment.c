/* SPDX-License-Identifier: MIT */
#include "core/lab/report/environment.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "core/factors.h"
#include "core/file.h"
#include "core/json.h"
#include "ms-commit.h"
#include "ms-kernels.h"

#define MOST_SOURCE_BYTES (1 << 20)

#define KERNELS "/io/github/meanshift_lab/MeanshiftLab/kernels/"
#define UNKNOWN "not measurable"

/* (transfer full): the first line of a file that the system keeps, or that it is not measurable */
static char *
first_line(const char *path)
{
  g_autofree char *text = NULL;

  if (!g_file_get_contents(path, &text, NULL, NULL) || *g_strstrip(text) == '\0')
    return g_strdup(UNKNOWN);
  return g_strndup(text, strcspn(text, "\n"));
}

static char *
processor_name(void)
{
  g_autofree char *text = NULL;
  const char *name = g_file_get_contents("/proc/cpuinfo", &text, NULL, NULL) ? strstr(text, "model name") : NULL;

  name = name ? strchr(name, ':') : NULL;
  return name ? g_strstrip(g_strndup(name + 1, strcspn(name + 1, "\n"))) : g_strdup(UNKNOWN);
}

static char *
boost_state(void)
{
  g_autofree char *boost = first_line("/sys/devices/system/cpu/cpufreq/boost");
  g_autofree char *no_turbo = first_line("/sys/devices/system/cpu/intel_pstate/no_turbo");

  if (strcmp(boost, UNKNOWN) != 0)
    return g_strdup(strcmp(boost, "0") == 0 ? "off" : "on");
  return strcmp(no_turbo, UNKNOWN) == 0 ? g_strdup(UNKNOWN) : g_strdup(strcmp(no_turbo, "0") == 0 ? "on" : "off");
}

static void
add_taken(JsonBuilder *builder, const char *name, char *text)
{
  g_autofree char *owned = text;

  ms_json_add_text(builder, name, owned);
}

static int
compare_names(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/*
 * Adds every file of a folder of kernels to @sum, its path before its text, in the order of their names, and its own
 * hash to @builder (nullable).
 */
static void
add_kernels(GChecksum *sum, const char *folder, JsonBuilder *builder)
{
  GResource *kernels = ms_kernels_get_resource();
  g_auto(GStrv) names = g_resource_enumerate_children(kernels, folder, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

  if (names)
    qsort(names, g_strv_length(names), sizeof *names, compare_names);
  for (char **name = names; name && *name; name++) {
    g_autofree char *path = g_strconcat(folder, *name, NULL);
    if (g_str_has_suffix(path, "/")) {
      add_kernels(sum, path, builder);
      continue;
    }
    g_autoptr(GBytes) text = g_resource_lookup_data(kernels, path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    g_checksum_update(sum, (const guchar *)path, (gssize)strlen(path) + 1);
    g_checksum_update(sum, g_bytes_get_data(text, NULL), (gssize)g_bytes_get_size(text));
    if (builder)
      add_taken(builder, path + strlen(KERNELS), g_compute_checksum_for_bytes(G_CHECKSUM_SHA256, text));
  }
}

/* Takes the build ID that the linker left among the notes of the program, which is the first of the modules. */
static int
take_build_id(struct dl_phdr_info *module, size_t size, void *text)
{
  for (int i = 0; i < module->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
    if (segment->p_type != PT_NOTE)
      continue;
    const guint8 *p = (const guint8 *)module->dlpi_addr + segment->p_vaddr, *end = p + segment->p_memsz;
    while (p + sizeof(ElfW(Nhdr)) <= end) {
      const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(gconstpointer)p;
      const guint8 *id = p + sizeof *note + (note->n_namesz + 3) / 4 * 4;
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(p + sizeof *note, "GNU", 4) == 0)
        for (guint k = 0; k < note->n_descsz; k++)
          g_string_append_printf(text, "%02x", id[k]);
      p = id + (note->n_descsz + 3) / 4 * 4;
    }
  }
  return 1;
}

/* Adds the kernels of one's own that the rows of @report name; one that cannot be read counts as another each time. */
static void
add_own_kernels(GChecksum *sum, const MsReport *report)
{
  for (guint i = 0; i < report->rows->len; i++) {
    const char *path = ms_factors_get(((const MsReportRow *)report->rows->pdata[i])->factors, "source");
    g_autofree char *text = path ? ms_file_text_load(path, MOST_SOURCE_BYTES, NULL, NULL) : NULL;
    g_autofree char *random = path && !text ? g_uuid_string_random() : NULL;
    const char *taken = text ? text : random ? random : "";
    g_checksum_update(sum, (const guchar *)taken, (gssize)strlen(taken) + 1);
  }
}

/**
 * ms_environment_hash_sources: (transfer full): what decides on the work of every row of @report beside its factors:
 * the build of the program, its kernels, and the files of the kernels that the rows name.
 */
char *
ms_environment_hash_sources(const MsReport *report)
{
  g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
  g_autoptr(GString) build = g_string_new(NULL);

  add_kernels(sum, KERNELS, NULL);
  dl_iterate_phdr(take_build_id, build);
  g_checksum_update(sum, (const guchar *)build->str, (gssize)build->len + 1);
  add_own_kernels(sum, report);
  return g_strdup(g_checksum_get_string(sum));
}

/* SHA-256 of each source of a kernel, and of all of them together, which differs where any of them was changed. */
static void
add_sources(JsonBuilder *builder)
{
  g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);

  ms_json_begin_object(builder, "kernels");
  add_kernels(sum, KERNELS, builder);
  json_builder_end_object(builder);
  ms_json_add_text(builder, "kernels_sha256", g_checksum_get_string(sum));
}

/* What the driver compiled: parts, options, and SHA-256 of the binary, null where the driver does not hand it out. */
static void
add_binaries(JsonBuilder *builder, MsContext *context)
{
  g_autoptr(GPtrArray) programs = ms_context_list_programs(context);

  ms_json_begin_array(builder, "binaries");
  for (guint i = 0; i < programs->len; i++) {
    MsProgramSpec *spec = ms_program_get_spec(programs->pdata[i]);
    json_builder_begin_object(builder);
    ms_json_begin_array(builder, "parts");
    for (guint k = 0; k < ms_program_spec_get_n_parts(spec); k++)
      json_builder_add_string_value(builder, ms_program_spec_get_part(spec, k));
    json_builder_end_array(builder);
    ms_json_add_text(builder, "options", ms_program_spec_get_options(spec));
    add_taken(builder, "sha256", ms_program_hash_binary(programs->pdata[i]));
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
}

/* Which program it was: its version, the commit of its sources, and the build. */
static void
add_program(JsonBuilder *builder)
{
  g_autoptr(GString) id = g_string_new(NULL);

  dl_iterate_phdr(take_build_id, id);
  ms_json_add_text(builder, "version", MS_VERSION);
  ms_json_add_text(builder, "commit", MS_COMMIT);
  ms_json_add_text(builder, "build_id", id->len > 0 ? id->str : UNKNOWN);
}

/* The arguments as the system has them, since the command runs in a child with the same ones. */
static void
add_command(JsonBuilder *builder)
{
  g_autofree char *text = NULL;
  gsize length = 0;

  ms_json_begin_array(builder, "command");
  if (g_file_get_contents("/proc/self/cmdline", &text, &length, NULL))
    for (const char *p = text; p < text + length; p += strlen(p) + 1) {
      g_autofree char *word = g_utf8_make_valid(p, -1);
      json_builder_add_string_value(builder, word);
    }
  json_builder_end_array(builder);
}

static void
add_load(JsonBuilder *builder)
{
  double load[3];
  const int n = getloadavg(load, 3);

  ms_json_begin_array(builder, "load_averages");
  for (int i = 0; i < n; i++)
    ms_json_add_number_element(builder, load[i]);
  json_builder_end_array(builder);
}

/** ms_environment_system: (transfer full): name and release of the system's kernel, and the kind of its machine. */
char *
ms_environment_system(void)
{
  struct utsname system;

  if (uname(&system) != 0)
    return g_strdup(UNKNOWN);
  return g_strdup_printf("%s %s %s", system.sysname, system.release, system.machine);
}

static void
add_machine(JsonBuilder *builder)
{
  add_taken(builder, "processor", processor_name());
  ms_json_add_integer(builder, "processors", g_get_num_processors());
  add_taken(builder, "governor", first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
  add_taken(builder, "boost", boost_state());
  add_taken(builder, "kernel", ms_environment_system());
  add_load(builder);
}

/**
 * ms_environment_save:
 * @reports: (element-type MsReport): the reports of one run
 * @context: the device that it used, with what was built for it
 *
 * Writes environment.json: the exact command, the program and its compiler, the sources of the kernels and what the
 * driver made of them as hashes, the device with its driver, the processor with its governor, and the load at the end.
 */
gboolean
ms_environment_save(GPtrArray *reports, MsContext *context, const MsAtomicPlace *place, GError **error)
{
  const MsReport *first = reports->len > 0 ? reports->pdata[0] : NULL;
  g_autoptr(JsonBuilder) builder = json_builder_new();

  json_builder_begin_object(builder);
  ms_json_add_text(builder, "format", "meanshift-lab environment");
  add_program(builder);
  add_command(builder);
  if (first) {
    ms_json_add_text(builder, "date", first->date);
    ms_json_add_text(builder, "compiler", first->compiler);
    ms_json_begin_object(builder, "device");
    ms_json_add_text(builder, "name", first->device.name);
    ms_json_add_text(builder, "platform", first->device.platform);
    ms_json_add_text(builder, "driver", first->device.driver);
    json_builder_end_object(builder);
  }
  add_sources(builder);
  add_binaries(builder, context);
  add_machine(builder);
  json_builder_end_object(builder);
  g_autofree char *text = ms_json_builder_to_text(builder);
  return ms_report_write_file(place, MS_ENVIRONMENT_FILE, text, strlen(text), error);
}
