"""Signals out of files of any common format, with unit, rate and time as the files state them."""
