/* SPDX-License-Identifier: MIT */
#include "ui/run/run-list.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* Default limit on the memory of all pictures together. */
#define DEFAULT_BOUND (G_GUINT64_CONSTANT(1) << 30)

/* Maximum number of runs, so that timings of a long session do not fill the memory. */
#define MAX_RUNS 1000

struct _MsRunList {
  GObject parent_instance;
  GPtrArray *runs;
  MsRun *baseline;
  MsRun *pinned[3];
  guint next_number;
  guint64 bound;
};

static GType
ms_run_list_get_item_type(GListModel *model)
{
  return MS_TYPE_RUN;
}

static guint
ms_run_list_get_n_items(GListModel *model)
{
  return MS_RUN_LIST(model)->runs->len;
}

static gpointer
ms_run_list_get_item(GListModel *model, guint position)
{
  MsRunList *self = MS_RUN_LIST(model);

  return position < self->runs->len ? g_object_ref(g_ptr_array_index(self->runs, position)) : NULL;
}

static void
ms_run_list_iface_init(GListModelInterface *iface)
{
  iface->get_item_type = ms_run_list_get_item_type;
  iface->get_n_items = ms_run_list_get_n_items;
  iface->get_item = ms_run_list_get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE(MsRunList, ms_run_list, G_TYPE_OBJECT,
                              G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, ms_run_list_iface_init))

static guint dropped_signal;

static void
ms_run_list_finalize(GObject *object)
{
  MsRunList *self = MS_RUN_LIST(object);

  g_ptr_array_unref(self->runs);
  g_clear_object(&self->baseline);
  for (guint i = 0; i < G_N_ELEMENTS(self->pinned); i++)
    g_clear_object(&self->pinned[i]);
  G_OBJECT_CLASS(ms_run_list_parent_class)->finalize(object);
}

static void
ms_run_list_class_init(MsRunListClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_run_list_finalize;
  dropped_signal =
    g_signal_new("dropped", MS_TYPE_RUN_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
ms_run_list_init(MsRunList *self)
{
  self->runs = g_ptr_array_new_with_free_func(g_object_unref);
  self->bound = DEFAULT_BOUND;
}

MsRunList *
ms_run_list_new(void)
{
  return g_object_new(MS_TYPE_RUN_LIST, NULL);
}

/** ms_run_list_get_picture_bytes: the memory of all pictures; equal ones share one copy and count once. */
guint64
ms_run_list_get_picture_bytes(MsRunList *self)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  guint64 bytes = 0;

  for (guint i = 0; i < self->runs->len; i++) {
    MsImage *image = ms_run_get_result(g_ptr_array_index(self->runs, i));
    if (image && g_hash_table_add(seen, image))
      bytes += ms_image_get_byte_size(image);
  }
  return bytes;
}

static gboolean
is_pinned(MsRunList *self, MsRun *run)
{
  MsImage *image = ms_run_get_result(run);

  if (self->baseline && ms_run_get_result(self->baseline) == image)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS(self->pinned); i++)
    if (self->pinned[i] && ms_run_get_result(self->pinned[i]) == image)
      return TRUE;
  return FALSE;
}

static void
keep_within_bound(MsRunList *self)
{
  guint dropped = 0;

  for (guint i = 0; i < self->runs->len && ms_run_list_get_picture_bytes(self) > self->bound; i++) {
    MsRun *run = g_ptr_array_index(self->runs, i);
    if (!ms_run_has_result(run) || is_pinned(self, run))
      continue;
    ms_run_drop_result(run);
    dropped++;
  }
  if (dropped > 0)
    g_signal_emit(self, dropped_signal, 0, dropped);
}

static void
judge_all(MsRunList *self)
{
  for (guint i = 0; i < self->runs->len; i++)
    ms_run_judge(g_ptr_array_index(self->runs, i), self->baseline);
}

static void
share_equal_picture(MsRunList *self, MsRun *run)
{
  for (guint i = self->runs->len; i-- > 0;) {
    MsRun *other = g_ptr_array_index(self->runs, i);
    if (!ms_run_has_result(other) || strcmp(ms_run_get_digest(other), ms_run_get_digest(run)) != 0)
      continue;
    ms_run_share_result(run, other);
    return;
  }
}

static void
forget_oldest(MsRunList *self)
{
  for (guint i = 0; i < self->runs->len; i++)
    if (!is_pinned(self, g_ptr_array_index(self->runs, i))) {
      g_ptr_array_remove_index(self->runs, i);
      g_list_model_items_changed(G_LIST_MODEL(self), i, 1, 0);
      return;
    }
}

/** ms_run_list_add: appends @run, gives it a name if it has none, and makes the first run the baseline. */
void
ms_run_list_add(MsRunList *self, MsRun *run)
{
  g_autofree char *label = g_strdup_printf(_("Run %u"), ++self->next_number);

  if (self->runs->len >= MAX_RUNS)
    forget_oldest(self);
  if (ms_run_get_label(run)[0] == '\0')
    ms_run_set_label(run, label);
  share_equal_picture(self, run);
  g_ptr_array_add(self->runs, g_object_ref(run));
  if (!self->baseline)
    self->baseline = g_object_ref(run);
  ms_run_judge(run, self->baseline);
  g_list_model_items_changed(G_LIST_MODEL(self), self->runs->len - 1, 0, 1);
}

/** ms_run_list_replace_newest: replaces the newest run by @run, which gets its name. */
void
ms_run_list_replace_newest(MsRunList *self, MsRun *run)
{
  g_autoptr(MsRun) newest = g_ptr_array_steal_index(self->runs, self->runs->len - 1);

  ms_run_set_label(run, ms_run_get_label(newest));
  share_equal_picture(self, run);
  g_ptr_array_add(self->runs, g_object_ref(run));
  ms_run_judge(run, self->baseline);
  g_list_model_items_changed(G_LIST_MODEL(self), self->runs->len - 1, 1, 1);
}

/** ms_run_list_insert: inserts a removed run at its former position. */
void
ms_run_list_insert(MsRunList *self, MsRun *run, guint position)
{
  position = MIN(position, self->runs->len);
  g_ptr_array_insert(self->runs, (int)position, g_object_ref(run));
  ms_run_judge(run, self->baseline);
  g_list_model_items_changed(G_LIST_MODEL(self), position, 0, 1);
}

/**
 * ms_run_list_remove: removes @run; if it was the baseline, the oldest run becomes it.
 *
 * Returns: the position that the run had
 */
guint
ms_run_list_remove(MsRunList *self, MsRun *run)
{
  guint index;

  g_return_val_if_fail(g_ptr_array_find(self->runs, run, &index), 0);
  gboolean was_baseline = run == self->baseline;
  g_ptr_array_remove_index(self->runs, index);
  g_list_model_items_changed(G_LIST_MODEL(self), index, 1, 0);
  if (was_baseline)
    ms_run_list_set_baseline(self, self->runs->len > 0 ? g_ptr_array_index(self->runs, 0) : NULL);
  return index;
}

/** ms_run_list_get_newest: (transfer none) (nullable) */
MsRun *
ms_run_list_get_newest(MsRunList *self)
{
  return self->runs->len > 0 ? g_ptr_array_index(self->runs, self->runs->len - 1) : NULL;
}

/** ms_run_list_get_baseline: (transfer none) (nullable) */
MsRun *
ms_run_list_get_baseline(MsRunList *self)
{
  return self->baseline;
}

void
ms_run_list_set_baseline(MsRunList *self, MsRun *run)
{
  g_set_object(&self->baseline, run);
  judge_all(self);
}

/** ms_run_list_set_bound: drops the oldest pictures until the rest needs at most @bytes; visible pictures are kept. */
void
ms_run_list_set_bound(MsRunList *self, guint64 bytes)
{
  self->bound = bytes;
  keep_within_bound(self);
}

/** ms_run_list_pin: (nullable arguments): the runs whose pictures are visible and must be kept. */
void
ms_run_list_pin(MsRunList *self, MsRun *current, MsRun *a, MsRun *b)
{
  g_set_object(&self->pinned[0], current);
  g_set_object(&self->pinned[1], a);
  g_set_object(&self->pinned[2], b);
  keep_within_bound(self);
}
