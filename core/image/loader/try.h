/* SPDX-License-Identifier: MIT */
/* For tests: tries what the confinement of a loader shall deny. */
#pragma once

int ms_loader_try(const char *layers, const char *wanted, const char *path);
