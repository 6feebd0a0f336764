"""`auscult bench`: our parts timed beside their references, in one run, interleaved."""
