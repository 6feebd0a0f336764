# English words of the source `mqtt`. auscult/contract/words/en.ftl explains the functions.

waveform_length = { $bytes } bytes follow the header, { $samples } samples of { $encoding } take { $expected }
