/* SPDX-License-Identifier: MIT */
#include "tests/lab/lab-fixture.h"

#include "core/lab/experiment/experiment-file.h"
#include "tests/support/fixture.h"
#include "tests/support/image-files.h"

static void
set_up(MsLabFixture *self, gconstpointer data)
{
  self->context = ms_fixture_context();
  self->folder = ms_test_folder_new();
  if (!self->context)
    return;
  ms_lab_request_init(&self->request, self->context, TRUE);
  self->request.measure.budget_s = 0.02;
  self->request.measure.max_repeats = self->request.measure.min_repeats;
  self->request.report_dir = self->folder;
  self->request.accept_disturbed = TRUE; /* other tests run beside this one */
}

static void
tear_down(MsLabFixture *self, gconstpointer data)
{
  g_clear_pointer(&self->context, ms_context_unref);
  ms_test_folder_remove(self->folder);
}

static void
run_with_device(MsLabFixture *self, gconstpointer data)
{
  const MsLabTest *test = data;

  if (self->context) /* else the fixture has said why the test is skipped */
    test->run(self, NULL);
}

/** ms_lab_fixture_add: @test must outlive the program's tests. */
void
ms_lab_fixture_add(const MsLabTest *test)
{
  g_test_add(test->path, MsLabFixture, test, set_up, run_with_device, tear_down);
}

/** ms_lab_fixture_assert_row: a row was measured and verified, or refused with the plan's reason and never run. */
void
ms_lab_fixture_assert_row(const MsReport *report, const MsReportRow *row)
{
  const MsMeasurement *m = row->measurement;

  if (m->outcome == MS_OUTCOME_CONSTRAINT) {
    g_assert_nonnull(m->message); /* listed with the plan's reason, never run */
    g_assert_cmpuint(m->samples->len, ==, 0);
    return;
  }
  if (m->outcome != MS_OUTCOME_OK)
    g_error("%s, %s: %s: %s", report->experiment->name, row->label, ms_outcome_names[m->outcome], m->message);
  g_assert_true(m->verification.done);
  g_assert_cmpuint(m->verification.total, >, 0);
  g_assert_cmpuint(m->verification.mismatches, ==, 0);
  g_assert_cmpuint(m->samples->len, >, 0);
  g_assert_cmpfloat(row->summary.median, >, 0);
}

/** ms_lab_fixture_assert_file: the report folder holds the file. */
void
ms_lab_fixture_assert_file(const MsLabFixture *self, const char *name, const char *ending)
{
  g_autofree char *file = g_strconcat(name, ending, NULL);
  g_autofree char *path = g_build_filename(self->folder, file, NULL);

  if (!g_file_test(path, G_FILE_TEST_IS_REGULAR))
    g_error("%s was not written", path);
}

/** ms_lab_fixture_run: (transfer full) (nullable): runs the experiment of that text, which is called "small". */
MsReport *
ms_lab_fixture_run(MsLabFixture *self, const char *text, GCancellable *cancellable, GError **error)
{
  g_autoptr(MsExperiment) e = ms_experiment_parse("small", text, -1, NULL);

  g_assert_nonnull(e);
  return ms_lab_run_experiment(e, &self->request, cancellable, error);
}

/** ms_lab_fixture_fake: (transfer full): a configuration of @kind, which has no device and no settings. */
MsConfiguration *
ms_lab_fixture_fake(const MsLabKind *kind, const char *label)
{
  static MsLabBench bench;
  g_autoptr(MsFactors) none = ms_factors_new();

  return ms_configuration_new(kind, &bench, none, label, NULL);
}
