/* SPDX-License-Identifier: MIT */
/* MsRunStrip: thumbnails of the original and of the newest runs with their times; two of them are picked as A and B. */
#pragma once

#include "ui/panels/common/panel.h"

#define MS_TYPE_RUN_STRIP (ms_run_strip_get_type())
G_DECLARE_FINAL_TYPE(MsRunStrip, ms_run_strip, MS, RUN_STRIP, MsPanel)
