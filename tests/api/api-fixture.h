/* SPDX-License-Identifier: MIT */
/* Shared by the tests of the public library: the size of their images, and helpers for engines and images. */
#pragma once

#include <meanshift-lab.h>

#define WIDTH 61
#define HEIGHT 43

MslabEngine *api_fixture_open(const char *selector);
void api_fixture_on_progress(int done, int total, gpointer data);
void api_fixture_assert_equal(MslabImage *a, MslabImage *b);
