/* SPDX-License-Identifier: MIT */
/* What is printed and written of one image, compared as text: each value of the item differs from the others. */
#include "app/report/image-report.h"
#include "core/json.h"
#include "tests/support/cases.h"

static void
add_row(MsTimingLog *log, MsStage stage, const char *kernel, const guint64 *spans_us, guint64 bytes)
{
  MsTiming row = {.stage = stage, .kernel = kernel, .queued_ns = 5000000, .bytes = bytes};

  row.submitted_ns = row.queued_ns + spans_us[0] * 1000;
  row.started_ns = row.submitted_ns + spans_us[1] * 1000;
  row.ended_ns = row.started_ns + spans_us[2] * 1000;
  ms_timing_log_add(log, &row);
}

/* Of two kernels the first runs twice. */
static MsTimingLog *
new_log(void)
{
  static const guint64 spans_us[][3] = {{0, 0, 9000}, {0, 0, 8000},  {1, 20, 250}, {40, 500, 6000},
                                        {7, 80, 900}, {11, 12, 200}, {13, 14, 15}, {0, 0, 7000}};
  MsTimingLog *log = ms_timing_log_new();

  add_row(log, MS_STAGE_DECODE, NULL, spans_us[0], 0);
  add_row(log, MS_STAGE_BUILD, "mean_shift", spans_us[1], 0);
  add_row(log, MS_STAGE_UPLOAD, NULL, spans_us[2], 500000);
  add_row(log, MS_STAGE_KERNEL, "mean_shift", spans_us[3], 24000000);
  add_row(log, MS_STAGE_KERNEL, "mean_shift", spans_us[4], 10500000);
  add_row(log, MS_STAGE_KERNEL, "repair", spans_us[5], 1000);
  add_row(log, MS_STAGE_DOWNLOAD, NULL, spans_us[6], 60000);
  add_row(log, MS_STAGE_ENCODE, NULL, spans_us[7], 0);
  return log;
}

static MsBatchItem *
new_item(void)
{
  static const double kernel_ms[] = {7.25, 6.875, 8.5}, filter_ms[] = {9.75, 9.25, 12.5};
  MsBatchItem *item = ms_batch_item_new(41, "in/a.png", "a.png");

  item->output = g_strdup("out/a.png");
  item->status = MS_ITEM_DONE;
  item->width = 640;
  item->height = 480;
  item->device = g_strdup("Device");
  item->used = ms_settings_default();
  item->used.params.sp = 7;
  item->profile = g_strdup("Display");
  item->log = new_log();
  g_array_append_vals(item->kernel_ms, kernel_ms, G_N_ELEMENTS(kernel_ms));
  g_array_append_vals(item->filter_ms, filter_ms, G_N_ELEMENTS(filter_ms));
  item->verified = TRUE;
  item->difference = (MsImageDifference){.mismatched_pixels = 17, .max_difference = 5};
  return item;
}

static void
test_text(void)
{
  g_autoptr(MsBatchItem) item = new_item();
  g_autofree char *title = ms_image_report_text_title(item), *timings = ms_image_report_text_timings(item);
  g_autofree char *verify = ms_image_report_text_verify(item);

  g_assert_cmpstr(title, ==,
                  "in/a.png -> out/a.png: 640x480, Device\n"
                  "  --sp 7 --sr 20 --max-iterations 5 --epsilon 1 --rule opencv --levels 0 --space rgb, "
                  "by the colour profile Display\n");
  g_assert_cmpstr(
    timings, ==,
    "  stage     kernel                   count   queued ms  submitted ms      run ms         MB      GB/s\n"
    "  decode                                 1                                 9.000                     \n"
    "  build     mean_shift                   1                                 8.000                     \n"
    "  upload                                 1       0.001         0.020       0.250      0.500     2.000\n"
    "  kernel    mean_shift                   2       0.047         0.580       6.900     34.500     5.000\n"
    "  kernel    repair                       1       0.011         0.012       0.200      0.001     0.005\n"
    "  download                               1       0.013         0.014       0.015      0.060     4.000\n"
    "  encode                                 1                                 7.000                     \n"
    "  kernels: median 7.250 ms, minimum 6.875 ms, maximum 8.500 ms, n 3\n"
    "  whole filter, with transfers: median 9.750 ms, minimum 9.250 ms, maximum 12.500 ms, n 3\n");
  g_assert_cmpstr(verify, ==, "  differs from the reference: 17 pixels, largest difference 5\n");
}

static void
test_text_of_little(void)
{
  g_autoptr(MsBatchItem) item = ms_batch_item_new(1, "in/a.png", "a.png");
  g_autofree char *timings = ms_image_report_text_timings(item), *unverified = ms_image_report_text_verify(item);

  g_assert_cmpstr(timings, ==, "");
  g_assert_cmpstr(unverified, ==, "");
  item->verified = TRUE;
  g_autofree char *verify = ms_image_report_text_verify(item);
  g_assert_cmpstr(verify, ==, "  verified: identical to the reference\n");
}

static void
test_csv(void)
{
  g_autoptr(MsBatchItem) item = new_item();
  g_autoptr(JsonNode) image = ms_image_report_node(item);
  g_autofree char *header = ms_image_report_csv_header(), *line = ms_image_report_csv_line(image);

  g_assert_cmpstr(header, ==,
                  "seq,input,output,status,error,width,height,sp,sr,max_iterations,epsilon,rule,levels,space,memory,"
                  "local_memory,unroll,access,work_group,kernel,schedule,kernel_ms_median,kernel_ms_min,kernel_ms_max,"
                  "kernel_ms_n,filter_ms_median,decode_ms,build_ms,upload_ms,kernel_ms,download_ms,encode_ms,"
                  "mismatched_pixels,max_difference,profile\n");
  g_assert_cmpstr(line, ==,
                  "41,in/a.png,out/a.png,done,,640,480,7,20,5,1,opencv,0,rgb,buffer,"
                  "off,1,pointer,auto,auto,fixed,7.250000,6.875000,8.500000,"
                  "3,9.750000,9.000000,8.000000,0.250000,7.100000,0.015000,7.000000,"
                  "17,5,Display\n");
}

/* What was not measured is an empty cell, and names are marked that a spreadsheet would take for a formula. */
static void
test_csv_of_little(void)
{
  g_autoptr(MsBatchItem) item = ms_batch_item_new(1, "=a\351\\.png", "a.png");

  item->used = ms_settings_default();
  item->used.params.sr = 0.1;
  g_assert_true(ms_option_set_text(ms_option_table_find(&ms_options, "work-group"), &item->used, "16x8", NULL));
  g_autoptr(JsonNode) image = ms_image_report_node(item);
  g_autofree char *line = ms_image_report_csv_line(image);
  g_assert_cmpstr(line, ==,
                  "1,'=a\\351\\\\.png,,skipped,,0,0,10,0.1,5,1,opencv,0,rgb,buffer,"
                  "off,1,pointer,16x8,auto,fixed,,,,,,,,,,,,,,\n");
}

static void
assert_member(JsonObject *object, const char *name, const char *expected)
{
  g_autofree char *text = json_to_string(json_object_get_member(object, name), FALSE);

  g_assert_cmpstr(text, ==, expected);
}

static void
test_json(void)
{
  g_autoptr(MsBatchItem) item = new_item();
  g_autoptr(JsonNode) root = ms_image_report_node(item);
  JsonObject *image = json_node_get_object(root);
  JsonArray *timings = json_object_get_array_member(image, "timings");
  g_autofree char *upload = json_to_string(json_array_get_element(timings, 2), FALSE);

  g_assert_cmpuint(json_array_get_length(timings), ==, 8);
  g_assert_cmpstr(
    upload, ==,
    "{\"stage\":\"upload\",\"kernel\":null,\"ms\":0.25,\"queued_ns\":5000000,\"submitted_ns\":5001000,"
    "\"started_ns\":5021000,\"ended_ns\":5271000,\"bytes\":500000,\"by_wall_clock\":false,\"gb_per_s\":2.0}");
  assert_member(image, "seq", "41");
  assert_member(image, "width", "640");
  assert_member(image, "height", "480");
  JsonObject *stages = ms_json_get_object(image, "stages");
  g_assert_cmpfloat(ms_json_get_number(stages, "build_ms"), ==, 8);
  g_assert_cmpfloat(ms_json_get_number(stages, "kernel_ms"), ==, 7.1);
  g_assert_cmpfloat(ms_json_get_number(stages, "encode_ms"), ==, 7);
  assert_member(image, "kernel_ms", "{\"median\":7.25,\"min\":6.875,\"max\":8.5,\"n\":3,\"samples\":[7.25,6.875,8.5]}");
  assert_member(image, "filter_ms", "{\"median\":9.75,\"min\":9.25,\"max\":12.5,\"n\":3,\"samples\":[9.75,9.25,12.5]}");
  assert_member(image, "verify", "{\"mismatched_pixels\":17,\"max_difference\":5}");
}

/* Images that an interruption left count as skipped. */
static void
test_json_around(void)
{
  const MsBatchCounts counts = {.pending = 2, .done = 3, .failed = 5, .skipped = 7, .different = 1};
  const MsEngineInfo device = {.name = "Name", .platform = "Platform", .driver = "Driver", .type = "cpu"};
  g_autofree char *head = ms_image_report_json_head(&device), *tail = ms_image_report_json_tail(&counts, 1.5, TRUE);
  g_autofree char *json = g_strconcat(head, tail, NULL);
  g_autoptr(JsonNode) root = ms_json_parse(json, -1, NULL);
  JsonObject *report = json_node_get_object(root);

  assert_member(report, "device",
                "{\"name\":\"Name\",\"platform\":\"Platform\",\"driver\":\"Driver\",\"type\":\"cpu\"}");
  assert_member(report, "images", "[]");
  assert_member(report, "summary", "{\"done\":3,\"failed\":5,\"skipped\":9,\"seconds\":1.5,\"interrupted\":true}");
}

void
ms_test_image_report(void)
{
  g_test_add_func("/image-report/text", test_text);
  g_test_add_func("/image-report/text-of-little", test_text_of_little);
  g_test_add_func("/image-report/csv", test_csv);
  g_test_add_func("/image-report/csv-of-little", test_csv_of_little);
  g_test_add_func("/image-report/json", test_json);
  g_test_add_func("/image-report/json-around", test_json_around);
}
