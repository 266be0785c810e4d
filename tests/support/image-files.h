/* SPDX-License-Identifier: MIT */
/* Shared by the tests of core/image: images, folders and files. */
#pragma once

#include "core/image/image-io.h"

/** MS_TEST_MOST_LEVELS, MS_TEST_MEAN: the largest and the mean difference allowed between two JPEG decoders. */
#define MS_TEST_MOST_LEVELS 4
#define MS_TEST_MEAN 1.0

MsImage *ms_test_image_random(int width, int height, guint32 seed, gboolean opaque, MsMetadata *metadata);
MsImage *ms_test_image_smooth(int width, int height, MsMetadata *metadata);
void ms_test_assert_same_image(MsImage *a, MsImage *b);
void ms_test_assert_close_image(MsImage *a, MsImage *b, int most, double mean);

GBytes *ms_test_encode(MsImage *image, MsImageFormat format);
MsImage *ms_test_decode(GBytes *bytes);
void ms_test_assert_refused(GBytes *bytes, int code);
void ms_test_assert_cut_refused(GBytes *file, gsize first, gsize step);
MsImage *ms_test_load(const char *path);
void ms_test_assert_folder_refused(const char *name, const char *suffix, gboolean too_large);

char *ms_test_pictures_folder(const char *name);
GPtrArray *ms_test_list_files(const char *folder, const char *suffix);
char *ms_test_folder_new(void);
guint ms_test_folder_count(const char *folder);
void ms_test_folder_remove(char *folder);

/* PNG chunk by chunk, for files that no library would write. */
void ms_test_png_append(GByteArray *file, const char *type, const void *data, gsize size);
GByteArray *ms_test_png_begin(guint32 width, guint32 height, int depth, int colour_type);
gsize ms_test_png_find(GBytes *file, const char *type);
void ms_test_png_repair(guint8 *data, gsize size);
