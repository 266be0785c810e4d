/* SPDX-License-Identifier: MIT */
#include "core/batch/results.h"

#include <string.h>

#include "core/batch/conflicts.h"
#include "core/batch/naming.h"
#include "core/image/file/file-path.h"

typedef struct {
  const MsPlanning *planning;
  char *folder;        /* folder of the outputs, links followed, with a trailing slash */
  GHashTable *planned; /* output paths, links followed */
} Results;

static char *
planned_output(const MsPlanning *p, const MsInput *input)
{
  g_autoptr(MsBatchItem) item = ms_batch_item_new(1, input->path, input->relative);
  g_autofree char *path = ms_planning_output_path(p, item, FALSE);

  return ms_file_path_resolve(path);
}

/*
 * Collects the possible outputs of all inputs, since results beside their inputs would be filtered again by the next
 * run. With --on-conflict overwrite an image of that name is refused instead, because it could be an original.
 */
static GHashTable *
planned_outputs(const MsPlanning *p, GPtrArray *inputs)
{
  GHashTable *planned = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  const MsBatchRequest *q = p->request;

  if (q->on_conflict == MS_CONFLICT_OVERWRITE || (q->name_template && ms_naming_uses(q->name_template, "seq")))
    return planned;
  for (guint i = 0; i < inputs->len; i++) {
    const MsInput *input = g_ptr_array_index(inputs, i);
    if (!input->problem)
      g_hash_table_add(planned, planned_output(p, input));
  }
  return planned;
}

/* Input and output path are equal: never overwrite the input. */
static gboolean
is_result(const MsInput *input, gpointer data)
{
  const Results *r = data;
  const MsBatchRequest *q = r->planning->request;

  if (!input->found)
    return FALSE;
  g_autofree char *path = ms_file_path_resolve(input->path);
  if (!g_str_has_prefix(path, r->folder))
    return FALSE;
  if (q->manifest && ms_manifest_has_output(q->manifest, path))
    return TRUE;
  if (!g_hash_table_contains(r->planned, path))
    return FALSE;
  g_autofree char *own = planned_output(r->planning, input);
  return strcmp(own, path) != 0;
}

/** ms_planning_leave_out_results: removes results of an earlier run from @inputs, where outputs lie among them. */
void
ms_planning_leave_out_results(const MsPlanning *p, GPtrArray *inputs)
{
  g_autofree char *within = NULL;
  Results results = {.planning = p};

  if (!p->into_folder || !ms_inputs_has_folder(p->request->inputs))
    return;
  within = g_build_filename(p->request->output, "x", NULL);
  g_autofree char *resolved = ms_file_path_resolve(within);
  results.folder = g_strndup(resolved, strlen(resolved) - 1);
  results.planned = planned_outputs(p, inputs);
  ms_inputs_remove(inputs, is_result, &results);
  g_hash_table_unref(results.planned);
  g_free(results.folder);
}
