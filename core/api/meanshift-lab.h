/* SPDX-License-Identifier: MIT */
/*
 * libmeanshift-lab-1: mean-shift filtering of images on OpenCL devices.
 *
 *     MslabDevice *device = mslab_open("auto", &error);
 *     MslabImage image = {0}, result = {0};
 *     if (device && mslab_load("in.png", NULL, &image, &error) &&
 *         mslab_filter(device, &image, &(MslabJob){.settings = "sp=10,sr=20"}, &result, &error))
 *       mslab_save("out.png", &result, NULL, &error);
 *
 * Errors. Functions that can fail take a GError as last argument, as those of GLib do, and return FALSE, NULL or -1
 * with it set: a code of MslabError and a sentence for a person, in the language of the process if gettext is set up.
 * A call that its GCancellable ended has the error G_IO_ERROR_CANCELLED. Nothing is printed and nothing ends the
 * process, except what an OpenCL driver does by itself.
 *
 * Threads. Any thread may call any function, and threads may share a device: their calls run one after the other. To
 * have several images on a device at once, open it once for each thread. Nothing else may be shared while one thread
 * changes it. A process that was forked after mslab_open() can use the device "reference" alone.
 *
 * Memory. Functions write to arguments that are marked (out). The caller owns the structs that arguments point at, on
 * the stack for instance, and sets them to {0} first: members that are 0 or NULL stand for the default.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define MSLAB_ERROR (mslab_error_quark())

/* MslabError: the codes of the domain MSLAB_ERROR. */
typedef enum {
  MSLAB_ERROR_USAGE,       /* a setting or argument has a value that it cannot take */
  MSLAB_ERROR_FORMAT,      /* the content of a file does not match its format, or is damaged */
  MSLAB_ERROR_TOO_LARGE,   /* an image or array exceeds a limit */
  MSLAB_ERROR_UNSUPPORTED, /* the device cannot run this combination of settings */
  MSLAB_ERROR_NO_DEVICE,   /* no OpenCL device matches the selector */
  MSLAB_ERROR_BUILD,       /* a kernel program did not compile; the message holds the build log */
  MSLAB_ERROR_DEVICE,      /* an OpenCL call failed */
  MSLAB_ERROR_MEMORY,      /* the device or the host has not enough memory */
  MSLAB_ERROR_TIMEOUT,     /* the device did not answer in time */
  MSLAB_ERROR_IO,          /* a file could not be read or written */
  MSLAB_ERROR_EXISTS,      /* the output exists already */
  MSLAB_ERROR_MISMATCH,    /* a result differs from that of the serial reference */
} MslabError;

GQuark mslab_error_quark(void);

/* mslab_version: the version of the library that runs, such as "1.0.0". It belongs to the library. */
const char *mslab_version(void);

/* Images */

/*
 * MslabImage: 8-bit samples in rows. Pixels of the caller's own need the first five members alone; they stay the
 * caller's, and mslab_image_clear() leaves them.
 */
typedef struct {
  guint8 *pixels;                 /* the first sample of the first row */
  int width;                      /* pixels in a row, at least 1 */
  int height;                     /* rows, at least 1 */
  gsize stride;                   /* bytes from one row to the next, at least width * channels */
  int channels;                   /* 3 for R, G, B; 4 for R, G, B, A */
  struct _MslabImageOwner *owner; /* what the library holds of an image that it made; NULL for others */
} MslabImage;

/*
 * mslab_load: reads an image file and turns it upright. The format is known by the content: PNG, JPEG, TIFF, WebP,
 * PNM and PAM; and GIF, BMP, HEIC, AVIF and others where gdk-pixbuf has a module for them, which the installed
 * program meanshift-lab-loader runs in a process of its own. Samples of more than 8 bits are reduced to 8.
 *
 * path: the file, or "-" for standard input
 * cancellable: NULL, or what ends the call early from another thread
 * image: (out) {0}, or an image that is cleared first. It gets four channels and, in its owner, the metadata of the
 *   file; mslab_image_clear() frees it. Its pixels may be changed.
 *
 * Errors: IO, FORMAT, UNSUPPORTED, TOO_LARGE, MEMORY. Then image is {0}.
 */
gboolean mslab_load(const char *path, GCancellable *cancellable, MslabImage *image, GError **error);

/*
 * mslab_save: writes an image file in the format that its ending names, with the metadata of the file from which the
 * image came through mslab_load() and mslab_filter(). A file of that name is replaced once the new one is complete.
 *
 * Errors: IO, USAGE, UNSUPPORTED.
 */
gboolean mslab_save(const char *path, const MslabImage *image, GCancellable *cancellable, GError **error);

/* mslab_image_clear: frees what the library holds of an image, and makes it {0}. NULL is allowed. */
void mslab_image_clear(MslabImage *image);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MslabImage, mslab_image_clear)

/* Devices */

/*
 * MslabDeviceInfo: an OpenCL device of this machine. The texts belong to the library and last as long as the process.
 */
typedef struct {
  const char *address;  /* the platform's number and the device's in it, such as "0:1"; mslab_open() takes it */
  const char *name;     /* as the driver gives it */
  const char *platform; /* the name of the OpenCL platform */
  const char *driver;   /* the version of the driver */
  const char *kind;     /* "cpu", "gpu", "accelerator" or "other" */
} MslabDeviceInfo;

/*
 * mslab_list_devices: the OpenCL devices of this machine in the order of their platforms.
 *
 * n: (out) their number
 *
 * Returns an array that g_free() frees. Error: NO_DEVICE where there is none.
 */
MslabDeviceInfo *mslab_list_devices(gsize *n, GError **error);

/* MslabDevice: an open device. */
typedef struct _MslabDevice MslabDevice;

/*
 * mslab_open: opens a device. That takes longer than filtering a small image, and the first image of each size and
 * settings may compile kernels, which a cache keeps; so keep a device for further images. The first image on a kind of
 * device that the library does not know takes some seconds more, once for its driver, in which it measures which
 * kernel is fastest. Every device computes the same pixels.
 *
 * selector: "auto", "cpu", "gpu", a part of a device's name, an address such as "0:1", or "reference" for the serial
 *   code that defines the results and needs no device. With "auto" a processor takes over when the device fails, which
 *   mslab_notes() tells.
 *
 * Returns the device, which mslab_close() closes. Errors: NO_DEVICE, DEVICE.
 */
MslabDevice *mslab_open(const char *selector, GError **error);

/* mslab_close: closes a device that no call uses any more. NULL is allowed. */
void mslab_close(MslabDevice *device);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MslabDevice, mslab_close)

/* mslab_name: the name of the device that computes now. It belongs to the library and lasts as long as the process. */
const char *mslab_name(MslabDevice *device);

/*
 * mslab_notes: a line for each device that was rejected or replaced since mslab_open(); "" for none. g_free() frees
 * it.
 */
char *mslab_notes(MslabDevice *device);

/* The filter */

/*
 * MslabProgress: a function that the library calls with the number of finished rows of an image, from any thread but
 * never from two at once. It must not use the device, and should return soon.
 */
typedef void (*MslabProgress)(int done, int total, gpointer data);

/* MslabBand: which rows of a larger image an image holds: all columns of its rows from first_row on. */
typedef struct {
  int first_row;
  int image_height; /* rows of the larger image */
} MslabBand;

/* MslabJob: what mslab_filter() and mslab_regions() compute, and who is told. {0} and NULL stand for the defaults. */
typedef struct {
  const char *settings;      /* see below; NULL for the defaults */
  const MslabBand *band;     /* NULL where the image is whole; only for mslab_filter() */
  guint min_pixels;          /* only for mslab_regions(): the least pixels of a region; 0 for any */
  GCancellable *cancellable; /* NULL, or what ends the call early from another thread */
  MslabProgress progress;    /* NULL for none */
  gpointer progress_data;
} MslabJob;

/*
 * Settings are text, "name=value,name=value": the options of the program meanshift-lab that decide pixels or how
 * kernels compute them, as meanshift-lab(1) describes them. Numbers have a point in every locale; g_ascii_dtostr()
 * writes such.
 *
 *     sp=10,sr=20,max-iterations=5,epsilon=1,rule=opencv,levels=0,space=rgb
 *
 * are the defaults of those that decide pixels: the radii of the window and of the colours, most steps of a pixel, the
 * step that ends them, what lies outside the image, halved copies that are filtered first, and the space in which
 * colours are compared. memory, local-memory, unroll, access, work-group, kernel and schedule never change a pixel.
 */

/*
 * mslab_filter: filters an image by mean shift (D. Comaniciu and P. Meer, "Mean shift: a robust approach toward
 * feature space analysis", IEEE Trans. PAMI 24(5), 2002) as cv::pyrMeanShiftFiltering of OpenCV defines it, to the
 * last bit: with levels that of OpenCV 4.7 and later, without levels of any version. The order of R, G and B does
 * not matter, but for the spaces luv and lab. Alpha is copied.
 *
 * source: the image; four channels without padding are read where they lie, others are copied once
 * job: NULL for the defaults. With a band a row of the result is that of the whole image where mslab_halo() rows
 *   around it lie in the band or outside the image. A band that is filtered without this member has a few other pixels.
 * result: (out) {0}, or an image of the caller's with the size of the source. {0} becomes an image of four channels,
 *   which mslab_image_clear() frees. The caller's pixels are written to, in 3 or 4 channels; they may be those of the
 *   source. Where they are four channels without padding beside the source, the device writes them without a copy
 *   between.
 *
 * Errors: USAGE, UNSUPPORTED, TOO_LARGE, BUILD, DEVICE, MEMORY, TIMEOUT. Then a result that was {0} still is, and
 * pixels of the caller's may have changed.
 */
gboolean mslab_filter(MslabDevice *device, const MslabImage *source, const MslabJob *job, MslabImage *result,
                      GError **error);

/*
 * mslab_halo: how many rows above and below a row can influence it: ceil(sp) * (max-iterations + 1), and with levels
 * those of each level.
 *
 * settings: as in MslabJob; NULL for the defaults
 *
 * Returns the rows, or -1 with the error USAGE.
 */
int mslab_halo(const char *settings, GError **error);

/* Regions */

/* MslabRegion: the numbers of one region. Columns and rows count from 0 at the top left. */
typedef struct {
  guint32 pixels;
  int left; /* its first and last column and row */
  int top;
  int right;
  int bottom;
  double x; /* the centroid */
  double y;
  guint64 perimeter;         /* edges of pixels between it and another region or the outside of the image */
  double mean[3];            /* of R, G and B over its pixels of the image before it was filtered */
  double deviation[3];       /* the standard deviations of the same, of the population */
  guint n_neighbours;        /* the regions that touch it, also at corners of pixels */
  const guint32 *neighbours; /* their labels, ascending */
} MslabRegion;

/* MslabRegions: the regions of an image; threads may share it. */
typedef struct {
  guint32 n;                  /* how many there are, which is the greatest label */
  const MslabRegion *regions; /* n of them: regions[0] has label 1 */
  const guint32 *labels;      /* width * height: the label of each pixel, row by row; 0 for a pixel without data */
} MslabRegions;

/*
 * mslab_regions: filters an image and divides it into regions, the segmentation of Comaniciu and Meer (2002). Two of
 * eight neighbouring pixels are of one region where the places at which they come to rest differ by at most sp in
 * column and in row, and their filtered colours by at most half of sr; regions are what such neighbours connect. In
 * rounds, every region with fewer than min_pixels pixels chooses, among the regions that it touches, the one whose
 * mean colour is nearest, and those that choices connect become one, until none is too small or one is left. Labels
 * count from 1 in the order of the regions' first pixels. Every device finds the same regions.
 *
 * source: the image, read as by mslab_filter()
 * job: NULL for the defaults. Its rule must be one under which pixels stay in the image.
 * means: (out) NULL, or as the result of mslab_filter(): each pixel in the mean colour of its region, with its alpha
 *
 * Returns the regions, which mslab_regions_free() frees. Errors: those of mslab_filter().
 */
MslabRegions *mslab_regions(MslabDevice *device, const MslabImage *source, const MslabJob *job, MslabImage *means,
                            GError **error);

/* mslab_regions_free: frees regions with all that they point to. NULL is allowed. */
void mslab_regions_free(MslabRegions *regions);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MslabRegions, mslab_regions_free)

/* Numbers */

/* MslabChannel: what statistics count. Luma is (299 R + 587 G + 114 B + 500) / 1000 in integers. */
typedef enum {
  MSLAB_CHANNEL_R,
  MSLAB_CHANNEL_G,
  MSLAB_CHANNEL_B,
  MSLAB_CHANNEL_A,
  MSLAB_CHANNEL_LUMA,
  MSLAB_N_CHANNELS,
} MslabChannel;

/* MslabChannelStatistics: the samples of one channel; exact, since they follow from the histogram. */
typedef struct {
  guint64 count; /* pixels */
  guint min;
  guint max;
  guint64 sum;
  double mean;
  double stddev;         /* of the population, divided by the count */
  double median;         /* interpolated linearly, as the percentiles */
  double percentiles[6]; /* 1, 5, 25, 75, 95 and 99, interpolated linearly between neighbours as numpy does */
  guint64 nonzero;       /* samples that are not 0 */
  guint64 clipped_low;   /* samples that are 0, and that are 255 */
  guint64 clipped_high;
} MslabChannelStatistics;

/* MslabStatistics: by MslabChannel; a histogram says how often each value from 0 to 255 occurs. */
typedef struct {
  MslabChannelStatistics channels[MSLAB_N_CHANNELS];
  guint64 histograms[MSLAB_N_CHANNELS][256];
} MslabStatistics;

/*
 * mslab_statistics: computes histograms and statistics in one pass over an image. They leave out pixels without data:
 * those that have the value of GDAL_NODATA of the image's file. An image of three channels has an alpha of 255.
 *
 * statistics: (out)
 *
 * Errors: USAGE, BUILD, DEVICE, MEMORY, TIMEOUT.
 */
gboolean mslab_statistics(MslabDevice *device, const MslabImage *image, GCancellable *cancellable,
                          MslabStatistics *statistics, GError **error);

/* MslabArray: numbers in the byte order of the machine. */
typedef struct {
  const char *type; /* "uchar", "char", "ushort", "short", "int", "uint", "float" or "double", as OpenCL names them */
  gconstpointer elements;
  gsize size; /* bytes, at least one element */
} MslabArray;

/* MslabReduction: the result of reducing an array. */
typedef struct {
  guint n_numbers;     /* 1, or 2 for a pair: least and greatest element */
  double numbers[2];   /* integers beyond 2^53 are rounded */
  gboolean is_integer; /* whether they are integers by definition, as a sum of integers or a count is; a mean is not */
  gboolean has_positions; /* whether a pair has positions, as that of minMax-positions does */
  guint64 positions[2];   /* of the first least and greatest element, from 0; G_MAXUINT64 where every element is NaN */
  char text[128];         /* the result with all digits, in the C locale */
} MslabReduction;

/*
 * mslab_reduce: reduces an array to one result. Sums of integers are exact; minimum and maximum of floats ignore NaN.
 *
 * operation: an operator of the program's option --reduce, such as "sum", "minMax" or "stddev"; the error that any
 *   other text ends in lists them
 * reduction: (out)
 *
 * Errors: USAGE, TOO_LARGE, BUILD, DEVICE, MEMORY, TIMEOUT.
 */
gboolean mslab_reduce(MslabDevice *device, const char *operation, const MslabArray *array, GCancellable *cancellable,
                      MslabReduction *reduction, GError **error);

G_END_DECLS
