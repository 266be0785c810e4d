/* SPDX-License-Identifier: MIT */
/* The program's table of options; that of the filter is in core/filter/settings/settings.c. */
#include "app/command-line/command-line.h"

#include <glib/gi18n-lib.h>
#include <stddef.h>

#include "core/batch/batch.h"
#include "core/filter/mean-shift.h"
#include "core/image/codec.h"
#include "core/lab/experiment/experiment.h"

static const char *const fallback_values[] = {"fail", "cpu", NULL};
static const char *const convert_to_values[] = {"srgb", NULL};
static const char *const resume_values[] = {"stat", "hash", NULL};
static const char *const color_values[] = {"auto", "always", "never", NULL};
static const char *const progress_values[] = {"auto", "always", "never", "json", NULL};

/* The sets of actions to which options apply. */
#define IMAGES MS_COMMAND_IMAGES
#define REDUCE MS_COMMAND_REDUCE
#define TUNE MS_COMMAND_TUNE
#define EXPERIMENT MS_COMMAND_EXPERIMENT
#define LISTS (MS_COMMAND_LIST_DEVICES | MS_COMMAND_LIST_EXPERIMENTS)
#define LAB (REDUCE | TUNE | EXPERIMENT)
#define REGIONS MS_COMMAND_REGIONS
#define HEADLESS (IMAGES | REGIONS | LISTS | LAB | MS_COMMAND_MERGE_REPORTS)
#define EVERY (~0u)

/* A row: group, name, kind, field, actions, help, and what else belongs to its kind. */
#define ROW(group_, name_, kind_, field, actions_, help_, ...)                                                         \
  {                                                                                                                    \
    .name = name_, .help = help_, .group = MS_OPTION_GROUP_##group_, .kind = MS_OPTION_##kind_, .actions = actions_,   \
    .offset = offsetof(MsCommandLine, field), __VA_ARGS__                                                              \
  }
#define ARGUMENT(text) .argument = text
#define CHOICE_OF(names, number) .values = (names), .first = (number)
#define RANGE(low, high) .argument = "N", .minimum = (low), .maximum = (high)

static gboolean
parse_shard(const char *text, gpointer field, GError **error)
{
  return ms_shard_parse(text, field, error);
}

/* Each time that it is given adds a name. */
static gboolean
parse_manifest(const char *text, gpointer field, GError **error)
{
  char ***names = field;
  const guint n = *names ? g_strv_length(*names) : 0;

  if (*text == '\0') {
    ms_set_error(error, MS_ERROR_USAGE, "--manifest cannot be empty; name a file.");
    return FALSE;
  }
  *names = g_renew(char *, *names, n + 2);
  (*names)[n] = g_strdup(text);
  (*names)[n + 1] = NULL;
  return TRUE;
}

static const MsOptionInfo rows[] = {
  ROW(PROGRAM, "headless", FLAG, headless, EVERY, N_("Work without a window; never open a display"), .is_common = TRUE),
  ROW(PROGRAM, "help", FLAG, help, EVERY, N_("Show the most used options"), .letter = 'h', .is_common = TRUE),
  ROW(PROGRAM, "help-all", FLAG, help_all, EVERY, N_("Show every option"), .is_common = TRUE),
  ROW(PROGRAM, "version", FLAG, version, EVERY, N_("Show the version of the program and of its libraries"),
      .is_common = TRUE),

  ROW(FILTER, "preset", TEXT, preset, IMAGES | REGIONS | TUNE,
      N_("Begin with the settings of a preset, built-in or saved in the window; other options change them"),
      ARGUMENT("NAME"), .is_common = TRUE),

  ROW(
    FILTER, "regions", FLAG, regions, REGIONS,
    N_("Divide one image into regions of pixels that come to rest close together; -o gets the regions' mean colours")),
  ROW(FILTER, "min-region", INT, min_region, REGIONS,
      N_("In rounds, all regions of fewer pixels join the one beside them that is nearest in colour"),
      RANGE(1, G_MAXINT32), .standard = "1", .needs = "regions"),
  ROW(FILTER, "region-range", REAL, region_range, REGIONS,
      N_("Neighbours are of one region up to F times the colour radius apart"), ARGUMENT("F"), .minimum = 0,
      .maximum = 2, .standard = "0.5", .needs = "regions"),
  ROW(FILTER, "labels", TEXT, labels, REGIONS,
      N_("Write the region of each pixel, from 1 on, as .npy, 16-bit .png, or 32-bit .tif with its place on the map"),
      ARGUMENT("FILE"), .needs = "regions"),
  ROW(FILTER, "modes", TEXT, modes, REGIONS,
      N_("Write column and row of the place where each pixel comes to rest, as .npy or 16-bit .png"), ARGUMENT("FILE"),
      .needs = "regions"),
  ROW(FILTER, "outlines", TEXT, outlines, REGIONS,
      N_("Write the image with the outlines of the regions in red, or as .geojson their polygons on the map"),
      ARGUMENT("FILE"), .needs = "regions"),

  ROW(DEVICE, "list-devices", FLAG, list_devices, MS_COMMAND_LIST_DEVICES,
      N_("List the OpenCL devices with their limits (with --json -, as JSON)"), .is_common = TRUE),
  ROW(DEVICE, "diagnose", FLAG, diagnose, MS_COMMAND_DIAGNOSE,
      N_("Print a report for a bug report: versions, devices, and a self-test of every kernel")),
  ROW(DEVICE, "device", TEXT, device, IMAGES | REGIONS | LAB,
      N_("The device: a kind of device, a part of its name, its number in the list, or the serial reference"),
      ARGUMENT("auto|cpu|gpu|reference|NAME-PART|P:D"), .is_common = TRUE),
  ROW(DEVICE, "devices", TEXT, devices, IMAGES | REGIONS | EXPERIMENT,
      N_("Divide each image among several devices, as in 0:0,1:0 or gpu,cpu"), ARGUMENT("LIST")),
  ROW(DEVICE, "split", CHOICE, split, IMAGES | REGIONS,
      N_("How --devices divide: equally, by the speeds in the image before, or each takes rows when free"),
      CHOICE_OF(ms_division_names, MS_DIVISION_EQUAL), .standard = "adaptive", .needs = "devices"),
  ROW(DEVICE, "fallback", CHOICE, fallback, IMAGES | REGIONS | LAB,
      N_("What to do when the device is missing or fails (default fail if --device names one, cpu for auto)"),
      CHOICE_OF(fallback_values, MS_FALLBACK_FAIL)),

  ROW(OUTPUT, "output", TEXT, batch.output, IMAGES | REGIONS, N_("File or folder of the result; - is standard output"),
      .letter = 'o', ARGUMENT("FILE|DIR|-"), .is_common = TRUE),
  ROW(OUTPUT, "name", TEXT, batch.name_template, IMAGES,
      N_("Names in a folder: {stem} {ext} {sp} {sr} {device} {seq} (default {stem}.{ext})"), ARGUMENT("TEMPLATE"),
      .needs = "output", .is_common = TRUE),
  ROW(OUTPUT, "format", CHOICE, batch.save.format, IMAGES | REGIONS, N_("Format of the outputs (default: by the name)"),
      CHOICE_OF(ms_codec_names, MS_IMAGE_FORMAT_AUTO + 1), .needs = "output|outlines"),
  ROW(OUTPUT, "quality", INT, batch.save.quality, IMAGES | REGIONS,
      N_("Quality of JPEG (default 92) and WebP outputs (default lossless)"), RANGE(1, 100), .needs = "output|outlines",
      .is_common = TRUE),
  ROW(
    OUTPUT, "convert-to", CHOICE, batch.limits.to_srgb, IMAGES | REGIONS,
    N_("Convert images from their colour profile to sRGB before they are filtered (default: keep values and profile)"),
    CHOICE_OF(convert_to_values, TRUE)),
  ROW(OUTPUT, "on-conflict", CHOICE, batch.on_conflict, IMAGES | REGIONS,
      N_("What to do when an output exists (default fail; an input is never overwritten)"),
      CHOICE_OF(ms_conflict_names, MS_CONFLICT_FAIL), .needs = "output|labels|modes|outlines", .is_common = TRUE),
  ROW(
    OUTPUT, "follow-links", FLAG, batch.follow_links, IMAGES,
    N_("Write through links in the output folder; otherwise they are refused, or replaced by --on-conflict overwrite"),
    .needs = "output"),

  ROW(BATCH, "recursive", FLAG, batch.recursive, IMAGES, N_("Search subfolders too; outputs keep their relative paths"),
      .is_common = TRUE),
  ROW(BATCH, "hidden", FLAG, batch.hidden, IMAGES, N_("Take files and folders whose name starts with a dot as well")),
  ROW(BATCH, "resume", CHOICE, batch.resume, IMAGES | EXPERIMENT,
      N_("Skip what an earlier run finished: according to --manifest, else to the outputs (reports) that exist; "
         "hash compares contents"),
      CHOICE_OF(resume_values, MS_RESUME_STAT), .value_is_optional = TRUE, .needs = "output|experiment",
      .is_common = TRUE),
  ROW(BATCH, "shard", PARSED, batch.shard, IMAGES,
      N_("Process part I of N, for several processes that divide the work; auto asks the job scheduler for the place"),
      ARGUMENT("I/N|auto[/N]"), .parse = parse_shard),
  ROW(BATCH, "manifest", PARSED, manifests, IMAGES,
      N_("Append lines of JSON on each image; --resume reads further ones, files or patterns, given after it"),
      ARGUMENT("FILE.jsonl"), .parse = parse_manifest),
  ROW(BATCH, "jobs", INT, batch.jobs, IMAGES, N_("Threads that decode and encode; by default one for each processor"),
      RANGE(1, 256)),
  ROW(BATCH, "timeout", SECONDS, batch.limits.wait.silence_s,
      IMAGES | REGIONS | LAB | MS_COMMAND_LIST_DEVICES | MS_COMMAND_DIAGNOSE,
      N_("End a device that reports nothing for so long, as in 30s; by default 2m, longer on slow devices"),
      ARGUMENT("TIME")),
  ROW(BATCH, "dry-run", FLAG, dry_run, IMAGES, N_("Show what would be done, and do nothing"), .is_common = TRUE),
  ROW(BATCH, "null", FLAG, null, IMAGES,
      N_("With --dry-run, write each name as it is, followed by a NUL byte, for other programs"), .needs = "dry-run"),
  ROW(BATCH, "memory-limit", AMOUNT, batch.memory_limit, IMAGES | REGIONS,
      N_("Bytes of memory that the program may take, as in 512M; larger images are filtered in bands"),
      ARGUMENT("SIZE"), .thousand = 1024),
  ROW(BATCH, "scratch", TEXT, batch.scratch, IMAGES,
      N_("With --memory-limit, folder of temporary files for larger images that cannot be read by rows"),
      ARGUMENT("DIR"), .needs = "memory-limit"),
  ROW(BATCH, "accept-damaged", FLAG, batch.limits.accept_damaged, IMAGES,
      N_("Filter images that are damaged or end early as far as they can be read, and name them")),
  ROW(BATCH, "max-pixels", AMOUNT, batch.limits.max_pixels, IMAGES | REGIONS | TUNE | EXPERIMENT,
      N_("Refuse images with more pixels (default 1G); K, M, G and T are decimal"), ARGUMENT("N"), .thousand = 1000),

  ROW(REPORT, "timings", FLAG, timings, IMAGES, N_("Show the time of every stage and kernel"), .is_common = TRUE,
      .without = "dry-run"),
  ROW(REPORT, "stats", FLAG, stats, IMAGES,
      N_("Show minimum, maximum, mean, deviation, median and percentiles of each channel of the result"),
      .is_common = TRUE, .without = "dry-run"),
  ROW(REPORT, "histogram", FLAG, histogram, IMAGES, N_("Show the histogram of each channel of the result"),
      .without = "dry-run"),
  ROW(REPORT, "json", TEXT, json, HEADLESS, N_("Write the whole report as JSON"), ARGUMENT("FILE|-"),
      .is_common = TRUE),
  ROW(REPORT, "csv", TEXT, csv, IMAGES | REGIONS, N_("Write one line for each image as CSV"), ARGUMENT("FILE|-")),
  ROW(REPORT, "repeat", INT, batch.repeat, IMAGES | REDUCE | EXPERIMENT,
      N_("Run each image, reduction or configuration N times and report the median"), RANGE(1, 100000), .standard = "1",
      .without = "dry-run"),
  ROW(REPORT, "verify", FLAG, batch.verify, IMAGES,
      N_("Compare with the serial reference; exit status 3 when they differ"), .without = "dry-run"),
  ROW(REPORT, "progress", CHOICE, progress, HEADLESS,
      N_("Progress on standard error; auto shows it on a terminal; json writes lines of JSON to standard output"),
      CHOICE_OF(progress_values, MS_PROGRESS_AUTO)),
  ROW(REPORT, "color", CHOICE, color, HEADLESS,
      N_("Colour of error messages; auto uses it on a terminal unless NO_COLOR is set"), CHOICE_OF(color_values, 0)),
  ROW(REPORT, "quiet", FLAG, quiet, HEADLESS, N_("Print errors and the requested results only"), .letter = 'q'),

  ROW(LAB, "experiment", TEXT, experiment, EXPERIMENT | MS_COMMAND_LIST_EXPERIMENTS, N_("Run a study and report it"),
      ARGUMENT("NAME|FILE|list|all")),
  ROW(LAB, "quick", FLAG, quick, EXPERIMENT, N_("Reduced sizes for --experiment")),
  ROW(LAB, "tune", FLAG, tune, TUNE, N_("Search the fastest options for this device")),
  ROW(LAB, "fresh", FLAG, fresh, TUNE, N_("Forget what an earlier --tune of this device and problem tried")),
  ROW(LAB, "budget", SECONDS, budget, TUNE | EXPERIMENT,
      N_("Time for --tune or for each configuration of --experiment, as in 60s or 5m"), ARGUMENT("TIME")),
  ROW(LAB, "noise", REAL, noise, EXPERIMENT,
      N_("Spread in percent at which a configuration may end, and the least difference that counts (default 1)"),
      .argument = "PERCENT", .minimum = 0.01, .maximum = 50),
  ROW(LAB, "accept-disturbed", FLAG, accept_disturbed, EXPERIMENT,
      N_("Rank also what was measured while throttled or beside other programs, and do not measure it again")),
  ROW(LAB, "columns", CHOICE, columns, EXPERIMENT,
      N_("Add columns to the report: registers, memory and resident work-groups of kernels, or their instructions"),
      CHOICE_OF(ms_columns_names + 1, MS_COLUMNS_OCCUPANCY)),
  ROW(LAB, "compare", TEXT, compare, EXPERIMENT, N_("Compare the experiments with an earlier report"),
      ARGUMENT("BASELINE.json")),
  ROW(LAB, "fail-on-slower", FLAG, fail_on_slower, EXPERIMENT,
      N_("Exit status 1 when --compare finds a slowdown beyond noise"), .needs = "compare"),
  ROW(LAB, "report-dir", TEXT, report_dir, TUNE | EXPERIMENT | MS_COMMAND_MERGE_REPORTS,
      N_("Folder for the CSV, JSON, LaTeX and charts of experiments and of --tune"), ARGUMENT("DIR")),
  ROW(LAB, "merge-reports", FLAG, merge_reports, MS_COMMAND_MERGE_REPORTS,
      N_("Show the reports of several devices, which are the INPUTs, side by side")),
  ROW(LAB, "reduce", TEXT, reduce, REDUCE,
      N_("Run one reduction over a generated array, checked and timed; exit status 3 when it is wrong"),
      ARGUMENT("OP")),
  ROW(LAB, "type", TEXT, type, REDUCE, N_("Element type of --reduce"), ARGUMENT("T"), .standard = "int",
      .needs = "reduce"),
  ROW(LAB, "size", AMOUNT, size, REDUCE, N_("Elements of --reduce, as in 1000, 16M or 2^20; K, M, G and T are decimal"),
      ARGUMENT("N"), .thousand = 1000, .standard = "16777216", .needs = "reduce"),
  ROW(LAB, "variant", TEXT, variant, REDUCE, N_("How --reduce computes; see below"), ARGUMENT("PRESET[,KEY=VALUE...]"),
      .standard = "auto"),
};

const MsOptionTable ms_command_options = {rows, G_N_ELEMENTS(rows)};
