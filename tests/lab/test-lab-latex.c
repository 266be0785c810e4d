/* SPDX-License-Identifier: MIT */
/* Reports for LaTeX: escaped texts, numbers for siunitx, charts with text, and a document that pdflatex compiles. */
#include <glib/gstdio.h>
#include <string.h>

#include "core/lab/report/report.h"
#include "tests/lab/report-fixture.h"
#include "tests/support/cases.h"

static void
test_escape(void)
{
  static const char *const cases[][2] = {
    {"\\input{/etc/passwd}", "\\textbackslash{}input\\{/etc/passwd\\}"},
    {"50 % of $x_1$ & #2 ~ ^", "50 \\% of \\$x\\_1\\$ \\& \\#2 \\~{} \\^{}"},
    {"1.2–1.4× 3 µs · “a”", "1.2--1.4\\ensuremath{\\times} 3 \\textmu{}s \\ensuremath{\\cdot} ``a''"},
    {"线\x1b[2J\n", "? [2J "},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *latex = ms_latex_escape(cases[i][0]);
    g_assert_cmpstr(latex, ==, cases[i][1]);
  }
}

/* A number in each column, and a text in braces where there is none, which siunitx leaves alone. */
static void
test_table(void)
{
  g_autoptr(MsReport) report = ms_report_fixture_new(1);
  g_autofree char *latex = ms_report_to_latex(report);

  g_assert_nonnull(strstr(latex, "memory buffer, unroll 1 & 10 & "));
  g_assert_nonnull(strstr(latex, "memory buffer, unroll 4 & 2.5 & "));
  g_assert_nonnull(strstr(latex, " & {--} & {--} & 0 & {--} & wrong"));
  g_assert_nonnull(strstr(latex, "\\toprule"));
  g_assert_nonnull(strstr(latex, "(Older GPU)"));
}

static char *
save_all(MsReport *report)
{
  char *folder = g_dir_make_tmp("ms-latex-XXXXXX", NULL);
  g_autoptr(GPtrArray) reports = g_ptr_array_new();
  g_autoptr(GError) error = NULL;

  g_ptr_array_add(reports, report);
  g_assert_true(ms_report_save(report, &(MsAtomicPlace){.folder = folder}, &error));
  g_assert_true(ms_report_save_index(reports, &(MsAtomicPlace){.folder = folder}, &error));
  return folder;
}

static void
remove_all(const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);

  for (const char *name = g_dir_read_name(dir); name; name = g_dir_read_name(dir)) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_remove(path);
  }
  g_rmdir(folder);
}

/* Charts are written as PDF with fonts, not with outlines of letters. */
static void
test_chart_has_text(void)
{
  g_autoptr(MsReport) report = ms_report_fixture_new(1);
  g_autofree char *folder = save_all(report), *path = g_build_filename(folder, "sample.pdf", NULL);
  g_autofree char *bytes = NULL;
  gsize length;

  g_assert_true(g_file_get_contents(path, &bytes, &length, NULL));
  g_assert_true(g_str_has_prefix(bytes, "%PDF-"));
  g_assert_nonnull(memmem(bytes, length, "/FontFile", 9));
  remove_all(folder);
}

/* The document of a report with a hostile title compiles without an error and without any file but its own,
 * and fits its pages. */
static void
test_document_compiles(void)
{
  g_autofree char *program = g_find_program_in_path("pdflatex"), *output = NULL, *style = NULL;
  const char *argv[] = {"pdflatex", "-interaction=nonstopmode", "-halt-on-error", "report.tex", NULL};
  const char *question[] = {"kpsewhich", "siunitx.sty", NULL};
  int status;

  if (program)
    g_spawn_sync(NULL, (char **)question, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &style, NULL, NULL, NULL);
  if (!style || !*style) {
    g_test_skip("pdflatex or its package siunitx is missing (texlive-latex-base, texlive-science).");
    return;
  }
  g_autoptr(MsReport) report = ms_report_fixture_new(1);
  g_free(report->experiment->title);
  report->experiment->title = g_strdup("\\input{/etc/passwd} & 100 % of #1_2 ^ ~ {");
  g_autofree char *folder = save_all(report), *pdf = g_build_filename(folder, "report.pdf", NULL);
  g_assert_true(
    g_spawn_sync(folder, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &output, NULL, &status, NULL));
  g_test_message("%s", output);
  g_assert_cmpint(status, ==, 0);
  g_assert_true(g_file_test(pdf, G_FILE_TEST_EXISTS));
  g_assert_null(strstr(output, "Overfull")); /* no table or line leaves the page */
  remove_all(folder);
}

void
ms_test_lab_latex(void)
{
  g_test_add_func("/lab/latex/escape", test_escape);
  g_test_add_func("/lab/latex/table", test_table);
  g_test_add_func("/lab/latex/chart-has-text", test_chart_has_text);
  g_test_add_func("/lab/latex/document-compiles", test_document_compiles);
}
