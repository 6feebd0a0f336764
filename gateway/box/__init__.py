"""`auscult bench box`: how many channels this machine carries, measured on a simulated plant."""
