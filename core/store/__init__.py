"""Where everything lies on disk, and how it gets there without ever being half there."""
