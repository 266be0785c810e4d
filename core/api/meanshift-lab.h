/* SPDX-License-Identifier: MIT */
/* The public interface of libmeanshift-lab-1: include this header alone. */
#pragma once

#include "mslab-batch.h"
#include "mslab-device.h"
#include "mslab-engine.h"
#include "mslab-error.h"
#include "mslab-image.h"
#include "mslab-reduction.h"
#include "mslab-regions.h"
#include "mslab-settings.h"
#include "mslab-statistics.h"
