# English words of the source `recordings`. auscult/contract/words/en.ftl explains the functions.

wrong_kind = samples of { $kind }, the point is configured as { $configured }; correct one of them
recording_short = { $path }: ends after { $read } of { $frames } samples; copy the file again
manifest_no_machine = { $path }: machine { $machine } has no recordings; it has { $machines }
manifest_no_point = { $manifest } has no point { $point }; remove the point, or record it
