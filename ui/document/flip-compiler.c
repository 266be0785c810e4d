/* SPDX-License-Identifier: MIT */
#include "ui/document/flip-compiler.h"

#include <string.h>
#include <sys/resource.h>

#include "ui/document/flips.h"
#include "core/process/driver.h"

#define KEY "ms-flip-compiler"

#define POWER_SUPPLIES "/sys/class/power_supply"

/* Of the picture of one colour that is filtered, because some drivers compile a kernel when it is first launched. */
#define SIDE 64

/**
 * FlipCompiler: belongs to an engine.
 * @waiting: (element-type MsSettings): the flips whose programs are still to be compiled
 * @compiled_for: the options of the settings whose flips were compiled last
 * @driver: (nullable): has a process, while there is something to compile
 * @cached: (nullable): which program is known to be in the cache
 */
typedef struct {
  MsWindowEngine *engine;
  int nice;
  GArray *waiting;
  MsToggles compiled_for;
  gboolean has_compiled;
  MsDriver *driver;
  char *cached;
  guint32 number;
  MsSharedPixels *source;
  MsSharedPixels *result;
} FlipCompiler;

static void
stop(FlipCompiler *self)
{
  g_array_set_size(self->waiting, 0);
  if (self->driver)
    ms_driver_stop(self->driver, MS_CHILD_END_CANCELLED);
}

/* A measurement has the device to itself, and another device needs other programs. */
static void
on_engine_changed(MsWindowEngine *engine, gpointer data)
{
  FlipCompiler *self = data;

  stop(self);
  self->has_compiled = FALSE;
  g_clear_pointer(&self->cached, g_free);
}

static void
compiler_free(gpointer data)
{
  FlipCompiler *self = data;

  g_signal_handlers_disconnect_by_data(self->engine, self);
  if (self->driver)
    ms_driver_close(self->driver, 0);
  g_array_unref(self->waiting);
  g_free(self->cached);
  g_clear_pointer(&self->source, ms_shared_pixels_unref);
  g_clear_pointer(&self->result, ms_shared_pixels_unref);
  g_free(self);
}

/** ms_flip_compiler_attach: has the flips of the pictures of @engine compiled from now on, by a process of @nice. */
void
ms_flip_compiler_attach(MsWindowEngine *engine, int nice)
{
  FlipCompiler *self = g_new0(FlipCompiler, 1);

  self->engine = engine;
  self->nice = nice;
  self->waiting = g_array_new(FALSE, FALSE, sizeof(MsSettings));
  g_signal_connect(engine, "changed", G_CALLBACK(on_engine_changed), self);
  g_signal_connect(engine, "holders-changed", G_CALLBACK(on_engine_changed), self);
  g_object_set_data_full(G_OBJECT(engine), KEY, self, compiler_free);
}

/** ms_flip_compiler_detach: ends the process; nothing is compiled any more. */
void
ms_flip_compiler_detach(MsWindowEngine *engine)
{
  g_object_set_data(G_OBJECT(engine), KEY, NULL);
}

/** ms_flip_compiler_is_busy: whether the process runs. */
gboolean
ms_flip_compiler_is_busy(MsWindowEngine *engine)
{
  FlipCompiler *self = g_object_get_data(G_OBJECT(engine), KEY);

  return self && self->driver;
}

/* The list of flips */

/* (transfer full) (nullable): the plan of @settings for the picture of @document; %NULL if they cannot run. */
static MsPlan *
plan_of(MsDocument *document, const MsSettings *settings)
{
  MsSettings resolved;

  return ms_document_resolve(document, settings, &resolved) ? ms_document_plan(document, &resolved, NULL) : NULL;
}

/**
 * ms_flip_compiler_must_compile: whether the program of the present settings is in no cache. While a slider moves, the
 * program stays the same, whose checksum takes as long as a short filter.
 */
gboolean
ms_flip_compiler_must_compile(MsDocument *document)
{
  MsWindowEngine *engine = ms_document_get_engine(document);
  FlipCompiler *self = g_object_get_data(G_OBJECT(engine), KEY);
  g_autoptr(MsPlan) plan = plan_of(document, ms_document_get_settings(document));
  MsDevice *device = ms_window_engine_get_device(engine);
  g_autofree char *program = plan && device ? ms_program_spec_identify(plan->program) : NULL;

  if (!program || (self && g_strcmp0(program, self->cached) == 0))
    return FALSE;
  if (!ms_program_is_cached(device, plan->program))
    return TRUE;
  if (self) {
    g_free(self->cached);
    self->cached = g_steal_pointer(&program);
  }
  return FALSE;
}

/* Adds the flip of @option to @value, unless it cannot run or its program is cached or in @seen. */
static void
add_flip(FlipCompiler *self, MsDocument *document, const MsOptionInfo *option, const char *value, GHashTable *seen)
{
  MsSettings settings = *ms_document_get_settings(document);
  g_autoptr(MsPlan) plan = ms_option_set_text(option, &settings, value, NULL) ? plan_of(document, &settings) : NULL;
  MsDevice *device = ms_window_engine_get_device(self->engine);

  if (plan && g_hash_table_add(seen, ms_program_cache_key(device, plan->program)) &&
      !ms_program_is_cached(device, plan->program))
    g_array_append_val(self->waiting, plan->settings);
}

static void
list_flips(FlipCompiler *self, MsDocument *document)
{
  g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

  g_array_set_size(self->waiting, 0);
  for (guint i = 0; i < ms_options.n_rows; i++) {
    const MsOptionInfo *option = &ms_options.rows[i];
    if (option->group != MS_OPTION_GROUP_TOGGLE)
      continue;
    for (const char *const *value = ms_flip_values(option); *value; value++)
      add_flip(self, document, option, *value, seen);
  }
}

/**
 * ms_flip_compiler_is_on_battery:
 * @folder: with a folder for each power supply, as /sys/class/power_supply of Linux
 *
 * Returns: whether the machine runs on battery; that of a mouse does not count
 */
gboolean
ms_flip_compiler_is_on_battery(const char *folder)
{
  g_autoptr(GDir) supplies = g_dir_open(folder, 0, NULL);
  gboolean found = FALSE;
  const char *name;

  while (!found && supplies && (name = g_dir_read_name(supplies))) {
    g_autofree char *status_path = g_build_filename(folder, name, "status", NULL);
    g_autofree char *scope_path = g_build_filename(folder, name, "scope", NULL);
    g_autofree char *status = NULL, *scope = NULL;
    found = g_file_get_contents(status_path, &status, NULL, NULL) && g_str_has_prefix(status, "Discharging") &&
            !(g_file_get_contents(scope_path, &scope, NULL, NULL) && g_str_has_prefix(scope, "Device"));
  }
  return found;
}

/* Compiling ahead takes energy, and is in vain where PoCL keeps nothing. */
static gboolean
is_worthwhile(void)
{
  return g_strcmp0(g_getenv("POCL_KERNEL_CACHE"), "0") != 0 && !ms_flip_compiler_is_on_battery(POWER_SUPPLIES);
}

/* The process */

/* Has the process compile the next program. */
static void
send_next(FlipCompiler *self)
{
  const int source = ms_shared_pixels_get_fd(self->source);
  const int fds[MS_CHANNEL_MOST_FDS] = {source, ms_shared_pixels_get_fd(self->result), source};

  const MsSettings settings = g_array_index(self->waiting, MsSettings, 0);
  g_array_remove_index(self->waiting, 0);
  ms_service_request(self->driver, ++self->number, MS_REQUEST_FILTER,
                     g_variant_new("(" MS_PICTURE_TYPE "(iiii)@as)", SIDE, SIDE, NULL, NULL, 0, 0, 0, 0,
                                   ms_settings_to_variant(&settings)),
                     fds);
}

/* A program that does not build is reported when it is asked for. */
static MsDriverEvent
on_message(MsMessage *message, gpointer data)
{
  FlipCompiler *self = data;

  if (message->kind <= MS_ANSWER_PIECE)
    return MS_DRIVER_NOTHING;
  if (self->waiting->len == 0)
    return MS_DRIVER_FINISHED;
  send_next(self);
  return MS_DRIVER_RESULT;
}

/* A process that died is not started again before the toggles change; a flip meets the same compiler. */
static void
on_ended(MsChild *child, MsChildEnd end, const char *how, MsDriverAction action, gpointer data)
{
  FlipCompiler *self = data;

  g_debug("flips: %u left", self->waiting->len);
  ms_driver_close(g_steal_pointer(&self->driver), 0);
  g_array_set_size(self->waiting, 0);
}

static void
start_flip_compiler(FlipCompiler *self)
{
  const MsChildStart start = ms_service_start(MS_SERVICE_ROLE);
  const MsDriverUser user = {.rules = {.usual_cache = 1}, .take = on_message, .ended = on_ended, .data = self};

  if (!self->source)
    self->source = ms_shared_pixels_new(SIDE * SIDE * 4, NULL);
  if (!self->result)
    self->result = ms_shared_pixels_new(SIDE * SIDE * 4, NULL);
  if (self->source && self->result)
    self->driver = ms_driver_new(&start);
  if (self->driver && !ms_driver_start(self->driver, &user, NULL))
    ms_driver_close(g_steal_pointer(&self->driver), 0);
  if (!self->driver)
    return;
  /* The threads of the compiler inherit it, since the process has not begun yet. */
  setpriority(PRIO_PROCESS, (id_t)ms_driver_get_pid(self->driver), self->nice);
  ms_service_request(self->driver, ++self->number, MS_REQUEST_OPEN,
                     g_variant_new("(s)", ms_window_engine_get_device_selector(self->engine)), NULL);
}

/**
 * ms_flip_compiler_start:
 * @document: whose picture has just been filtered with the present settings
 *
 * Compiles what one flip of a toggle would need, unless that was done for these toggles.
 */
void
ms_flip_compiler_start(MsDocument *document)
{
  FlipCompiler *self = g_object_get_data(G_OBJECT(ms_document_get_engine(document)), KEY);
  const MsToggles *options = &ms_document_get_settings(document)->options;

  if (!self || self->driver || ms_window_engine_is_held(self->engine) || !is_worthwhile() ||
      (self->has_compiled && memcmp(options, &self->compiled_for, sizeof *options) == 0))
    return;
  self->compiled_for = *options;
  self->has_compiled = TRUE;
  list_flips(self, document);
  if (self->waiting->len > 0)
    start_flip_compiler(self);
}
