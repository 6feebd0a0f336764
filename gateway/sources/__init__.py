"""Where samples and values come from: each kind of source is a plugin, each source a thread."""
