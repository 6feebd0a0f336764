# German words of the source `mqtt`.

waveform_length = dem Kopf folgen { $bytes } Byte, { $samples } Werte in { $encoding } brauchen { $expected }
