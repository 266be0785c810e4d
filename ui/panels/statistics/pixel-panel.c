/* SPDX-License-Identifier: MIT */
#include "ui/panels/statistics/pixel-panel.h"

typedef struct {
  MsPictureStatistics *statistics; /* (nullable): of the panel's document */
} MsPixelPanelPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE(MsPixelPanel, ms_pixel_panel, MS_TYPE_PANEL)

static MsPixelPanelPrivate *
private_of(MsPixelPanel *self)
{
  return ms_pixel_panel_get_instance_private(self);
}

/** ms_pixel_panel_get_statistics: (transfer none) (nullable): %NULL while no picture is open. */
MsPictureStatistics *
ms_pixel_panel_get_statistics(MsPixelPanel *self)
{
  return private_of(self)->statistics;
}

static void
show(MsPixelPanel *self)
{
  MS_PIXEL_PANEL_GET_CLASS(self)->show(self);
}

static void
unfollow(MsPixelPanel *self)
{
  MsPixelPanelPrivate *priv = private_of(self);

  if (priv->statistics)
    g_signal_handlers_disconnect_by_data(priv->statistics, self);
  g_clear_object(&priv->statistics);
}

static void
ms_pixel_panel_attach(MsPanel *panel, MsDocument *document)
{
  MsPixelPanel *self = MS_PIXEL_PANEL(panel);

  unfollow(self);
  private_of(self)->statistics = g_object_ref(ms_picture_statistics_of(document));
  g_signal_connect_object(private_of(self)->statistics, "changed", G_CALLBACK(show), self, G_CONNECT_SWAPPED);
  ms_panel_follow(panel, document, "notify::source");
  ms_panel_follow(panel, document, "notify::current-run");
  ms_panel_follow(panel, document, "notify::run-a");
  ms_panel_follow(panel, document, "notify::run-b");
}

static void
ms_pixel_panel_refresh(MsPanel *panel)
{
  MsDocument *document = ms_panel_get_document(panel);
  MsPictureStatistics *statistics = ms_pixel_panel_get_statistics(MS_PIXEL_PANEL(panel));

  if (document && statistics)
    ms_picture_statistics_update(statistics, document);
  show(MS_PIXEL_PANEL(panel));
}

static void
ms_pixel_panel_dispose(GObject *object)
{
  unfollow(MS_PIXEL_PANEL(object));
  G_OBJECT_CLASS(ms_pixel_panel_parent_class)->dispose(object);
}

static void
ms_pixel_panel_class_init(MsPixelPanelClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = ms_pixel_panel_dispose;
  MS_PANEL_CLASS(klass)->attach = ms_pixel_panel_attach;
  MS_PANEL_CLASS(klass)->refresh = ms_pixel_panel_refresh;
}

static void
ms_pixel_panel_init(MsPixelPanel *self)
{
}
