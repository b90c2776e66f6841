"""What a finished suite is shown as: figures, tables, the page's opening."""
