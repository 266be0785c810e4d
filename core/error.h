/* SPDX-License-Identifier: MIT */
/* MsError: the error domain of the program; the code is for the caller, the message is a sentence for the user. */
#pragma once

#include <glib.h>

#define MS_ERROR (ms_error_quark())

/**
 * MsError:
 * @MS_ERROR_USAGE: an option or parameter has a value it cannot take
 * @MS_ERROR_FORMAT: the content of a file does not match its format, or is damaged
 * @MS_ERROR_TOO_LARGE: an image or array exceeds a limit
 * @MS_ERROR_UNSUPPORTED: the plan refuses a combination, on this device or on any
 * @MS_ERROR_NO_DEVICE: no OpenCL device matches the selector
 * @MS_ERROR_BUILD: a kernel program did not compile; the message carries the whole log
 * @MS_ERROR_DEVICE: an OpenCL call failed
 * @MS_ERROR_MEMORY: the device or the host has not enough memory
 * @MS_ERROR_TIMEOUT: the device did not answer in time
 * @MS_ERROR_IO: reading or writing a file failed
 * @MS_ERROR_EXISTS: an output exists already under --on-conflict=fail
 * @MS_ERROR_MISMATCH: a result differs from the reference
 */
typedef enum {
  MS_ERROR_USAGE,
  MS_ERROR_FORMAT,
  MS_ERROR_TOO_LARGE,
  MS_ERROR_UNSUPPORTED,
  MS_ERROR_NO_DEVICE,
  MS_ERROR_BUILD,
  MS_ERROR_DEVICE,
  MS_ERROR_MEMORY,
  MS_ERROR_TIMEOUT,
  MS_ERROR_IO,
  MS_ERROR_EXISTS,
  MS_ERROR_MISMATCH,
} MsError;

GQuark ms_error_quark(void);
const char *ms_errno_text(int code);
void ms_set_error(GError **error, MsError code, const char *format, ...) G_GNUC_PRINTF(3, 4);
void ms_set_error_va(GError **error, MsError code, const char *format, va_list args) G_GNUC_PRINTF(3, 0);
void ms_set_error_literal(GError **error, MsError code, const char *sentence);
void ms_error_take(GError **error, MsError code, char *translated, char *english);
void ms_prefix_error(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
char *ms_error_dup_english(const GError *error);

/**
 * ms_set_error_phrase:
 * @format: (literal): a sentence with two %s, for @name and for @phrase, which is looked up among the translations, too
 *
 * Sets an error whose format and argument are both translated, such as the reason why a file is refused.
 */
#define ms_set_error_phrase(error, code, format, name, phrase)                                                         \
  ms_error_take((error), (code),                                                                                       \
                g_strdup_printf(g_dgettext(GETTEXT_PACKAGE, (format)), (name), g_dgettext(GETTEXT_PACKAGE, (phrase))), \
                g_strdup_printf((format), (name), (phrase)))
