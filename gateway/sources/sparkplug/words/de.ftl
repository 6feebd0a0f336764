# German words of the source `sparkplug`.

node_dead = Edge Node { $node } ist abgemeldet
device_dead = Gerät { $device } ist abgemeldet
samples_count = { $count } Messwerte, erwartet sind 1 bis { $limit }
bytes_do_not_fit = { $bytes } Byte sind keine ganze Zahl von Werten in { $encoding }
not_sparkplug = { $kind } ist keine Sparkplug-B-Nachricht
sparkplug_no_sequence = { $kind } hat keine laufende Nummer von 0 bis 255
metric_bad_quality = die Qualität der Metrik ist nicht gut
metric_no_samples = die Metrik ist vom Typ { $datatype }; erwartet ist ein DataSet, ein Feld oder Bytes
metric_time = die Zeit der Metrik, { $t_ms }, ist nicht in ms seit 1970 oder von einer falschen Uhr
data_set_no_columns = das DataSet hat keine Spalten oder eine andere Zahl von Typen
data_set_no_column = das DataSet hat keine Spalte { $column }; es hat { $columns }
data_set_short_row = Zeile { $row } des DataSet ist zu kurz
data_set_no_number = Zeile { $row } des DataSet enthält keine Zahl
