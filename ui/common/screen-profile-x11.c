/* SPDX-License-Identifier: MIT */
/* The properties of the root window by which X tells profiles: "ICC Profiles In X Specification 0.4". */
#include <gdk/gdkx.h>

#include "ui/common/screen-profile.h"

#define PROPERTY "_ICC_PROFILE"

/* No profile is larger; units of 32 bits. */
#define MOST_UNITS (8 << 20)

typedef struct {
  GFunc changed;
  gpointer data;
} Watch;

/** ms_screen_profile_is_told: whether the display server tells profiles; else the colour manager is asked. */
gboolean
ms_screen_profile_is_told(GdkScreen *screen)
{
  return GDK_IS_X11_SCREEN(screen);
}

/**
 * ms_screen_profile_read:
 * @monitor: counted from 0
 *
 * Returns: (transfer full) (nullable): what the X server's property has for the monitor; %NULL without one, and on
 *   other systems
 */
GBytes *
ms_screen_profile_read(GdkScreen *screen, int monitor)
{
  g_autofree char *name = monitor > 0 ? g_strdup_printf(PROPERTY "_%d", monitor) : g_strdup(PROPERTY);
  guchar *data = NULL;
  int format = 0, length = 0;

  if (!GDK_IS_X11_SCREEN(screen) || !gdk_property_get(gdk_screen_get_root_window(screen), gdk_atom_intern(name, FALSE),
                                                      GDK_NONE, 0, MOST_UNITS, FALSE, NULL, &format, &length, &data))
    return NULL;
  if (format == 8 && length > 0)
    return g_bytes_new_take(data, (gsize)length);
  g_free(data);
  return NULL;
}

static GdkFilterReturn
on_x_event(GdkXEvent *event, GdkEvent *translated, gpointer data)
{
  const XEvent *x = event;
  const Watch *watch = data;

  if (x->type == PropertyNotify && g_str_has_prefix(gdk_x11_get_xatom_name(x->xproperty.atom), PROPERTY))
    watch->changed(NULL, watch->data);
  return GDK_FILTER_CONTINUE;
}

/** ms_screen_profile_watch: calls @changed whenever the property of a monitor changes, as long as the screen exists. */
void
ms_screen_profile_watch(GdkScreen *screen, GFunc changed, gpointer data)
{
  GdkWindow *root = gdk_screen_get_root_window(screen);
  Watch *watch;

  if (!GDK_IS_X11_SCREEN(screen))
    return;
  watch = g_new(Watch, 1);
  *watch = (Watch){changed, data};
  g_object_set_data_full(G_OBJECT(screen), "ms-profile-watch", watch, g_free);
  gdk_window_set_events(root, gdk_window_get_events(root) | GDK_PROPERTY_CHANGE_MASK);
  gdk_window_add_filter(root, on_x_event, watch);
}
