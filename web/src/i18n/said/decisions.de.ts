/**
 * Reasons, symptoms and what a baseline lacks, as auscult/auscult/contract/phrases/decisions.py has them.
 * „Lagerschadensfrequenz“, „Seitenband“ und Grenzen wie in DIN ISO 13373 und 20816.
 */
export const decisionsDe = {
  text: '{text}',
  parts: '{parts:;}',
  departs: 'weicht von der Referenz ab: {changes}',
  level_stays:
    'der Pegel bleibt: schon die letzten {windows} Fenster allein weichen im Mittel um {sigma:σ} ab',
  departs_together:
    'die Messpunkte weichen gemeinsam von der Referenz ab, einzeln noch keiner{changes:?; am meisten {point}: #}',
  diagnosis: '{fault:word} wahrscheinlich: {matched}{missing:?; nicht gefunden: #}',
  unclear: 'unklar: {faults:or} möglich',
  no_symptom: 'unklar: Das Leitsymptom keines Schadens ist vorhanden',
  bearing_fault:
    '{fault:word} ({bearing}{stage:?, Stufe #}): Linien bei {hz:Hz} und Vielfachen ({order} × {speed_rpm:r/min}{error_rpm:? ± #}), {db:dB} mehr, als die Welle erklärt; gefunden: {matched}{missing:?; nicht gefunden: #}',
  bearing_part_unclear:
    'Lager {bearing}, Teil unklar: {faults:or} erklären die Linien bei {order} × {speed_rpm:r/min} gleich gut',
  bearing_comb:
    'Lager, Teil unklar: eine Linienreihe bei {order} × {speed_rpm:r/min} ({hz:Hz}){bearing:?, die # nicht erklärt; den Lagertyp prüfen}: Außenring eines Lagers mit etwa {outer_balls} Kugeln oder Innenring eines Lagers mit etwa {inner_balls}',
  bearing_cage:
    'Lager {bearing}, Teil unklar: Die Hüllkurve schwankt mit dem Käfig ({order} × {speed_rpm:r/min}, {hz:Hz}; Kurtosis {kurtosis}): ein Wälzkörper oder der Käfig',
  line_in_spectrum: '{line} {order}× im Spektrum',
  no_bearing_fault:
    'kein Lagerschaden ragt heraus: {line} erklärt {db:dB} mehr als die Welle, {ahead_db:dB} mehr als der nächste',
  bearing_not_carried: 'unklar: Die Aufnahme kann die Lagerschadensfrequenzen nicht enthalten',
  limit: '{title}: {value:in unit} {direction:word} die Grenze „{level:word}“ von {limit:in unit}',
  forecast:
    '{title}: Hält der Trend an, ist die Grenze „{level:word}“ von {limit:in unit} {:when} erreicht',
  sensor_fault: 'Sensorstörung: {faults:word}',
  sensor_sensitivity:
    'Sensorstörung: Alle Bänder haben sich um {change_db:dB} verschoben; Einheit, Empfindlichkeit und Versorgung des Sensors prüfen',
  sensor_loose_mount: 'Sensorstörung: lose Befestigung mit Resonanz bei {hz:Hz}; Sensor festziehen',
  sensor_other_point:
    'Sensorstörung: Das Spektrum ist das von {other}; Kabel und Richtung des Sensors prüfen',
  sensor_open_cable:
    'Sensorstörung: Es kommt nur Rauschen an ({change_db:dB}); Kabel und Versorgung des Sensors prüfen',
  sensor_hum:
    'Sensorstörung: Netzbrummen um {change_db:dB} gestiegen; Schirm und Masse des Kabels prüfen',
  sensor_saturated:
    'Das Signal übersteuert {change_db:dB} gegenüber seinen gesunden Spitzen; Messbereich, Verstärkung und Versorgung des Sensors prüfen',
  sensor_zero:
    'Sensorstörung: Der Wert ist genau 0, wie nach einem Neustart des Geräts; Gerät prüfen, und angeben, wann die Maschine steht',
  silent: 'seit mehr als {after_s:s} kein Messwert',
  silent_since_start: 'seit dem Start des Gateways kein Messfenster: Zustand noch unbekannt',
  coasting: 'läuft aus: Der Zustand wird nicht beurteilt',
  speed_contradicts:
    'Die gemessene Drehzahl ist 0, die Schwingung ist die der laufenden Maschine; Drehzahlgeber oder Drehzahlwert prüfen',
  starting: 'läuft an: Der Zustand wird erst bei ruhigem Lauf beurteilt',
  worked_on: 'geplante Arbeit: Der Zustand wird erst nach ihrem Ende wieder beurteilt',
  not_running: 'außer Betrieb: Der Zustand wird nicht beurteilt',
  unseen_state:
    'Betriebszustand {:state} kam in der Referenz nie vor (am ähnlichsten: bei {nearest_:state})',
  fault_reported:
    '{actor} hat einen Schaden{kind:? (#)} gemeldet, den kein Ereignis angezeigt hatte',
  resembles:
    'ähnelt einem früheren Ereignis, das {actor} am {at_ms:day} als Schaden bestätigt hat{kind:? (#)}: {value:percent} Übereinstimmung',
  order_rose: 'Anstieg bei {order}× Drehfrequenz',
  no_shaft_fault: 'kein Wellenfehler erkennbar: keine Ordnung hat sich verdoppelt',
  axial_unknown:
    'kein axialer Messpunkt angegeben: Eine krumme Welle lässt sich nicht ausschließen',
  axial_steady: 'axiale Schwingung unverändert',
  axial_order_rose: 'Anstieg bei {order}× Drehfrequenz axial',
  axial_opposed_shaft: 'axial 1× an beiden Lagern der Welle gegenphasig',
  axial_opposed_coupling: 'axial 1× über die Kupplung gegenphasig',
  axial_together: 'axial 1× an beiden Lagern gleichphasig: fliegend gelagert',
  axial_phase_unknown: 'Phase zwischen zwei axialen Messpunkten mit gemeinsamer Uhr',
  radial_quarter_turn: 'eine Vierteldrehung zwischen horizontal und vertikal',
  harmonics_rose: 'Anstieg vieler Oberwellen',
  half_orders_rose: 'Anstieg halber Ordnungen',
  gear_residual_rose:
    'mittlere Umdrehung des Rades mit {teeth} Zähnen: {db:dB} über den regelmäßigen Eingriff',
  gear_one_tooth: 'eine Stelle der Umdrehung sticht heraus (FM4 {fm4})',
  gear_spread: 'über die Umdrehung verteilt (FM4 {fm4})',
  mesh_harmonics_rose: 'Anstieg höherer Oberwellen des Zahneingriffs',
  no_gear_fault:
    'kein Getriebefehler erkennbar: mittlere Umdrehungen wie bei der gesunden Maschine',
  order_steady: '{order}× Drehfrequenz unverändert',
  shaft_speeds_differ:
    'Wellenordnungen nicht vergleichbar: Die Drehzahl wurde nicht zweifelsfrei gefunden',
  no_drive_fault: 'kein Schaden von Antrieb oder Strömung sticht hervor',
  electrical_lines_rose: 'doppelte Netzfrequenz um {db:dB} gestiegen, mehr als alles andere',
  blades_lines_rose: 'Schaufelfrequenz um {db:dB} gestiegen, mehr als alles andere',
  belt_lines_rose: 'Vielfache der Riemenfrequenz um {db:dB} gestiegen, mehr als alles andere',
  noise_rose: 'Rauschen über 1 kHz um {db:dB} gestiegen, ohne Linien',
  slow_noise_rose: 'Rauschen unter der Drehfrequenz um {db:dB} gestiegen',
  blades_modulate: 'die Schaufeln modulieren es (Tiefe {depth})',
  contact_once_a_turn: 'ein Kontakt je Umdrehung klingt nach (Tiefe {depth})',
  current_bars:
    'Seitenbänder des Stroms bei doppelter Schlupffrequenz: {db:dB} zur Netzlinie, Schlupf {slip:percent}',
  current_gap: 'Seitenbänder des Stroms bei der Drehfrequenz: {db:dB} zur Netzlinie',
  bearing_impacts:
    'Lager, Teil unklar: Rauschen über 1 kHz um {db:dB} gestiegen und stoßhaltig (Kurtosis {kurtosis}), die Stöße folgen nicht der Welle',
  ultrasound_rose:
    '{fault:word}: Ultraschall {db:dB} über dem gesunden Pegel, Stufe {stage} von 4 (ab {from_db:dB})',
  level_grew: 'Pegel wuchs auf das {factor}-Fache ({low} bis {high}) in {span} {span_unit:word}',
  level_fell: 'Pegel fiel auf das {factor}-Fache ({low} bis {high}) in {span} {span_unit:word}',
  no_growth: 'kein Wachstum in {span} {span_unit:word} erkennbar',
  floor_rose:
    'Stöße gingen in Rauschen über: oberhalb 1 kHz {db:dB} über der gesunden Maschine, {orders} Wellenordnungen verdoppelt',
  other_part_fits: '{fault:word} von {bearing} hat dieselbe Frequenz',
  order_1_or_3_rose: 'Anstieg bei 1× oder 3× Drehfrequenz',
  bearing_lines_rose: 'Anstieg der Linien des Lagers',
  bearing_sidebands_rose: 'Anstieg ihrer Seitenbänder',
  envelope_steady: 'Hüllkurve unverändert',
  high_bands_rose: 'Anstieg hoher Frequenzbänder oder Stöße',
  impulsive: 'stoßhaltiges Signal',
  asymmetric: 'unsymmetrisches Signal',
  broad_band_rose: 'breitbandiger Anstieg',
  gear_mesh_moved: 'Zahneingriffspegel verändert',
  gear_sidebands_rose: 'Anstieg der Seitenbänder des Zahneingriffs',
  shaft_sidebands: 'Seitenbänder im Abstand der Drehfrequenz',
  line_frequency_rose: 'Anstieg bei doppelter Netzfrequenz',
  harmonic: '{line} {order}×',
  sidebands: '{line}-Seitenbänder',
  windows: '{count:# weiteres Fenster|# weitere Fenster}{point:? an Messpunkt #}',
  baseline_rises:
    '{point}: Mehrere Bänder sind im gesunden Zeitraum stetig um bis zu {change_db:dB} gestiegen; nach einem entstehenden Schaden suchen und nach der Reparatur einen neuen gesunden Zeitraum beginnen',
  baseline_groups:
    '{point}: Der gesunde Zeitraum enthält zwei Gruppen von Messfenstern, die kein Betriebszustand erklärt; den Unterschied angeben (Last, Produkt, Maschine) oder einen neuen gesunden Zeitraum beginnen',
  baseline_days: 'noch {hours:h} Betrieb',
  baseline_starts: 'noch {count:# Start|# Starts} der Maschine',
  state_windows: '{count:# weiteres Fenster|# weitere Fenster} bei {:state}',
  rare_state:
    '{:state} kam nur in {count:# Fenster|# Fenstern} vor: gehört nicht zur Referenz und gilt als nie gesehen',
  training_failed:
    'Das Training der Referenz ist fehlgeschlagen: {detail}; neuer Versuch nach {count:# weiteren Fenster|# weiteren Fenstern}; schlägt er auch fehl, einen neuen gesunden Zeitraum beginnen und diesen Text melden',
  drift:
    'die Merkmale wandern noch: Ein Viertel der Zeit liegt {sigma:σ} daneben, {allowed_sigma:σ} sind erlaubt',
  no_feature: 'Grenze an Messpunkt {point}: Er hat kein Merkmal {feature}; siehe docs/features.md',
  band_outside:
    'Grenze an Messpunkt {point}: Das Band {low_hz} bis {high_hz:Hz} muss zwischen {from_hz} und {to_hz:Hz} liegen und mindestens eine Viertel-Oktave breit sein',
  iso_support_unknown:
    'Die Aufstellung ist nicht angegeben: starr oder elastisch eintragen, damit ISO 20816-3 gilt',
  iso_too_large:
    '{power_kw:kW} liegen über dem Bereich von ISO 20816-3 (50 MW): stattdessen feste Grenzen setzen',
  iso_class_unknown:
    'Weder Nennleistung noch Gruppe sind angegeben: eines davon eintragen, damit ISO 20816 gilt',
  iso_unit_undeclared:
    '{points}: Die Einheit ist nicht angegeben; g, m/s² oder mm/s eintragen, damit ISO 20816 gilt',
};
