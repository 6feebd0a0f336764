"""One way through a data diode: messages into files, files into messages."""
