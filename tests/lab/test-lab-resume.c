/* SPDX-License-Identifier: MIT */
/* Runs an experiment again after it was cancelled or has finished; checks which rows keep their measurements. */
#include <string.h>

#include "core/lab/report/report.h"
#include "ms-kernels.h"
#include "tests/lab/lab-fixture.h"
#include "tests/support/fixture.h"

static void
cancel_at_half(const MsReport *report, double fraction, const char *message, gpointer data)
{
  if (fraction >= 0.5)
    g_cancellable_cancel(data);
}

/* Cancelled after the first group; run again, the first group's numbers are those of before. */
static void
test_resume(MsLabFixture *f, gconstpointer data)
{
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_build_filename(f->folder, "small.json", NULL);

  f->request.progress = cancel_at_half;
  f->request.progress_data = cancellable;
  g_autoptr(MsReport) none = ms_lab_fixture_run(f, MS_LAB_SMALL, cancellable, &error);
  g_assert_null(none);
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error(&error);
  g_autoptr(MsReport) half = ms_report_load(path, &error);
  g_assert_no_error(error);
  g_assert_false(half->complete);
  guint known = ms_report_count(half, MS_OUTCOME_OK);
  g_assert_cmpuint(known, >=, 3);
  g_assert_cmpuint(known, <, 6);
  f->request.progress = NULL;
  g_autoptr(MsReport) whole = ms_lab_fixture_run(f, MS_LAB_SMALL, NULL, &error);
  g_assert_no_error(error);
  g_assert_true(whole->complete);
  g_assert_cmpuint(ms_report_count(whole, MS_OUTCOME_OK), ==, 6);
  for (guint i = 0; i < 3; i++) {
    const MsReportRow *old = half->rows->pdata[i], *new = whole->rows->pdata[i];
    g_assert_cmpmem(old->measurement->samples->data, old->measurement->samples->len * sizeof(double),
                    new->measurement->samples->data, new->measurement->samples->len * sizeof(double));
  }
}

static void
assert_same_samples(const MsReport *a, const MsReport *b, gboolean same)
{
  const MsReportRow *x = a->rows->pdata[0], *y = b->rows->pdata[0];
  GArray *p = x->measurement->samples, *q = y->measurement->samples;

  g_assert_cmpint(p->len == q->len && memcmp(p->data, q->data, p->len * sizeof(double)) == 0, ==, same);
}

static char *
replace_text(const char *text, const char *old, const char *new)
{
  g_auto(GStrv) parts = g_strsplit(text, old, -1);

  return g_strjoinv(new, parts);
}

/* A kernel of one's own that was replaced since is measured anew, and one that stayed is not. */
static void
test_resume_replaced_kernel(MsLabFixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) part = g_resource_lookup_data(
    ms_kernels_get_resource(), "/io/github/meanshift_lab/MeanshiftLab/kernels/direct/mean-shift-direct.cl", 0, &error);
  g_autofree char *path = g_build_filename(f->folder, "own.cl", NULL);
  g_autofree char *added = g_strdup_printf("[Fixed]\npart=direct/mean-shift-direct.cl\nsource=%s\n", path);
  g_autofree char *text = replace_text(MS_LAB_SMALL, "[Fixed]\n", added);
  g_autofree char *other = NULL;
  gsize size = 0;

  g_assert_no_error(error);
  const char *source = g_bytes_get_data(part, &size);
  g_assert_true(g_file_set_contents(path, source, (gssize)size, NULL));
  g_autoptr(MsReport) first = ms_lab_fixture_run(f, text, NULL, &error);
  g_assert_no_error(error);
  f->request.resume = TRUE;
  g_autoptr(MsReport) kept = ms_lab_fixture_run(f, text, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(kept->sources, ==, first->sources);
  assert_same_samples(first, kept, TRUE);
  other = g_strdup_printf("this is no kernel\n%.*s", (int)size, source);
  g_assert_true(g_file_set_contents(path, other, -1, NULL));
  g_autoptr(MsReport) anew = ms_lab_fixture_run(f, text, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(anew->sources, !=, first->sources);
  g_assert_cmpuint(ms_report_count(anew, MS_OUTCOME_OK), ==, 0);
}

/* A finished experiment is measured anew, or with resume left as it is, as long as it is of the same sizes and rows. */
static void
test_resume_finished(MsLabFixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_build_filename(f->folder, "small.json", NULL), *before = NULL, *after = NULL;
  g_autofree char *shorter = replace_text(MS_LAB_SMALL, "unroll=1;2;4", "unroll=1;2");
  g_autoptr(MsReport) first = ms_lab_fixture_run(f, shorter, NULL, &error);

  g_assert_no_error(error);
  g_assert_true(g_file_get_contents(path, &before, NULL, NULL));
  f->request.resume = TRUE;
  g_autoptr(MsReport) kept = ms_lab_fixture_run(f, shorter, NULL, &error);
  g_assert_no_error(error);
  g_assert_true(kept->complete);
  g_assert_cmpuint(ms_report_count(kept, MS_OUTCOME_OK), ==, 4);
  g_assert_cmpstr(kept->date, ==, first->date);
  assert_same_samples(first, kept, TRUE);
  g_assert_true(g_file_get_contents(path, &after, NULL, NULL));
  g_assert_cmpstr(before, ==, after);
  g_autoptr(MsReport) more = ms_lab_fixture_run(f, MS_LAB_SMALL, NULL, &error); /* a row that was never measured */
  g_assert_no_error(error);
  g_assert_cmpuint(more->rows->len, ==, 6);
  assert_same_samples(first, more, FALSE);
  f->request.columns = MS_COLUMNS_OCCUPANCY;
  g_autoptr(MsReport) wide = ms_lab_fixture_run(f, MS_LAB_SMALL, NULL, &error); /* the rows of before lack the column */
  g_assert_no_error(error);
  assert_same_samples(more, wide, FALSE);
  f->request.columns = MS_COLUMNS_NONE;
  g_autoptr(MsReport) narrow = ms_lab_fixture_run(f, MS_LAB_SMALL, NULL, &error); /* those without are there still */
  g_assert_no_error(error);
  assert_same_samples(more, narrow, TRUE);
  f->request.quick = FALSE;
  g_autoptr(MsReport) full = ms_lab_fixture_run(f, MS_LAB_SMALL, NULL, &error); /* other sizes, so another run */
  g_assert_no_error(error);
  g_assert_false(full->quick);
  f->request.resume = FALSE;
  g_autoptr(MsReport) anew = ms_lab_fixture_run(f, MS_LAB_SMALL, NULL, &error);
  g_assert_no_error(error);
  assert_same_samples(full, anew, FALSE);
}

/* Rows of another driver are not taken; those of the driver before are there still when it comes back. */
static void
test_resume_with_another_driver(MsLabFixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  char *driver = f->context->device->driver;

  f->request.resume = TRUE;
  g_autoptr(MsReport) first = ms_lab_fixture_run(f, MS_LAB_SMALL, NULL, &error);
  g_assert_no_error(error);
  f->context->device->driver = (char *)"a newer one";
  g_autoptr(MsReport) newer = ms_lab_fixture_run(f, MS_LAB_SMALL, NULL, &error);
  f->context->device->driver = driver;
  g_assert_no_error(error);
  g_autoptr(MsReport) back = ms_lab_fixture_run(f, MS_LAB_SMALL, NULL, &error);
  g_assert_no_error(error);
  assert_same_samples(first, newer, FALSE);
  assert_same_samples(first, back, TRUE);
  g_assert_cmpstr(newer->device.driver, ==, "a newer one");
}

/* A log that was cut by a kill anywhere has whole groups, whose rows are taken, and the half of a line. */
static void
test_resume_after_a_kill(MsLabFixture *f, gconstpointer data)
{
  g_autofree char *path = g_build_filename(f->folder, MS_REPORT_LOG, NULL), *text = NULL;
  g_autoptr(GError) error = NULL;
  gsize size = 0;

  g_autoptr(MsReport) first = ms_lab_fixture_run(f, MS_LAB_SMALL, NULL, &error);
  g_assert_no_error(error);
  g_assert_true(g_file_get_contents(path, &text, &size, NULL));
  const char *fourth = text;
  for (int i = 0; i < 3; i++)
    fourth = strchr(fourth, '\n') + 1;
  /* In the second line, and in the fourth, which is the first one of the second group. */
  const gssize cuts[] = {strchr(text, '\n') - text + 50, fourth - text + 50};
  for (gsize i = 0; i < G_N_ELEMENTS(cuts); i++) {
    g_assert_true(g_file_set_contents(path, text, cuts[i], NULL));
    g_autoptr(MsReport) whole = ms_lab_fixture_run(f, MS_LAB_SMALL, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(ms_report_count(whole, MS_OUTCOME_OK), ==, 6);
    assert_same_samples(first, whole, i == 1);
  }
}

static const MsLabTest tests[] = {
  {"/lab/resume/another-driver", test_resume_with_another_driver},
  {"/lab/resume/after-a-kill", test_resume_after_a_kill},
  {"/lab/resume/cancelled", test_resume},
  {"/lab/resume/finished", test_resume_finished},
  {"/lab/resume/replaced-kernel", test_resume_replaced_kernel},
};

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
    ms_lab_fixture_add(&tests[i]);
  return g_test_run();
}
