"""What `import auscult` offers: thin functions over `dsp` and `models`; nothing imports them."""
