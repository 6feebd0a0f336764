/** Einzelwerte und ihre Quellen, as auscult/models/phrases/overall_values.py has them. */
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
  link_down: 'keine Verbindung zu {peer}: {detail}; neuer Versuch',
  register_refused: 'Register {address} wird abgelehnt: {detail}; das Registerverzeichnis prüfen',
  register_invalid: 'Register {address} enthält {value}, das Zeichen für einen fehlenden Messwert',
  node_unknown: 'der Server hat keinen Knoten {node}',
  push_port: 'Port {port} kann nicht geöffnet werden: {detail}',
};
