/* SPDX-License-Identifier: MIT */
/* Shared by the tests of loading and saving: a folder, an image to save in it, and an account without rights. */
#pragma once

#include "core/image/image-io.h"

/** ImageFixture: @target is a path in @folder without a file. */
typedef struct {
  char *folder;
  char *target;
  MsImage *image;
} ImageFixture;

#define IMAGE_FIXTURE_ADD(path, function)                                                                              \
  g_test_add("/image-io/" path, ImageFixture, NULL, image_fixture_set_up, function, image_fixture_tear_down)

void image_fixture_set_up(ImageFixture *self, gconstpointer data);
void image_fixture_tear_down(ImageFixture *self, gconstpointer data);
gboolean image_fixture_save(ImageFixture *self, const char *path, gboolean overwrite, GError **error);
void image_fixture_assert_saved(ImageFixture *self, const char *path);
void image_fixture_assert_sentence(const GError *error, const char *path);
gboolean image_fixture_become_nobody(void);
void image_fixture_become_self(void);
