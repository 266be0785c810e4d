/* SPDX-License-Identifier: MIT */
#include "app/diagnose/self-test.h"

/**
 * ms_self_test_add: adds the line of one kernel.
 * @differences: values in which its result differs from that of the serial code
 * @error: (nullable): why it did not run; #MS_ERROR_UNSUPPORTED is no failure
 */
void
ms_self_test_add(MsSelfTest *self, const char *name, guint64 differences, const GError *error)
{
  const gboolean unsupported = g_error_matches(error, MS_ERROR, MS_ERROR_UNSUPPORTED);

  g_string_append_printf(self->text, "  %-5s %-26s ", self->address, name);
  if (error)
    g_string_append_printf(self->text, "%s %s\n", unsupported ? "not here:" : "FAILS:", error->message);
  else if (differences > 0)
    g_string_append_printf(self->text, "DIFFERS from the reference in %" G_GUINT64_FORMAT " values\n", differences);
  else
    g_string_append(self->text, "identical to the reference\n");
  self->agrees = self->agrees && (error ? unsupported : differences == 0);
}

/** ms_self_test_run: adds a line for each kernel to @text. Returns: %FALSE if one failed or gave another result */
gboolean
ms_self_test_run(MsDevice *device, GString *text)
{
  g_autoptr(GError) error = NULL;
  /* The device stays open until this process ends, because a driver may end it when it is closed. */
  MsContext *context = ms_context_new(device, &error);
  MsSelfTest self = {context, ms_device_get_address(device), text, TRUE};

  if (context) {
    ms_self_test_filter(&self);
    ms_self_test_reduce(&self);
  } else {
    ms_self_test_add(&self, "context", 0, error);
  }
  return self.agrees && context;
}
