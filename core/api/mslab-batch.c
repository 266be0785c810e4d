/* SPDX-License-Identifier: MIT */
#include "mslab-batch.h"

#include "api-private.h"
#include "core/batch/output-folder.h"
#include "core/batch/runner.h"
#include "core/folder.h"

G_STATIC_ASSERT((int)MSLAB_CONFLICT_FAIL == (int)MS_CONFLICT_FAIL);
G_STATIC_ASSERT((int)MSLAB_CONFLICT_SKIP == (int)MS_CONFLICT_SKIP);
G_STATIC_ASSERT((int)MSLAB_CONFLICT_UNIQUE == (int)MS_CONFLICT_UNIQUE);
G_STATIC_ASSERT((int)MSLAB_CONFLICT_OVERWRITE == (int)MS_CONFLICT_OVERWRITE);

/**
 * MslabBatch:
 *
 * A batch decodes, filters and saves the images of files and folders, several at a time. Only one thread at a time may
 * use it.
 */
struct _MslabBatch {
  GObject parent_instance;
  GStrv inputs;
  char *output;
  char *name_template;
  gboolean recursive;
  MslabConflict conflict;
};

G_DEFINE_FINAL_TYPE(MslabBatch, mslab_batch, G_TYPE_OBJECT)

static void
mslab_batch_finalize(GObject *object)
{
  MslabBatch *self = MSLAB_BATCH(object);

  g_strfreev(self->inputs);
  g_free(self->output);
  g_free(self->name_template);
  G_OBJECT_CLASS(mslab_batch_parent_class)->finalize(object);
}

static void
mslab_batch_class_init(MslabBatchClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = mslab_batch_finalize;
}

static void
mslab_batch_init(MslabBatch *self)
{
}

/**
 * mslab_batch_new:
 * @inputs: (array zero-terminated=1): files and folders
 * @output: (type filename): a folder, or a file where there is one input
 *
 * Makes a batch. Nothing is read before mslab_batch_run().
 *
 * Returns: (transfer full): the batch
 */
MslabBatch *
mslab_batch_new(const char *const *inputs, const char *output)
{
  g_return_val_if_fail(inputs && output, NULL);

  MslabBatch *self = g_object_new(MSLAB_TYPE_BATCH, NULL);
  self->inputs = g_strdupv((char **)inputs);
  self->output = g_strdup(output);
  return self;
}

/**
 * mslab_batch_set_recursive:
 * @self: a batch
 * @recursive: whether the folders inside folders are searched too
 *
 * Sets whether the folders inside folders are searched too. They are not by default.
 */
void
mslab_batch_set_recursive(MslabBatch *self, gboolean recursive)
{
  g_return_if_fail(MSLAB_IS_BATCH(self));
  self->recursive = recursive;
}

/**
 * mslab_batch_set_conflict:
 * @self: a batch
 * @conflict: what happens
 *
 * Sets what happens where an output exists already. By default the image fails.
 */
void
mslab_batch_set_conflict(MslabBatch *self, MslabConflict conflict)
{
  g_return_if_fail(MSLAB_IS_BATCH(self));
  self->conflict = conflict;
}

/**
 * mslab_batch_set_name_template:
 * @self: a batch
 * @name_template: (nullable): the names of outputs in a folder, such as `{stem}-sp{sp}.{ext}`
 *
 * Sets the names of outputs in a folder, as `--name` of the command line does. By default they are those of the inputs.
 */
void
mslab_batch_set_name_template(MslabBatch *self, const char *name_template)
{
  g_return_if_fail(MSLAB_IS_BATCH(self));
  g_free(self->name_template);
  self->name_template = g_strdup(name_template);
}

typedef struct {
  MsEngine *engine;
  MslabBatchFunc finished;
  gpointer user_data;
} Run;

static MsEngine *
on_open(gpointer data, GError **error)
{
  return ms_engine_ref(((Run *)data)->engine);
}

static MslabOutcome
outcome_of(const MsBatchItem *item)
{
  if (item->status == MS_ITEM_SKIPPED)
    return MSLAB_OUTCOME_SKIPPED;
  return item->status == MS_ITEM_DONE && !item->error ? MSLAB_OUTCOME_DONE : MSLAB_OUTCOME_FAILED;
}

static void
on_happened(MsBatchItem *item, MsItemEvent event, const struct stat *file, gpointer data)
{
  const Run *run = data;

  if (event == MS_ITEM_FINISHED && run->finished)
    run->finished(item->input, item->output, outcome_of(item), item->shown ? item->shown : item->reason,
                  run->user_data);
}

static gboolean
run_items(Run *run, GPtrArray *items, const MsSettings *settings, GCancellable *cancellable, GError **error)
{
  MsRunnerOptions options = ms_runner_options_default();
  MsRunnerHooks hooks = {.open = on_open, .happened = on_happened, .data = run};

  options.settings = *settings;
  return ms_runner_run(items, &options, &hooks, cancellable, error);
}

static MsBatchRequest
new_request(MslabBatch *self, const MsSettings *settings, MsEngine *engine)
{
  return (MsBatchRequest){.inputs = (const char *const *)self->inputs,
                          .recursive = self->recursive,
                          .output = self->output,
                          .name_template = self->name_template,
                          .format = MS_IMAGE_FORMAT_AUTO,
                          .quality = MS_QUALITY_AUTO,
                          .on_conflict = (MsConflict)self->conflict,
                          .shard = MS_SHARD_WHOLE,
                          .settings = *settings,
                          .device = ms_engine_describe(engine).name};
}

static gboolean
plan_and_run(MslabBatch *self, Run *run, const MsSettings *settings, GCancellable *cancellable, GError **error)
{
  const MsBatchRequest request = new_request(self, settings, run->engine);
  g_autoptr(GPtrArray) items = ms_batch_plan(&request, error);
  g_autofree char *made = NULL;
  gboolean makes = ms_output_folder_is_meant(request.output, request.inputs, request.recursive);
  gboolean good = items && (!makes || ms_folder_make_durable(request.output, &made, error)) &&
                  run_items(run, items, settings, cancellable, error);

  if (made)
    ms_output_folder_remove_empty(self->output, items, made);
  return good;
}

/* NOLINTBEGIN(readability-function-size): a signature of the public interface */
/**
 * mslab_batch_run:
 * @self: a batch
 * @engine: the device; other calls on it wait until the batch is done
 * @settings: (nullable): the settings, %NULL for the defaults
 * @finished: (nullable) (scope call): called for each image
 * @user_data: for @finished
 * @cancellable: (nullable): ends the run early; images that are done stay
 * @error: set to an #MslabError or %G_IO_ERROR_CANCELLED
 *
 * Filters the images in this process. An image that fails is reported to @finished and does not end the run. A missing
 * folder for the outputs is made, and removed again if no file came into it.
 *
 * Returns: %TRUE when every image was done, failed or skipped, or %FALSE with @error set
 */
gboolean
mslab_batch_run(MslabBatch *self, MslabEngine *engine, MslabSettings *settings, MslabBatchFunc finished,
                gpointer user_data, GCancellable *cancellable, GError **error)
{
  MsSettings chosen = ms_api_settings_get(settings);

  g_return_val_if_fail(MSLAB_IS_BATCH(self) && MSLAB_IS_ENGINE(engine), FALSE);
  Run run = {ms_api_engine_lock(engine), finished, user_data};
  gboolean good = plan_and_run(self, &run, &chosen, cancellable, error);
  ms_api_engine_unlock(engine);
  return good;
}
/* NOLINTEND(readability-function-size) */
