/* SPDX-License-Identifier: MIT */
#include "mslab-statistics.h"

#include <string.h>

#include "api-private.h"

G_STATIC_ASSERT((int)MSLAB_CHANNEL_LUMA == (int)MS_CHANNEL_LUMA && (int)MSLAB_CHANNEL_LUMA + 1 == (int)MS_N_CHANNELS);

/* A public header cannot include one of core, so the public structure repeats the first fields of core's. */
#define ASSERT_SAME_PLACE(field)                                                                                       \
  G_STATIC_ASSERT(G_STRUCT_OFFSET(MslabChannelStatistics, field) == G_STRUCT_OFFSET(MsChannelStatistics, field) &&     \
                  sizeof((MslabChannelStatistics *)NULL)->field == sizeof((MsChannelStatistics *)NULL)->field)
ASSERT_SAME_PLACE(count);
ASSERT_SAME_PLACE(min);
ASSERT_SAME_PLACE(max);
ASSERT_SAME_PLACE(sum);
ASSERT_SAME_PLACE(mean);
ASSERT_SAME_PLACE(stddev);
ASSERT_SAME_PLACE(median);
ASSERT_SAME_PLACE(percentiles);
ASSERT_SAME_PLACE(nonzero);

#define BINS G_N_ELEMENTS(((MsHistogram *)NULL)->counts[0])

/**
 * MslabStatistics:
 *
 * The exact histograms and statistics of an image. They are immutable, so threads may share them.
 */
struct _MslabStatistics {
  GObject parent_instance;
  MsImageStatistics statistics;
};

G_DEFINE_FINAL_TYPE(MslabStatistics, mslab_statistics, G_TYPE_OBJECT)

static void
mslab_statistics_class_init(MslabStatisticsClass *klass)
{
}

static void
mslab_statistics_init(MslabStatistics *self)
{
}

/* ms_api_statistics_new: (transfer full): computed on the device, or by the serial code where @context is %NULL. */
MslabStatistics *
ms_api_statistics_new(MsImage *image, MsContext *context, GCancellable *cancellable, GError **error)
{
  g_autoptr(MslabStatistics) self = g_object_new(MSLAB_TYPE_STATISTICS, NULL);
  MsHistogram *histogram = &self->statistics.histogram;

  if (!ms_histogram_of_image(&(MsDeviceRun){context, NULL, cancellable}, image, histogram, error))
    return NULL;
  for (int i = 0; i < MS_N_CHANNELS; i++)
    ms_channel_statistics_from_counts(histogram->counts[i], &self->statistics.channels[i]);
  return g_steal_pointer(&self);
}

/**
 * mslab_statistics_get_channel:
 * @self: statistics
 * @channel: the channel
 * @statistics: (out caller-allocates): receives the statistics
 *
 * Gets the statistics of the samples of one channel.
 */
void
mslab_statistics_get_channel(MslabStatistics *self, MslabChannel channel, MslabChannelStatistics *statistics)
{
  g_return_if_fail(MSLAB_IS_STATISTICS(self) && channel <= MSLAB_CHANNEL_LUMA);

  memcpy(statistics, &self->statistics.channels[channel], sizeof *statistics);
}

/**
 * mslab_statistics_get_histogram:
 * @self: statistics
 * @channel: the channel
 * @n_bins: (out): receives the number of bins, 256
 *
 * Gets how often each value from 0 to 255 occurs.
 *
 * Returns: (transfer none) (array length=n_bins): the counts
 */
const guint64 *
mslab_statistics_get_histogram(MslabStatistics *self, MslabChannel channel, gsize *n_bins)
{
  g_return_val_if_fail(MSLAB_IS_STATISTICS(self) && channel <= MSLAB_CHANNEL_LUMA, NULL);

  *n_bins = BINS;
  return self->statistics.histogram.counts[channel];
}
