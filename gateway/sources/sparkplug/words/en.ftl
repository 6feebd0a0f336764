# English words of the source `sparkplug`. auscult/contract/words/en.ftl explains the functions.

node_dead = edge node { $node } is dead
device_dead = device { $device } is dead
samples_count = { $count } samples, 1 to { $limit } are expected
bytes_do_not_fit = { $bytes } bytes are no whole number of { $encoding }
not_sparkplug = { $kind } is no Sparkplug B payload
sparkplug_no_sequence = { $kind } has no sequence number of 0 to 255
metric_bad_quality = the metric's quality is not good
metric_no_samples = the metric is of type { $datatype }, a DataSet, an array or Bytes is expected
metric_time = the metric's time, { $t_ms }, is not in ms since 1970 or of a wrong clock
data_set_no_columns = the DataSet has no columns, or another number of types
data_set_no_column = the DataSet has no column { $column }; it has { $columns }
data_set_short_row = row { $row } of the DataSet is too short
data_set_no_number = row { $row } of the DataSet holds no number
