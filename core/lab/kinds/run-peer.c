/* SPDX-License-Identifier: MIT */
/*
 * Kind peer: OpenCV's mean-shift filters, run by an interpreter of Python where OpenCV's module is installed, on the
 * same picture and verified like every other configuration.
 */
#include <string.h>

#include "core/error.h"
#include "core/filter/settings/settings-factors.h"
#include "core/lab/kinds/kind-table.h"
#include "core/lab/kinds/peer-process.h"
#include "core/lab/kinds/run-image.h"
#include "core/option/choice.h"

typedef enum {
  OPENCV,
  OPENCV_CUDA,
} Library;

static const char *const library_names[] = {"opencv", "opencv-cuda", NULL};
static const MsRule library_rules[] = {[OPENCV] = MS_RULE_OPENCV, [OPENCV_CUDA] = MS_RULE_REPLICATE};

typedef struct {
  MsSubject parent;
  MsLabBench *bench;
  MsImage *image;
  MsSettings settings;
  int library;
  MsPeerProcess process;
} PeerSubject;

static gboolean
peer_prepare(MsSubject *subject, GCancellable *cancellable, GError **error)
{
  PeerSubject *self = (PeerSubject *)subject;
  const MsParams *p = &self->settings.params;
  g_autofree char *width = g_strdup_printf("%d", ms_image_get_width(self->image));
  g_autofree char *height = g_strdup_printf("%d", ms_image_get_height(self->image));
  g_autofree char *iterations = g_strdup_printf("%d", p->max_iterations);
  g_autofree char *levels = g_strdup_printf("%d", p->levels);
  char sp[G_ASCII_DTOSTR_BUF_SIZE], sr[G_ASCII_DTOSTR_BUF_SIZE], epsilon[G_ASCII_DTOSTR_BUF_SIZE];
  const char *const arguments[] = {"filter",
                                   library_names[self->library],
                                   width,
                                   height,
                                   g_ascii_dtostr(sp, sizeof sp, p->sp),
                                   g_ascii_dtostr(sr, sizeof sr, p->sr),
                                   iterations,
                                   g_ascii_dtostr(epsilon, sizeof epsilon, p->epsilon),
                                   levels,
                                   NULL};
  const MsPeerTask task = {.what = "OpenCV's filter",
                           .arguments = arguments,
                           .data = ms_image_get_pixels(self->image),
                           .bytes = ms_image_get_byte_size(self->image)};

  return ms_peer_process_start(&self->process, &task, cancellable, error);
}

static gboolean
peer_run(MsSubject *subject, MsSample *sample, GCancellable *cancellable, GError **error)
{
  return ms_peer_process_run(&((PeerSubject *)subject)->process, &sample->ns, cancellable, error);
}

static gboolean
peer_verify(MsSubject *subject, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  PeerSubject *self = (PeerSubject *)subject;
  char *pixels = ms_peer_process_save(&self->process, ms_image_get_byte_size(self->image), cancellable, error);

  if (!pixels)
    return FALSE;
  g_autoptr(MsImage) result =
    ms_image_new_take(ms_image_get_width(self->image), ms_image_get_height(self->image), (guint8 *)pixels, NULL);
  return ms_lab_image_verify(&(MsLabImageTask){self->bench, self->image, &self->settings.params, &self->parent.work},
                             result, verification, cancellable, error);
}

static void
peer_release(MsSubject *subject)
{
  ms_peer_process_clear(&((PeerSubject *)subject)->process);
}

static void
peer_finalize(MsSubject *subject)
{
  g_clear_object(&((PeerSubject *)subject)->image);
}

static const MsSubjectFuncs peer_funcs = {peer_prepare, peer_run, peer_verify, peer_release, peer_finalize};

static gboolean
peer_knows(const char *key)
{
  return ms_option_find(key) || strcmp(key, "size") == 0 || strcmp(key, "library") == 0;
}

/* The group of kind mean-shift, with whose rows a peer is compared. */
static char *
peer_group(const MsFactors *factors)
{
  return ms_lab_kind_mean_shift.group(factors);
}

static gboolean
parse_library(PeerSubject *self, const MsFactors *factors, GError **error)
{
  const char *name = ms_factors_get_or(factors, "library", library_names[OPENCV]);

  self->library = ms_choice_parse(library_names, "library", name, error);
  if (self->library < 0)
    return FALSE;
  if (self->settings.params.rule != library_rules[self->library]) {
    ms_set_error(error, MS_ERROR_UNSUPPORTED, "The peer %s follows another rule.", name);
    return FALSE;
  }
  if (self->settings.params.space != MS_SPACE_RGB) {
    ms_set_error(error, MS_ERROR_UNSUPPORTED, "The peer %s filters in RGB only.", name);
    return FALSE;
  }
  return TRUE;
}

static MsSubject *
peer_create(MsLabBench *bench, const MsFactors *factors, const char *label, GError **error)
{
  PeerSubject *self = g_new0(PeerSubject, 1);

  ms_subject_init(&self->parent, &peer_funcs, label);
  self->bench = bench;
  self->image = ms_lab_image_open(bench, factors, &self->parent.work, error);
  if (!self->image || !ms_settings_from_factors(factors, &self->settings, error) ||
      !parse_library(self, factors, error)) {
    ms_subject_free(&self->parent);
    return NULL;
  }
  return &self->parent;
}

const MsLabKind ms_lab_kind_peer = {"peer", peer_knows, peer_group, peer_create, NULL, NULL};
