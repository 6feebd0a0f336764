"""What is wrong with settings, sources, tags and links of a gateway."""

from typing import Final

SOURCES: Final[dict[str, str]] = {
    # how a source is
    "source_ok": "ok",
    "source_ended": "ended",
    "source_failed": "failed: {detail}; it starts again by itself; see the gateway's log",
    # what is wrong with a part of the gateway
    "part_failed": "failed: {detail}; it starts again by itself; see the gateway's log",
    "overload": "the gateway can't keep up: machines without a sign of a fault are scored every "
    "{pause_s:s} only; move machines to another gateway, or measure fewer channels or at lower "
    "rates",
    "store_empty": "{path} was empty; a new database was made, and machines learn from the start; "
    "to keep what they learned, stop the gateway and restore a backup",
    "store_damaged": "the database was damaged and is kept as {path}; a new one was made, and "
    "machines learn from the start; to keep what they learned, stop the gateway and restore a "
    "backup",
    "store_salvaged": "the database was damaged and is kept as {path}; "
    "{count:# row|# rows} could be read and copied into a new one; the others are lost: to get "
    "them back, stop the gateway and restore a backup",
    "store_log_damaged": "the log of the database was damaged (kept as {path}): "
    "{count:# transaction is|# transactions are} lost; replace the disk if this repeats",
    "client_id_taken": "connections to {broker} end within seconds: another client probably uses "
    "the client id {client}; end it, or give one of the two another id (gateway.id, site.id; of a "
    "dashboard dashboard.client_id)",
    "receipts_rejected": "receipts without the signature of a trusted dashboard are rejected, and "
    "the messages that they name are kept: update a dashboard that is older than this gateway, put "
    "its key into [gateway] dashboard_keys; if no such dashboard runs, change the passwords of the "
    "broker",
    "gateway_duplicate": "a second gateway with the same site and id publishes; its machines are "
    "not shown: end it, or change its gateway.id",
    "source_kind_unknown": "no kind of source is named {kind}; installed are {kinds}",
    "source_kind_broken": "the kind of source {kind} can't be loaded: {detail}; install its "
    "package again",
    "source_only_in_file": "sources of kind {kind} are set up in the gateway's own file only",
    "source_not_from_page": "the page may not set up sources of kind {kind} on this gateway: add "
    "{kind} to page_sources in [gateway] of its file and restart it",
    "setting_not_from_page": "the page can't set {key} to this value; put the source in the "
    "gateway's own file",
    "package_missing": "the package {package} is not installed: pip install 'auscult[{extra}]'",
    "library_missing": "{package} does not find its library ({detail}); install it",
    "source_not_connected": "not connected to its broker",
    "source_no_thread": "no thread is left for it: the system's limit for this process is reached; "
    "raise it (TasksMax of the unit, pids_limit of the container), or move machines to another "
    "gateway",
    "sources_no_thread": "no thread is left for {count:# source|# sources}: the system's limit for "
    "this process is reached; raise it (TasksMax of the unit, pids_limit of the container), or "
    "move machines to another gateway",
    "subscription_refused": "the broker refuses the subscription to {topic}; let{user:? user #} "
    "read it in the broker's access list",
    "nothing_on_topic": "nothing arrived on {topic} within {after_s:s}. Either no one publishes "
    "there, or the broker withholds it: Mosquitto does not report to a client which topics its "
    'access list closes. To open it, add "topic read {line}"{user:? below "user #"} to that list',
    "no_numbers_on_topic": "{count:# message|# messages} arrived on {topic}, none with a number in "
    "JSON",
    "not_processed": "can't be processed: {detail}; see the gateway's log",
    "source_part": "{what}: {problem}",
    "messages_lost": "{count:# message|# messages} lost",
    "blocks_dropped": "{count:# block|# blocks} dropped: the gateway was too slow",
    "node_dead": "edge node {node} is dead",
    "device_dead": "device {device} is dead",
    # samples that do not fit the point
    "point_not_configured": "point {point} is not configured; add it, or remove it at the source",
    "wrong_rate": "samples at {fs_hz:Hz}, the point is configured with {configured_hz:Hz}; "
    "correct one of them",
    "wrong_unit": "samples in {unit}, the point is configured with {configured}; correct one of "
    "them",
    "wrong_kind": "samples of {kind}, the point is configured as {configured}; correct one of them",
    "point_takes_samples": "single values, the point takes samples; choose another point",
    # messages that can't be used
    "no_waveform": "{what} is no waveform: {problem}",
    "waveform_length": "{bytes} bytes follow the header, {samples} samples of {encoding} take "
    "{expected}",
    "sampling_clock": "sensor fault: by the times of its blocks it samples at about {hz:Hz}, "
    "stated are {fs_hz:Hz}; correct the rate or replace the sensor",
    "samples_not_finite": "samples are not finite numbers",
    "samples_count": "{count} samples, 1 to {limit} are expected",
    "bytes_do_not_fit": "{bytes} bytes are no whole number of {encoding}",
    "not_json": "no JSON: {payload}",
    "no_value_at": "no value at {pointer}",
    "not_a_number": "{value} is not a number",
    "value_too_large": "{value} is beyond ±{limit}, so it is no measurement: check the number's "
    "type, word order and scale",
    "not_sparkplug": "{kind} is no Sparkplug B payload",
    "sparkplug_no_sequence": "{kind} has no sequence number of 0 to 255",
    "metric_empty": "the metric has no value",
    "metric_bad_quality": "the metric's quality is not good",
    "metric_no_samples": "the metric is of type {datatype}, a DataSet, an array or Bytes is "
    "expected",
    "metric_time": "the metric's time, {t_ms}, is not in ms since 1970 or of a wrong clock",
    "data_set_no_columns": "the DataSet has no columns, or another number of types",
    "data_set_no_column": "the DataSet has no column {column}; it has {columns}",
    "data_set_short_row": "row {row} of the DataSet is too short",
    "data_set_no_number": "row {row} of the DataSet holds no number",
    # manifests of recordings
    "recording_unreadable": "{path}: can't be read as WAV or FLAC{detail:? (#)}; copy the file "
    "again",
    "recording_short": "{path}: ends after {read} of {frames} samples; copy the file again",
    "manifest_unreadable": "{path}: can't be read ({detail}); a plain folder of files needs "
    "recordings.toml or folders healthy and faulty: docs/sensors/files.md",
    "manifest_no_column": "{path}: column {column} is missing; required are {columns}",
    "manifest_cells": "{path}: row {row} has more cells than the header; put a cell that holds the "
    "separator in quotes",
    "manifest_empty": "{path}: no recordings; add one row for each channel",
    "manifest_no_machine": "{path}: machine {machine} has no recordings; it has {machines}",
    "manifest_no_point": "{manifest} has no point {point}; remove the point, or record it",
    "manifest_row": "{path}: row {row}: {column} = '{value}': {problem}",
    "manifest_disagrees": "row {row} of the same recording has '{value}'; make them agree",
    "manifest_rate": "the file has {fs_hz:Hz}; correct the manifest",
    "manifest_doubled": "used twice in recording {recording}",
    "not_audio": "can't be read as WAV or FLAC ({detail})",
    "bursts_incomplete": "give burst_s and interval_s together, or neither",
    # raw streams, cards and microphones
    "stream_unknown_sensor": "frames of sensor {sensor}, which is not configured; add it to "
    "channels, or correct the sensor's id",
    "stream_silent": "no frame of sensor {sensor} for {after_s:s}; check its power and network",
    "stream_time": "sensor {sensor} sends the time {t0_ns}, which is not within a day of now (ns "
    "since 1970, UTC); set its clock, or send 0",
    "device_overruns": "samples lost {count:# time|# times}: the device was read too late",
    "device_absent": "no device {device}{devices:?; found #}; plug it in, or correct its name",
    "device_ambiguous": "{device} names several devices: {devices}; give more of the name",
    "device_failed": "{device} does not work ({detail})",
    "device_silent": "{device} delivers nothing for {after_s:s}; is it plugged in?",
    "device_rate": "{device} can't record at {fs_hz:Hz} or a multiple; its usual rate is "
    "{usual_hz:Hz} with {channels:# channel|# channels}",
    "sensor_open": "the card reports an open or short sensor at channel {channel}; check sensor "
    "and cable",
    "simulator_rates": "the points of a simulated machine need one rate, they have {rates}",
    "calibration_no_tone": "{point}: a reference tone has {share:percent} of the power, at least "
    "90% are needed; put the calibrator on the microphone, and reduce other noise",
    "calibration_clipped": "{point}: the tone reaches full scale; reduce the gain",
    "frames_damaged": "{count:# frame|# frames} damaged",
    # files of any format
    "file_format_unknown": "{path}: unknown format; known endings are {endings}",
    "file_incomplete": "{path}: ends too early; it is still written, or copy it again",
    "recording_damaged": "{path}: can't be read as {format} ({detail}); copy or export it again",
    "file_no_numbers": "{path}: no line of numbers within the first {lines} lines",
    "file_line_cells": "{path}: line {line} has {cells} cells, {expected} are expected",
    "file_cell": "{path}: line {line}: {value} is neither a number nor a time",
    "file_no_column": "{path}: there is no {column}; it holds {columns}",
    "file_no_rate": "{path}: states no sampling rate; give fs_hz, or name the time column",
    "file_rate": "{path}: {fs_hz:Hz} is outside {low} to {high:Hz}; correct fs_hz or the unit of "
    "the time column",
    "file_times_uneven": "{path}: the steps of {column} differ; samples are missing, or give fs_hz",
    "file_unit": "{path}: channel {channel} has the unit {unit}, which no point has; give unit",
    "file_not_finite": "{path}: channel {channel} has {count:# sample|# samples} without a number; "
    "export it again",
    "set_no_converter": "{name}: {note}",
    "file_channels_differ": "{path}: channel {channel} has another rate or length than the first; "
    "import the channels one by one",
    "file_too_large": "{path} holds {size} MB once unpacked, at most {limit} MB fit into a quarter "
    "of this computer's memory: split it into shorter recordings",
    "file_refers": "{path}: the numbers of {channel} lie in another file (external or virtual "
    "storage); export it with all data in one file",
    "file_no_signal": "{path}: no channel of at least {samples} samples",
    "file_no_channel": "{path}: no channel {channel}; it holds {channels}",
    "file_name_time": "{path}: the name holds no time in the form {pattern}",
    "file_too_old": "{path}: its time lies before what was processed already",
    "file_ends_program": "{path}: the gateway ended {times} times while it read this file; "
    "it may need more memory than there is: cut it into shorter files",
    "file_in_future": "{path}: its time lies in the future; correct the clock that wrote it",
    "folder_unreadable": "{path}: can't be read ({detail})",
    "folder_key": "{path}: {problem}",
    "folder_no_files": "{path}: no file matches {pattern}",
    "files_set_aside": "{count:# file|# files} rejected; the reasons are in {folder}",
    # cells of a manifest
    "empty": "must not be empty",
    "first_word_of": "the first word must be one of {choices}",
    "number_between": "must be a number from {low} to {high}",
    # settings of machines and gateways
    "limit_empty": "limit on {feature}: give warning, alarm or both",
    "limit_order": "limit on {feature}: warning {warning} must be reached before alarm {alarm}",
    "volts_without_sensitivity": "unit V needs sensitivity_mv and sensitivity_unit",
    "envelope_incomplete": "give both envelope_low_hz and envelope_high_hz, or neither",
    "envelope_outside_rate": "envelope_low_hz = {low_hz} and envelope_high_hz = {high_hz} must "
    "rise and lie below {limit_hz:Hz}, half the sampling rate",
    "shaft_twice": "machine {machine} has a shaft id twice; 1 is the measured shaft",
    "shaft_unknown": "machine {machine} has no shaft {shaft}; add it to shafts with its ratio",
    "shaft_ratio": "shaft {shaft} has ratio {ratio}, but its gear has {by_teeth} by its teeth",
    "point_bearing_unknown": "point {point} names bearing {name}, which the machine does not have",
    "bearing_incomplete": "bearing {name}: give balls, ball_diameter_mm and pitch_diameter_mm, or "
    "at least one of bpfo, bpfi, bsf, ftf in orders of shaft speed",
    "bearing_not_described": "bearing {name} is not in the catalogue: give its number of balls and "
    "diameters, or the maker's bpfo, bpfi, bsf, ftf in orders of shaft speed",
    "bearing_races_swapped": "BPFO {bpfo} is not less than BPFI {bpfi}: they may be swapped",
    "belt_too_short": "a belt of {length:mm} is shorter than the circumference {least:mm} of its "
    "pulley",
    "point_id_twice": "machine {machine} has point id {point} twice",
    "id_malformed": "id {id}: use 1 to 64 letters, digits, '_', '.' or '-', starting with a letter "
    "or digit",
    "id_reserved": "id {id} is a word of the MQTT topic tree: choose another",
    "named_twice": "{what:word} {name} is named twice",
    "topic_wildcard": "topic {topic} has a wildcard: name one topic",
    "source_machine_unknown": "source plays machine {machine}, which is not configured: add it "
    "under [[machines]] or set as_machine",
    "certificate_incomplete": "cert_file and key_file belong together: give both or neither",
    "key_malformed": "a public key is {digits} hexadecimal digits; `auscult delta key` shows a "
    "gateway's",
    "broker_twice": "brokers: the same host and port twice; name each broker once",
    "opcua_no_user": "no user may log in: add [[opcua.users]] or set anonymous = true",
    "opcua_readable_passwords": "modes = ['none'] would send passwords readable: add "
    "'sign_and_encrypt' to modes",
    "opcua_user_twice": "users: the same name twice",
}
