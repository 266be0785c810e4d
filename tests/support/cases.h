/* SPDX-License-Identifier: MIT */
/*
 * The tests of a folder are one program: tests/support/main.c calls ms_test_NAME() of each file test-NAME.c, which adds
 * its cases. tests/meson.build lists the files in MS_TEST_FILES.
 */
#pragma once

/* clang-format off */
#define MS_TEST_FILE(name) void ms_test_##name(void);
MS_TEST_FILES
#undef MS_TEST_FILE
/* clang-format on */
