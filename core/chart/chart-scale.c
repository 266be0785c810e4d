/* SPDX-License-Identifier: MIT */
/* Scales of a chart: rounded ends and ticks. */
#include "core/chart/chart-scale.h"

#include <math.h>

#include "core/number.h"

/* The largest of 1, 2, 5 times a power of ten that is not above @value. */
static double
round_down_125(double value)
{
  double power = pow(10.0, floor(log10(value)));
  double digit = value / power;

  return power * (digit >= 5.0 - 1e-9 ? 5.0 : digit >= 2.0 - 1e-9 ? 2.0 : 1.0);
}

static double
nice_step(double range, guint wanted)
{
  double raw = range / MAX(wanted, 1);
  double step = round_down_125(raw);

  while (range / step > wanted * 1.5)
    step = round_down_125(step * 2.5);
  return step;
}

static MsScale
logarithmic_scale(double minimum, double maximum)
{
  double low = pow(10.0, floor(log10(minimum * 0.999))); /* a power of ten below the least value */
  double high = round_down_125(maximum);

  while (high < maximum)
    high = round_down_125(high * 2.5);
  if (high <= low)
    high = low * 10.0;
  return (MsScale){low, high, TRUE};
}

/**
 * ms_scale_for_range:
 * @minimum: smallest value to show
 * @maximum: largest value to show
 * @logarithmic: ignored where a value is not positive
 * @from_zero: whether a linear scale must begin at 0, as bars need
 */
MsScale
ms_scale_for_range(double minimum, double maximum, gboolean logarithmic, gboolean from_zero)
{
  if (!isfinite(minimum) || !isfinite(maximum))
    return (MsScale){0.0, 1.0, FALSE};
  if (logarithmic && minimum > 0)
    return logarithmic_scale(minimum, maximum);
  if (from_zero)
    minimum = MIN(minimum, 0.0);
  if (maximum <= minimum)
    maximum = minimum + MAX(fabs(minimum), 1.0);
  double step = nice_step(maximum - minimum, 5);
  return (MsScale){floor(minimum / step + 1e-9) * step, ceil(maximum / step - 1e-9) * step, FALSE};
}

double
ms_scale_map(const MsScale *self, double value)
{
  if (!self->logarithmic)
    return (value - self->minimum) / (self->maximum - self->minimum);
  value = MAX(value, self->minimum);
  return log(value / self->minimum) / log(self->maximum / self->minimum);
}

static void
add_tick(GArray *ticks, double value)
{
  g_array_append_val(ticks, value);
}

static GArray *
logarithmic_ticks(const MsScale *self, guint wanted)
{
  GArray *ticks = g_array_new(FALSE, FALSE, sizeof(double));
  double decades = log10(self->maximum / self->minimum);
  int every = decades > 1.5 * wanted ? (int)ceil(decades / wanted) : 1;
  gboolean fine = decades * 3 <= wanted * 1.6;
  int index = 0;

  for (double power = pow(10.0, floor(log10(self->minimum))); power <= self->maximum * 1.0001; power *= 10.0, index++)
    for (int i = 0; i < (fine ? 3 : 1); i++) {
      double value = power * (i == 0 ? 1.0 : i == 1 ? 2.0 : 5.0);
      if (value >= self->minimum * 0.999 && value <= self->maximum * 1.001 && index % every == 0)
        add_tick(ticks, value);
    }
  return ticks;
}

/** ms_scale_ticks: (transfer full) (element-type double): round values, about @wanted of them. */
GArray *
ms_scale_ticks(const MsScale *self, guint wanted)
{
  if (self->logarithmic)
    return logarithmic_ticks(self, wanted);
  GArray *ticks = g_array_new(FALSE, FALSE, sizeof(double));
  double step = nice_step(self->maximum - self->minimum, wanted);
  for (double k = ceil(self->minimum / step - 1e-9); k * step <= self->maximum + step * 1e-6; k += 1.0)
    add_tick(ticks, k * step + 0.0); /* + 0.0: no "-0" */
  return ticks;
}

/** ms_scale_format_count: (transfer full): like ms_number_text(), with powers of two from 1024 as 2¹⁰ and so on. */
char *
ms_scale_format_count(double value)
{
  static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  int exponent;

  if (value < 1024 || frexp(value, &exponent) != 0.5)
    return ms_number_text(value);
  exponent--;
  return g_strconcat("2", exponent >= 10 ? digits[exponent / 10 % 10] : "", digits[exponent % 10], NULL);
}
