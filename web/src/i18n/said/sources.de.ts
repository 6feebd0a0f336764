/** What is wrong with sources, as auscult/auscult/contract/phrases/sources.py has it. */
export const sourcesDe = {
  source_ok: 'in Ordnung',
  source_ended: 'beendet',
  source_failed: 'ausgefallen: {detail}; startet von selbst neu; siehe Protokoll des Gateways',
  source_kind_unknown: 'keine Art von Quelle heißt {kind}; installiert sind {kinds}',
  source_kind_broken:
    'die Art von Quelle {kind} lässt sich nicht laden: {detail}; ihr Paket neu installieren',
  source_only_in_file:
    'Quellen der Art {kind} werden nur in der eigenen Datei des Gateways eingerichtet',
  source_not_from_page:
    'die Seite darf auf diesem Gateway keine Quellen der Art {kind} einrichten: in seiner Datei {kind} bei page_sources in [gateway] ergänzen und es neu starten',
  setting_not_from_page:
    'die Seite kann {key} nicht auf diesen Wert setzen; die Quelle in die eigene Datei des Gateways schreiben',
  package_missing: "das Paket {package} ist nicht installiert: pip install 'auscult[{extra}]'",
  library_missing: '{package} findet seine Bibliothek nicht ({detail}); sie installieren',
  point_takes_samples:
    'einzelne Werte, der Messpunkt nimmt Abtastwerte; einen anderen Punkt wählen',
  manifest_cells:
    '{path}: Zeile {row} hat mehr Zellen als der Kopf; eine Zelle mit dem Trennzeichen in Anführungszeichen setzen',
  file_format_unknown: '{path}: unbekanntes Format; bekannte Endungen sind {endings}',
  file_incomplete:
    '{path}: endet zu früh; die Datei wird noch geschrieben, oder sie erneut kopieren',
  recording_damaged:
    '{path}: nicht als {format} lesbar ({detail}); erneut kopieren oder exportieren',
  file_no_numbers: '{path}: keine Zeile mit Zahlen in den ersten {lines} Zeilen',
  file_line_cells: '{path}: Zeile {line} hat {cells} Zellen, erwartet werden {expected}',
  file_cell: '{path}: Zeile {line}: {value} ist weder eine Zahl noch eine Zeit',
  file_no_column: '{path}: {column} fehlt; vorhanden sind {columns}',
  file_no_rate: '{path}: nennt keine Abtastrate; fs_hz angeben oder die Zeitspalte nennen',
  file_rate:
    '{path}: {fs_hz:Hz} liegt außerhalb von {low} bis {high:Hz}; fs_hz oder die Einheit der Zeitspalte berichtigen',
  file_times_uneven:
    '{path}: die Schritte von {column} sind ungleich; Abtastwerte fehlen, oder fs_hz angeben',
  file_unit: '{path}: Kanal {channel} hat die Einheit {unit}, die kein Messpunkt hat; unit angeben',
  file_not_finite:
    '{path}: Kanal {channel} hat {count:# Abtastwert|# Abtastwerte} ohne Zahl; erneut exportieren',
  file_channels_differ:
    '{path}: Kanal {channel} hat eine andere Rate oder Länge als der erste; die Kanäle einzeln importieren',
  file_too_large:
    '{path} enthält entpackt {size} MB, höchstens {limit} MB passen in ein Viertel des Speichers dieses Rechners: in kürzere Aufzeichnungen teilen',
  file_refers:
    '{path}: die Zahlen von {channel} liegen in einer anderen Datei (externer oder virtueller Speicher); mit allen Daten in einer Datei exportieren',
  file_no_signal: '{path}: kein Kanal mit mindestens {samples} Abtastwerten',
  file_no_channel: '{path}: kein Kanal {channel}; vorhanden sind {channels}',
  file_name_time: '{path}: der Name enthält keine Zeit der Form {pattern}',
  file_too_old: '{path}: die Zeit liegt vor dem bereits Verarbeiteten',
  file_ends_program:
    '{path}: das Gateway endete {times} Mal, während es diese Datei las; vielleicht braucht sie mehr Speicher, als da ist: in kürzere Dateien teilen',
  file_in_future: '{path}: die Zeit liegt in der Zukunft; die Uhr berichtigen, die sie schrieb',
  folder_unreadable: '{path}: nicht lesbar ({detail})',
  folder_key: '{path}: {problem}',
  folder_no_files: '{path}: keine Datei passt auf {pattern}',
  files_set_aside: '{count:# Datei|# Dateien} beiseitegelegt; die Gründe liegen in {folder}',
  stream_unknown_sensor:
    'Telegramme des Sensors {sensor}, der nicht eingerichtet ist; ihn zu channels hinzufügen oder seine Kennung berichtigen',
  stream_silent:
    'kein Telegramm des Sensors {sensor} seit {after_s:s}; Stromversorgung und Netz prüfen',
  stream_time:
    'Sensor {sensor} sendet die Zeit {t0_ns}, die mehr als einen Tag von jetzt entfernt ist (ns seit 1970, UTC); seine Uhr stellen oder 0 senden',
  device_overruns: 'Abtastwerte {count:# Mal|# Mal} verloren: das Gerät wurde zu spät gelesen',
  device_absent:
    'kein Gerät {device}{devices:?; gefunden #}; anschließen oder den Namen berichtigen',
  device_ambiguous: '{device} nennt mehrere Geräte: {devices}; mehr vom Namen angeben',
  device_failed: '{device} arbeitet nicht ({detail})',
  device_silent: '{device} liefert seit {after_s:s} nichts; ist es angeschlossen?',
  device_rate:
    '{device} kann nicht mit {fs_hz:Hz} oder einem Vielfachen aufnehmen; üblich sind {usual_hz:Hz} mit {channels:# Kanal|# Kanälen}',
  sensor_open:
    'die Karte meldet einen offenen oder kurzgeschlossenen Sensor an Kanal {channel}; Sensor und Kabel prüfen',
  simulator_rates:
    'die Punkte einer simulierten Maschine brauchen eine gemeinsame Rate, sie haben {rates}',
  calibration_no_tone:
    '{point}: der Referenzton hat {share:percent} der Leistung, nötig sind 90%; den Kalibrator aufsetzen und andere Geräusche verringern',
  calibration_clipped: '{point}: der Ton erreicht die Vollaussteuerung; die Verstärkung verringern',
  set_no_converter: '{name}: {note}',
  frames_damaged: '{count:# Telegramm|# Telegramme} beschädigt',
  part_failed: 'ausgefallen: {detail}; startet von selbst neu; siehe Protokoll des Gateways',
  overload:
    'das Gateway kommt nicht nach: Maschinen ohne Anzeichen eines Schadens werden nur alle {pause_s:s} bewertet; Maschinen auf ein anderes Gateway verlegen oder weniger Kanäle oder niedrigere Raten messen',
  store_empty:
    '{path} war leer; eine neue Datenbank wurde angelegt, die Maschinen lernen von vorn; um das Gelernte zu behalten, das Gateway anhalten und eine Sicherung einspielen',
  store_damaged:
    'die Datenbank war beschädigt und liegt als {path} bereit; eine neue wurde angelegt, die Maschinen lernen von vorn; um das Gelernte zu behalten, das Gateway anhalten und eine Sicherung einspielen',
  store_salvaged:
    'die Datenbank war beschädigt und liegt als {path} bereit; {count:# Zeile war lesbar und wurde|# Zeilen waren lesbar und wurden} in eine neue übernommen; die übrigen sind verloren: um sie zurückzuholen, das Gateway anhalten und eine Sicherung einspielen',
  store_log_damaged:
    'das Protokoll der Datenbank war beschädigt (aufgehoben als {path}): {count:# Transaktion ist|# Transaktionen sind} verloren; bei Wiederholung den Datenträger ersetzen',
  client_id_taken:
    'Verbindungen zu {broker} enden nach Sekunden: Wahrscheinlich verwendet ein anderer Client die Kennung {client}; ihn beenden oder einem der beiden eine andere geben (gateway.id, site.id; beim Dashboard dashboard.client_id)',
  receipts_rejected:
    'Quittungen ohne Signatur eines vertrauten Dashboards werden abgelehnt, die genannten Nachrichten bleiben gespeichert: ein Dashboard aktualisieren, das älter als dieses Gateway ist, oder dessen Schlüssel in [gateway] dashboard_keys eintragen; läuft kein solches Dashboard, die Passwörter des Brokers ändern',
  gateway_duplicate:
    'ein zweites Gateway mit demselben Standort und derselben id sendet; seine Maschinen werden nicht gezeigt: es beenden oder seine gateway.id ändern',
  source_not_connected: 'nicht mit seinem Broker verbunden',
  source_no_thread:
    'kein Thread mehr frei: Die Grenze des Systems für diesen Prozess ist erreicht; sie anheben (TasksMax der Unit, pids_limit des Containers) oder Maschinen auf ein anderes Gateway verteilen',
  sources_no_thread:
    'für {count:# Quelle|# Quellen} kein Thread mehr frei: Die Grenze des Systems für diesen Prozess ist erreicht; sie anheben (TasksMax der Unit, pids_limit des Containers) oder Maschinen auf ein anderes Gateway verteilen',
  subscription_refused:
    'der Broker lehnt das Abonnement von {topic} ab; das Lesen{user:? für Benutzer #} in seiner Zugriffsliste erlauben',
  nothing_on_topic:
    'in {after_s:s} kam auf {topic} nichts an. Entweder veröffentlicht dort niemand etwas, oder der Broker hält es zurück: Mosquitto meldet einem Client nicht, welche Topics die Zugriffsliste sperrt. Zum Freigeben in der Liste{user:? unter „user #“} die Zeile „topic read {line}“ ergänzen',
  no_numbers_on_topic:
    '{count:# Nachricht kam|# Nachrichten kamen} auf {topic} an, keine mit einer Zahl in JSON',
  not_processed: 'nicht zu verarbeiten: {detail}; siehe Protokoll des Gateways',
  source_part: '{what}: {problem}',
  messages_lost: '{count:# Nachricht|# Nachrichten} verloren',
  blocks_dropped: '{count:# Block|# Blöcke} verworfen: Das Gateway war zu langsam',
  node_dead: 'Edge Node {node} ist abgemeldet',
  device_dead: 'Gerät {device} ist abgemeldet',
  point_not_configured:
    'Messpunkt {point} ist nicht eingerichtet; einrichten oder an der Quelle entfernen',
  wrong_rate:
    'Messwerte mit {fs_hz:Hz}, der Messpunkt ist mit {configured_hz:Hz} eingerichtet; eines davon berichtigen',
  wrong_unit:
    'Messwerte in {unit}, der Messpunkt ist mit {configured} eingerichtet; eines davon berichtigen',
  wrong_kind:
    'Messwerte der Art {kind}, der Messpunkt ist als {configured} eingerichtet; eines davon berichtigen',
  no_waveform: '{what} ist kein Zeitsignal: {problem}',
  waveform_length:
    'dem Kopf folgen {bytes} Byte, {samples} Werte in {encoding} brauchen {expected}',
  sampling_clock:
    'Sensorstörung: Nach den Zeiten seiner Blöcke misst er mit etwa {hz:Hz}, angegeben sind {fs_hz:Hz}; Rate berichtigen oder Sensor ersetzen',
  samples_not_finite: 'Messwerte sind keine endlichen Zahlen',
  samples_count: '{count} Messwerte, erwartet sind 1 bis {limit}',
  bytes_do_not_fit: '{bytes} Byte sind keine ganze Zahl von Werten in {encoding}',
  not_json: 'kein JSON: {payload}',
  no_value_at: 'kein Wert bei {pointer}',
  not_a_number: '{value} ist keine Zahl',
  value_too_large:
    '{value} liegt jenseits von ±{limit} und ist darum kein Messwert: Zahlentyp, Wortfolge und Skalierung prüfen',
  not_sparkplug: '{kind} ist keine Sparkplug-B-Nachricht',
  sparkplug_no_sequence: '{kind} hat keine laufende Nummer von 0 bis 255',
  metric_empty: 'die Metrik hat keinen Wert',
  metric_bad_quality: 'die Qualität der Metrik ist nicht gut',
  metric_no_samples:
    'die Metrik ist vom Typ {datatype}; erwartet ist ein DataSet, ein Feld oder Bytes',
  metric_time: 'die Zeit der Metrik, {t_ms}, ist nicht in ms seit 1970 oder von einer falschen Uhr',
  data_set_no_columns: 'das DataSet hat keine Spalten oder eine andere Zahl von Typen',
  data_set_no_column: 'das DataSet hat keine Spalte {column}; es hat {columns}',
  data_set_short_row: 'Zeile {row} des DataSet ist zu kurz',
  data_set_no_number: 'Zeile {row} des DataSet enthält keine Zahl',
  recording_unreadable:
    '{path}: nicht als WAV oder FLAC lesbar{detail:? (#)}; die Datei noch einmal kopieren',
  recording_short: '{path}: endet nach {read} von {frames} Werten; die Datei noch einmal kopieren',
  manifest_unreadable:
    '{path}: nicht lesbar ({detail}); ein einfacher Ordner braucht recordings.toml oder die Ordner healthy und faulty: docs/sensors/files.md',
  manifest_no_column: '{path}: Spalte {column} fehlt; nötig sind {columns}',
  manifest_empty: '{path}: keine Aufnahmen; eine Zeile je Kanal eintragen',
  manifest_no_machine: '{path}: Maschine {machine} hat keine Aufnahmen; vorhanden: {machines}',
  manifest_no_point:
    '{manifest} hat keinen Messpunkt {point}; den Messpunkt entfernen oder aufnehmen',
  manifest_row: '{path}: Zeile {row}: {column} = „{value}“: {problem}',
  manifest_disagrees: 'Zeile {row} derselben Aufnahme hat „{value}“; beide angleichen',
  manifest_rate: 'die Datei hat {fs_hz:Hz}; das Manifest berichtigen',
  manifest_doubled: 'in Aufnahme {recording} doppelt vergeben',
  not_audio: 'nicht als WAV oder FLAC lesbar ({detail})',
  bursts_incomplete: 'Messdauer und Abstand (burst_s, interval_s) zusammen angeben oder keins',
  empty: 'darf nicht leer sein',
  first_word_of: 'das erste Wort muss eines von diesen sein: {choices}',
  number_between: 'muss eine Zahl von {low} bis {high} sein',
  limit_empty: 'Grenze auf {feature}: Warnung, Alarm oder beides angeben',
  limit_order:
    'Grenze auf {feature}: Die Warnung bei {warning} muss vor dem Alarm bei {alarm} erreicht werden',
  volts_without_sensitivity: 'die Einheit V braucht eine Empfindlichkeit mit Einheit',
  envelope_incomplete: 'bei der Hüllkurve beide Grenzen angeben oder keine',
  envelope_outside_rate:
    'die Grenzen der Hüllkurve, {low_hz} und {high_hz}, müssen ansteigen und unter {limit_hz:Hz} liegen, der halben Abtastrate',
  point_id_twice: 'Maschine {machine} hat den Messpunkt {point} doppelt',
  id_malformed:
    'Kennung {id}: 1 bis 64 Buchstaben, Ziffern, „_“, „.“ oder „-“, am Anfang ein Buchstabe oder eine Ziffer',
  id_reserved: 'die Kennung {id} ist im MQTT-Themenbaum vergeben: eine andere wählen',
  named_twice: '{what:word} „{name}“ ist doppelt genannt',
  topic_wildcard: 'Thema {topic} hat einen Platzhalter: ein einzelnes Thema nennen',
  source_machine_unknown:
    'die Quelle spielt Maschine {machine}, die nicht eingerichtet ist: unter [[machines]] aufnehmen oder as_machine setzen',
  certificate_incomplete: 'cert_file und key_file gehören zusammen: beide angeben oder keins',
  key_malformed:
    'ein öffentlicher Schlüssel hat {digits} hexadezimale Ziffern; „auscult delta key“ zeigt den eines Gateways',
  broker_twice: 'brokers: Host und Port doppelt; jeden Broker einmal nennen',
  opcua_no_user:
    'kein Benutzer kann sich anmelden: [[opcua.users]] ergänzen oder anonymous = true setzen',
  opcua_readable_passwords:
    'modes = ["none"] würde Passwörter lesbar übertragen: „sign_and_encrypt“ in modes aufnehmen',
  opcua_user_twice: 'users: ein Name ist doppelt',
  shaft_twice: 'Maschine {machine} hat eine Welle doppelt; 1 ist die gemessene Welle',
  shaft_unknown: 'Maschine {machine} hat keine Welle {shaft}; mit ihrer Übersetzung eintragen',
  shaft_ratio:
    'Welle {shaft} hat die Übersetzung {ratio}, ihre Verzahnung nach den Zähnen aber {by_teeth}',
  point_bearing_unknown: 'Messpunkt {point} nennt das Lager {name}, das die Maschine nicht hat',
  bearing_incomplete:
    'Lager {name}: balls, ball_diameter_mm und pitch_diameter_mm angeben, oder mindestens einen ' +
    'der Werte bpfo, bpfi, bsf, ftf als Vielfaches der Drehfrequenz',
  bearing_not_described:
    'Lager {name} steht nicht im Katalog: Zahl und Durchmesser der Wälzkörper angeben, oder die ' +
    'Herstellerwerte bpfo, bpfi, bsf, ftf als Vielfache der Drehfrequenz',
  bearing_races_swapped: 'BPFO {bpfo} ist nicht kleiner als BPFI {bpfi}: vielleicht vertauscht',
  belt_too_short: 'ein Riemen von {length:mm} ist kürzer als der Umfang {least:mm} seiner Scheibe',
};
