/* SPDX-License-Identifier: MIT */
/* What the tests of the public library share: the size of their images, and helpers on engines and images. */
#pragma once

#include <meanshift-lab.h>

#define WIDTH 61
#define HEIGHT 43

MslabEngine *api_fixture_open(const char *selector);
void api_fixture_on_progress(int done, int total, gpointer data);
void api_fixture_assert_equal(MslabImage *a, MslabImage *b);
