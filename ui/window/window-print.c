/* SPDX-License-Identifier: MIT */
#include "ui/window/window-print.h"

#include "ui/document/document-runs.h"
#include "ui/image-view/pixbuf.h"
#include "ui/window/window-message.h"
#include "ui/window/window-private.h"

static void
draw_page_cb(GtkPrintOperation *operation, GtkPrintContext *context, int page, gpointer image)
{
  g_autoptr(GdkPixbuf) pixbuf = ms_pixbuf_from_image(image);
  cairo_t *cr = gtk_print_context_get_cairo_context(context);
  double width = gtk_print_context_get_width(context), height = gtk_print_context_get_height(context);
  double scale = MIN(width / gdk_pixbuf_get_width(pixbuf), height / gdk_pixbuf_get_height(pixbuf));

  cairo_scale(cr, scale, scale);
  gdk_cairo_set_source_pixbuf(cr, pixbuf, 0, 0);
  cairo_paint(cr);
}

/** ms_window_new_print_operation: (transfer full): prints the filtered picture, as large as the page. */
GtkPrintOperation *
ms_window_new_print_operation(MsWindow *self)
{
  GtkPrintOperation *operation = gtk_print_operation_new();

  gtk_print_operation_set_n_pages(operation, 1);
  gtk_print_operation_set_job_name(operation, ms_document_get_title(self->document));
  g_signal_connect_data(operation, "draw-page", G_CALLBACK(draw_page_cb),
                        g_object_ref(ms_document_get_picture_b(self->document)),
                        (GClosureNotify)(void (*)(void))g_object_unref, 0);
  return operation;
}

/** ms_window_print: asks for a printer and prints the filtered picture. */
void
ms_window_print(MsWindow *self)
{
  g_autoptr(GtkPrintOperation) operation = ms_window_new_print_operation(self);
  g_autoptr(GError) error = NULL;

  gtk_print_operation_set_allow_async(operation, TRUE);
  if (gtk_print_operation_run(operation, GTK_PRINT_OPERATION_ACTION_PRINT_DIALOG, GTK_WINDOW(self), &error) ==
      GTK_PRINT_OPERATION_RESULT_ERROR)
    ms_window_report_error(self, error);
}
