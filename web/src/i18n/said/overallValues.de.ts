/** Einzelwerte und ihre Quellen, as auscult/auscult/contract/phrases/overall_values.py has them. */
export const overallValuesDe = {
  unit_unknown: 'Einheit {unit}: eine von diesen wählen: {units}',
  rate_too_low: 'fs_hz = {fs_hz}: Abtastwerte brauchen mindestens {limit_hz:Hz}',
  only_for_values:
    'Messpunkt {point}: quantity, interval_s, resolution, counter und state gehören zur Art „value“; entfernen',
  value_incomplete: 'Messpunkt {point}: ein Einzelwert braucht Messgröße und Abstand',
  value_has_no_rate: 'Messpunkt {point}: ein Einzelwert hat keine Abtastrate; entfernen',
  counter_needs_plain_quantity:
    'die Messgröße {quantity} kann nicht gezählt werden; „other“ verwenden',
  point_takes_values:
    'Abtastwerte, der Messpunkt nimmt Einzelwerte; einen anderen Messpunkt wählen',
  clip_of_value: '{point} hat Einzelwerte und kein Signal',
  tag_not_categorical:
    '{value} ist ein Messwert: dem Prozesswert {name} eine Auflösung geben oder einen Messpunkt der Art „value“ daraus machen',
  time_not_plausible:
    'die Zeit {t_ns} liegt {days:d} neben der Uhr des Gateways; ns seit 1970 in UTC senden und die Uhren prüfen',
  time_unit: 'die Zeit {t_ns} ist in {unit}, nicht in ns seit 1970; den Sender berichtigen',
  time_malformed: 'die Zeit {value} ist weder ISO 8601 noch eine Zahl seit 1970',
  no_value_by: 'kein Wert unter {path}; die Nachricht hat {keys}',
  path_malformed: '{path} ist kein JMESPath-Ausdruck: {detail}',
  value_quality: 'seine Qualität ist {quality}',
  preview_busy: 'eine andere Vorschau hört gerade zu; in einigen Sekunden wieder versuchen',
  preview_no_broker: 'der Broker antwortet nicht; seine Verbindung prüfen, dann wieder versuchen',
  template_unknown: 'es gibt keine Vorlage {name}; es gibt {names}',
  template_value_unknown: 'die Vorlage {template} hat keinen Wert {name}; sie hat {names}',
  mapping_incomplete: 'Wert des Messpunkts {point}: angeben: {keys}',
  link_down: 'keine Verbindung zu {peer}: {detail}',
  reach_refused:
    'die Verbindung wird abgelehnt; den Port prüfen und ob das Protokoll am Gerät eingeschaltet ist',
  reach_silent:
    'keine Antwort innerhalb von {after_s:s}; Adresse, Stromversorgung, Netz und Firewall prüfen',
  reach_no_name: 'der Name {host} ist unbekannt; ihn prüfen oder die IP-Adresse eingeben',
  reach_no_route: 'das Gateway hat keinen Weg zu {host}; Adresse und Netz des Gateways prüfen',
  reach_ended: 'die Verbindung wurde beendet; prüfen, ob das Gerät eine weitere Verbindung annimmt',
  reach_no_line:
    'es gibt keine serielle Leitung {port}; den Adapter einstecken oder den Namen berichtigen',
  reach_line_denied:
    'das Gateway darf {port} nicht öffnen; seinen Benutzer in die Gruppe der seriellen Leitungen aufnehmen (dialout)',
  reach_line_used:
    'ein anderes Programm benutzt {port}; es beenden, denn nur eines kann eine serielle Leitung benutzen',
  line_differs:
    'die Quellen von {machine} und {second} teilen die Leitung {line}, aber {key} ist {value} bei der einen und {second_value} bei der anderen; beiden den gleichen Wert geben',
  modbus_unanswered:
    'die Gerätenummer {unit_id} antwortet nicht; sie prüfen, an einer seriellen Leitung auch Baudrate, Parität und Verdrahtung',
  modbus_function: 'das Gerät hat keine solche Tabelle; Holding- oder Input-Register wählen',
  modbus_address: 'das Gerät hat dort kein Register; Adresse, Typ der Zahl und Gerät prüfen',
  modbus_gateway: 'das Modbus-Gateway erreicht das Gerät nicht; die Gerätenummer prüfen',
  modbus_exception:
    'das Gerät antwortet mit Ausnahme {number}; im Handbuch des Geräts nachschlagen',
  opcua_login:
    'der Server weist die Anmeldung ab; Benutzer und Passwort dieser Quelle in der Datei des Gateways einrichten',
  opcua_certificate:
    'ein Zertifikat wird abgelehnt ({detail}); dem Zertifikat des Gateways auf dem Server vertrauen und certificate_file und key_file in der Datei des Gateways setzen',
  opcua_security:
    'der Server bietet diese Absicherung nicht an; certificate_file und key_file in der Datei des Gateways setzen',
  register_refused: 'Register {address} wird abgelehnt: {detail}',
  register_invalid: 'Register {address} enthält {value}, das Zeichen für einen fehlenden Messwert',
  node_unknown: 'der Server hat keinen Knoten {node}; Namensraum (ns=) und Bezeichner prüfen',
  node_malformed: '{node} ist keine Node-Id; so schreiben: ns=2;s=Pump1.Temperature',
  push_port: 'Port {port} kann nicht geöffnet werden: {detail}; einen anderen Port wählen',
  push_token: 'eine Anfrage ohne das richtige Token kam an; das Token des Senders berichtigen',
  trial_busy: 'gerade wird eine andere Quelle ausprobiert; in einigen Sekunden wieder versuchen',
  trial_often:
    '{limit} Quellen wurden innerhalb einer Minute ausprobiert; in {wait_s:s} wieder versuchen',
  trial_only_values: 'Quellen der Art {kind} haben keine Vorschau; sie ist für Einzelwerte',
  trial_too_many: '{count} Werte; eine Vorschau liest höchstens {limit}',
  trial_port_used: 'Maschine {machine} empfängt schon an Port {port}; einen anderen Port wählen',
  trial_nothing: 'innerhalb von {after_s:s} kam nichts an',
  trial_nothing_pushed:
    'an Port {port} kam innerhalb von {after_s:s} nichts an; den Sender senden lassen, dann wieder versuchen',
  trial_failed: 'die Quelle arbeitet nicht ({detail})',
  trial_done: '{count} von {all} Werten sind angekommen',
};
