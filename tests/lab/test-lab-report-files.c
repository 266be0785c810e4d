/* SPDX-License-Identifier: MIT */
/* The files of a report: JSON by its schema and back, CSV, the folder and its pages. */
#include <math.h>
#include <string.h>

#include "core/lab/report/report.h"
#include "tests/lab/report-fixture.h"
#include "tests/support/cases.h"
#include "tests/support/json-schema.h"

static char *
violation_of(JsonNode *node)
{
  return ms_test_schema_violation("data/report.schema.json", node);
}

static void
test_json_schema(void)
{
  g_autoptr(MsReport) report = ms_report_fixture_new(1);
  g_autoptr(JsonNode) node = ms_report_to_json_node(report);
  g_autofree char *violation = violation_of(node);

  g_assert_cmpstr(violation, ==, NULL);
  json_object_remove_member(json_node_get_object(node), "rows");
  g_autofree char *missing = violation_of(node);
  g_assert_cmpstr(missing, ==, "$: 'rows' is a required property");
  json_object_set_string_member(json_node_get_object(node), "rows", "none");
  g_autofree char *type = violation_of(node);
  g_assert_cmpstr(type, ==, "$.rows: 'none' is not of type 'array'");
}

static void
test_json_round_trip(void)
{
  g_autoptr(MsReport) report = ms_report_fixture_new(1);
  g_autofree char *text = ms_report_to_json(report);
  g_autoptr(GError) error = NULL;
  g_autoptr(MsReport) copy = ms_report_fixture_read(text, -1, &error);
  g_autofree char *again = copy ? ms_report_to_json(copy) : NULL;

  g_assert_no_error(error);
  g_assert_cmpstr(text, ==, again);
  g_assert_cmpint(ms_report_fixture_row(copy, 1)->speedup.verdict, ==, MS_VERDICT_FASTER);
}

static void
test_json_damaged(void)
{
  static const char *const damaged[] = {
    "",
    "[]",
    "{}",
    "null",
    "{\"format\": \"meanshift-lab experiment report\"}",
    "{\"format\": \"meanshift-lab experiment report\", \"rows\": [], \"experiment\": {}}",
    "{\"format\": 1, \"rows\": [1], \"experiment\": {\"name\": 3}}"};

  for (gsize i = 0; i < G_N_ELEMENTS(damaged); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(ms_report_fixture_read(damaged[i], -1, &error));
    g_assert_nonnull(error);
  }
  /* Members of a wrong type are ignored. */
  g_autoptr(MsReport) odd =
    ms_report_fixture_read("{\"format\": \"meanshift-lab experiment report\", \"noise\": \"x\", \"rows\": [1, "
                           "{\"settings\": {\"a\": 1},"
                           "\"samples_ns\": [1, \"x\", -5, null]}], \"experiment\": {\"name\": \"n\", "
                           "\"title\": \"t\", \"kind\": \"k\","
                           "\"axes\": [{\"key\": \"a\", \"values\": [1]}, 7], \"published\": [{}]}}",
                           -1, NULL);
  g_assert_nonnull(odd);
  g_assert_cmpuint(odd->rows->len, ==, 1);
  g_assert_cmpuint(ms_report_fixture_row(odd, 0)->measurement->samples->len, ==, 2); /* null is an unknown time */
}

/* An independent reader of CSV (RFC 4180), which checks the writer. */
static GPtrArray *
read_csv(const char *text)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
  GPtrArray *line = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GString) cell = g_string_new(NULL);
  gboolean quoted = FALSE;

  for (const char *p = text; *p; p++) {
    if (quoted && *p == '"' && p[1] == '"') {
      g_string_append_c(cell, *p++);
    } else if (*p == '"') {
      quoted = !quoted;
    } else if (quoted || (*p != ',' && *p != '\r' && *p != '\n')) {
      g_string_append_c(cell, *p);
    } else if (*p == ',' || *p == '\r') {
      g_ptr_array_add(line, g_strdup(cell->str));
      g_string_truncate(cell, 0);
    } else {
      g_ptr_array_add(lines, line);
      line = g_ptr_array_new_with_free_func(g_free);
    }
  }
  g_assert_false(quoted);
  g_assert_cmpuint(line->len, ==, 0);
  g_ptr_array_unref(line);
  return lines;
}

static const char *
csv_cell(GPtrArray *lines, guint row, const char *column)
{
  GPtrArray *heading = lines->pdata[0], *line = lines->pdata[row];

  for (guint i = 0; i < heading->len; i++)
    if (strcmp(heading->pdata[i], column) == 0)
      return line->pdata[i];
  g_error("the CSV has no column %s", column);
}

static void
test_csv(void)
{
  g_autoptr(MsReport) report = ms_report_fixture_new(1);
  g_autofree char *text = ms_report_to_csv(report);
  g_autoptr(GPtrArray) lines = read_csv(text);

  g_assert_cmpuint(lines->len, ==, 1 + report->rows->len);
  for (guint i = 0; i < lines->len; i++)
    g_assert_cmpuint(((GPtrArray *)lines->pdata[i])->len, ==, ((GPtrArray *)lines->pdata[0])->len);
  g_assert_cmpstr(csv_cell(lines, 1, "device"), ==, "Test, \"device\"");
  g_assert_cmpfloat(g_ascii_strtod(csv_cell(lines, 1, "median_ns"), NULL), ==,
                    ms_report_fixture_row(report, 0)->summary.median);
  g_assert_cmpfloat(g_ascii_strtod(csv_cell(lines, 3, "speedup"), NULL), ==,
                    ms_report_fixture_row(report, 2)->speedup.ratio);
  g_assert_cmpstr(csv_cell(lines, 2, "verdict"), ==, "faster");
  g_assert_cmpstr(csv_cell(lines, 5, "outcome"), ==, "wrong-result");
  g_assert_cmpstr(csv_cell(lines, 5, "median_ns"), ==, "");
  g_assert_cmpstr(csv_cell(lines, 5, "message"), ==, "3 of 100\nwrong | pixels");
}

static void
ignore_text(GMarkupParseContext *context, const char *text, gsize length, gpointer data, GError **error)
{
  *(guint *)data += 1;
}

static void
assert_well_formed(const char *path)
{
  const GMarkupParser parser = {.text = ignore_text};
  g_autofree char *text = NULL;
  g_autoptr(GError) error = NULL;
  gsize length;
  guint pieces = 0;

  g_file_get_contents(path, &text, &length, &error);
  g_assert_no_error(error);
  g_assert_nonnull(strstr(text, "<svg"));
  g_autoptr(GMarkupParseContext) context = g_markup_parse_context_new(&parser, 0, &pieces, NULL);
  g_markup_parse_context_parse(context, text, (gssize)length, &error);
  g_assert_no_error(error);
  g_markup_parse_context_end_parse(context, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(length, >, 2000);
}

static void
test_files(void)
{
  g_autofree char *folder = g_dir_make_tmp("report-XXXXXX", NULL);
  g_autofree char *inner = g_build_filename(folder, "made", "on the way", NULL);
  g_autoptr(MsReport) report = ms_report_fixture_new(1);
  g_autoptr(GPtrArray) all = g_ptr_array_new();
  g_autoptr(GError) error = NULL;
  static const char *const endings[] = {"sample.json", "sample.csv", "sample.tex", "sample.svg", "sample.pdf"};

  g_assert_true(ms_report_save(report, &(MsAtomicPlace){.folder = inner}, &error));
  g_assert_no_error(error);
  for (gsize i = 0; i < G_N_ELEMENTS(endings); i++) {
    g_autofree char *path = g_build_filename(inner, endings[i], NULL);
    g_assert_true(g_file_test(path, G_FILE_TEST_IS_REGULAR));
    if (g_str_has_suffix(path, ".svg"))
      assert_well_formed(path);
  }
  g_autofree char *json = g_build_filename(inner, "sample.json", NULL);
  g_autoptr(MsReport) loaded = ms_report_load(json, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(loaded->rows->len, ==, 6);
  g_ptr_array_add(all, report);
  g_assert_true(ms_report_save_index(all, &(MsAtomicPlace){.folder = inner}, &error));
  g_autofree char *index = g_build_filename(inner, "index.html", NULL);
  g_autofree char *html = NULL;
  g_assert_true(g_file_get_contents(index, &html, NULL, NULL));
  g_assert_nonnull(strstr(html, "sample.svg"));
  g_assert_null(strstr(html, "<more>")); /* escaped */
  g_assert_false(ms_report_save(report, &(MsAtomicPlace){.folder = "/proc/nowhere"}, &error));
  g_assert_nonnull(strstr(error->message, "/proc/nowhere"));
}

void
ms_test_lab_report_files(void)
{
  g_test_add_func("/lab/report/json-schema", test_json_schema);
  g_test_add_func("/lab/report/json-round-trip", test_json_round_trip);
  g_test_add_func("/lab/report/json-damaged", test_json_damaged);
  g_test_add_func("/lab/report/csv", test_csv);
  g_test_add_func("/lab/report/files", test_files);
}
