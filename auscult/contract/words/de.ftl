# German: the words of each code that gateway, dashboard and page show. en.ftl says how to add one.


## Cases: headline, urgency, and the state of the plant

# headlines

case_fault = { WORD($fault) }{ OPTIONAL(", ", $point) }{ OPTIONAL(", Lager ", $bearing) }
case_zone = Schwingung in Zone { $zone }{ OPTIONAL(", ", $point) }
case_limit = { $title } jenseits der Grenze „{ WORD($level) }“{ OPTIONAL(", ", $point) }
case_value =
    { $title } { $direction ->
        [below] unter
       *[other] über
    } dem, was die Referenz erklärt{ OPTIONAL(", ", $point) }
case_relation =
    { $title } { $direction ->
        [below] unter
       *[other] über
    } dem, was { WORD($others, joint: " und ") } { $count ->
        [one] erklärt
       *[other] erklären
    }{ OPTIONAL(", ", $point) }
case_sensor = verändert, womöglich durch eine Sensorstörung: Sensor und Maschine prüfen{ OPTIONAL(", ", $point) }
trouble_sensor = { OPTIONAL($point, ": ") }{ $reason }
trouble_machine = kein Signal der Maschine: { $reason }
trouble_supply = { $count } Maschinen von { $area } sind zusammen verstummt
trouble_gateway =
    Gateway { $gateway } ist nicht erreichbar: { $count ->
        [one] { $count } Maschine wird
       *[other] { $count } Maschinen werden
    } nicht überwacht
trouble_broker =
    keine Verbindung zum Broker: { $count ->
        [one] { $count } Maschine wird
       *[other] { $count } Maschinen werden
    } nicht überwacht
case_moved = verändert: { WORD($moves, joint: ", ") }; Ursache noch unklar{ OPTIONAL(", ", $point) }
case_unclear = verändert, Ursache noch unklar{ OPTIONAL(", ", $point) }
moved_band = { $db } dB { WORD($direction) } bei { QUANTITY($hz, "Hz") }
moved_order = { $db } dB { WORD($direction) } bei { $order }× Drehzahl
moved_mesh = { $db } dB { WORD($direction) } am Zahneingriff

# urgency

urgency_over = vorbei: Die Maschine liegt wieder in ihrer Referenz
urgency_over_lost = hier abgeschlossen: Das Gateway kennt es nicht mehr, kein Fenster maß sein Ende
urgency_over_learning = vorbei ohne gemessenes Ende: Die Maschine lernte eine neue Referenz
urgency_lost = das Gateway hat sein Gedächtnis verloren, zuletzt bekannt: { WORD($level) }
urgency_zone_d = Zone D, { QUANTITY($value, "mm/s") }: Die Schwingung kann Schäden verursachen
urgency_zone_c = Zone C, { QUANTITY($value, "mm/s") }: nicht für Dauerbetrieb
urgency_limit_passed = jenseits der Alarmgrenze, die der Betrieb gesetzt hat
urgency_warning_passed = jenseits der Warngrenze, die der Betrieb gesetzt hat
urgency_limit_left = zurück innerhalb der Grenze; es endet, wenn der Wert dort bleibt
urgency_limit_ahead = Grenze „{ WORD($level) }“ { WHEN($expected_s, $earliest_s, $latest_s) }, wenn es so weitergeht
urgency_rising = die Evidenz steigt, jetzt das { $times }-Fache der Alarmschwelle
urgency_no_forecast = die Evidenz steigt, jetzt das { $times }-Fache der Alarmschwelle; noch keine Vorhersage
urgency_steady = die Evidenz ist stabil beim { $times }-Fachen der Alarmschwelle
urgency_falling = die Evidenz sinkt, jetzt das { $times }-Fache der Alarmschwelle
urgency_new = neu, beim { $times }-Fachen der Alarmschwelle; noch keine Vorhersage
urgency_silent = jetzt ohne Signal, und der letzte Zustand war: { WORD($level) }
urgency_none = noch keine Vorhersage
urgency_normal = normal, laut Antwort von { $actor }
urgency_work = geplante Arbeit läuft
urgency_checked = die ersten Fenster nach der Arbeit werden mit denen davor verglichen
urgency_signal_back = vorbei: es meldet sich wieder
urgency_blind =
    bis dahin wird ein Schaden { $count ->
        [one] dieser Maschine
       *[other] dieser Maschinen
    } nicht gefunden
urgency_half_blind = die anderen Sensoren der Maschine überwachen sie weiter
urgency_unrepaired = von { $actor } bestätigt, nicht als behoben gemeldet
urgency_confirmed = ein Schaden, bestätigt von { $actor }

# sein Rang

rank_stated = Rang { $points } = { WORD($urgency) } ({ $urgency_points }) + Folgen { WORD($consequence) } ({ $consequence_points }){ OPTIONAL(" + ein Ersatzteil braucht ", $spare_part_days, " Tage (1)") }
rank_not_stated = Rang { $points } = { WORD($urgency) } ({ $urgency_points }) + Folgen ohne Angabe, wie { WORD($consequence) } ({ $consequence_points }){ OPTIONAL(" + ein Ersatzteil braucht ", $spare_part_days, " Tage (1)") }

# der Wert eines Falls gegen seine Grenze oder das Erwartete

measured_value = { QUANTITY($value, $unit) }
measured_limit =
    { QUANTITY($beyond, $beyond_unit) } { $direction ->
        [below] unter
       *[other] über
    } der Grenze „{ WORD($level) }“ von { QUANTITY($limit, $unit) }
measured_limit_worst =
    am schlimmsten { QUANTITY($beyond, $beyond_unit) } { $direction ->
        [below] unter
       *[other] über
    } der Grenze „{ WORD($level) }“ von { QUANTITY($limit, $unit) }
measured_expected =
    { QUANTITY($beyond, $beyond_unit) } { $direction ->
        [below] unter
       *[other] über
    } den erwarteten { QUANTITY($limit, $unit) }
measured_expected_worst =
    am schlimmsten { QUANTITY($beyond, $beyond_unit) } { $direction ->
        [below] unter
       *[other] über
    } den erwarteten { QUANTITY($limit, $unit) }

# was einen Fall zeigt

proof_line = { WORD($fault) }: { QUANTITY($hz, "Hz") } und Vielfache
proof_knocks = { WORD($fault) }: Das Lager klopft { $hz }-mal in der Sekunde ({ QUANTITY($hz, "Hz") } und Vielfache)
proof_shaft = Drehfrequenz: { QUANTITY($hz, "Hz") } und Vielfache
proof_rose = { $title }: { QUANTITY($change_db, "dB") } über der gesunden Maschine
proof_fell = { $title }: { QUANTITY($change_db, "dB") } unter der gesunden Maschine
proof_value = { $title }: { QUANTITY($value, $unit) }, gesund { QUANTITY($baseline, $unit) }
proof_any = dieses Spektrum gegenüber der gesunden Maschine
moved_points =
    { $points ->
        [one] { $count } Anzeichen, alle an { $point }
       *[other] { $count } Anzeichen an { $points } Messpunkten, am stärksten: { $point }
    }
moved_whole = { $count } Anzeichen der Maschine als Ganzes

# der Zustand eines Falls

status_waits = { WORD($condition) }, nicht quittiert
status_seen = { WORD($condition) }, quittiert von { $actor }
status_lost = zuletzt bekannt: { WORD($condition) }
status_work = geplante Arbeit läuft
status_over_waits = zurzeit vorbei, nicht quittiert
status_over = zurzeit vorbei
status_over_unrepaired = bestätigt, nicht behoben; zurzeit vorbei
status_closed = abgeschlossen von { $actor }
status_closed_quiet = abgeschlossen nach einem Tag ohne Ereignis
status_closed_unrepaired = abgeschlossen von { $actor }, der Schaden ist nicht behoben

# the state of the plant

status_needs =
    { $count ->
        [one] { $count } Maschine braucht jemanden
       *[other] { $count } Maschinen brauchen jemanden
    }
status_in_hand = { $count } in Arbeit
status_cannot_assess =
    { $count ->
        [one] { $count } Maschine ist
       *[other] { $count } Maschinen sind
    } nicht zu beurteilen
status_awaiting =
    { $count ->
        [one] { $count } Referenz wartet
       *[other] { $count } Referenzen warten
    } auf Freigabe
status_learning =
    { $count ->
        [one] { $count } Maschine lernt
       *[other] { $count } Maschinen lernen
    }
status_at_rest =
    { $count ->
        [one] { $count } Maschine steht still
       *[other] { $count } Maschinen stehen still
    }
status_quiet =
    { $count ->
        [one] { $count } Maschine ist ruhig
       *[other] { $count } Maschinen sind ruhig
    }
status_all_quiet =
    { $count ->
        [one] die Maschine liegt
       *[other] alle { $count } Maschinen liegen
    } in ihrer Referenz
status_shelved = { $count } zurückgestellt, außer Betrieb oder in geplanter Arbeit
status_gateways =
    { $count ->
        [one] { $count } Gateway ist
       *[other] { $count } Gateways sind
    } nicht verbunden
status_no_machines = noch keine Maschinen

# requests

photo_too_large = das Foto hat mehr als { $limit } Millionen Bildpunkte; ein kleineres nehmen
photo_unreadable = das ist kein lesbares Foto; eines der Formate { $formats } senden
photos_full = der Fall hat { $most } Fotos, die Grenze; zuerst eines entfernen
channel_unusable = kein Dienst hat eine Adresse dieser Form; siehe die Liste der Dienste in docs/notification.md
list_full = es gibt { $most } Einträge, die Grenze; zuerst einen entfernen
message_not_failed = die Nachricht ist gesendet oder wartet auf ihren ersten Versuch
event_not_standing = das Ereignis ist vorbei und quittiert; es gibt nichts zu schließen
case_not_repaired = der Fall ist nicht als behoben abgeschlossen; es gibt keine Reparatur zu prüfen
case_still_open = die Maschine weicht noch von ihrer Referenz ab; den Alarm beantworten, quittieren oder zurückstellen und den Fall schließen, wenn es vorbei ist


## Decisions

text = { $text }
parts = { WORD($parts, joint: "; ") }

# reasons

departs = weicht von der Referenz ab: { $changes }
relation_departs = { OPTIONAL($title, " ") }{ QUANTITY($measured, $unit) } statt { QUANTITY($expected, $unit) }, zu erwarten aus { WORD($others, joint: ", ") }
level_moved = eine Stufe im Niveau: { QUANTITY($expected, $unit) } → { QUANTITY($measured, $unit) } in den letzten { $count } Läufen; ist das der neue Normalzustand, mit „Fehlalarm“ antworten
level_drifts = das Niveau wandert: { QUANTITY($expected, $unit) } → { QUANTITY($measured, $unit) } in den letzten { $count } Läufen; ist das der neue Normalzustand, mit „Fehlalarm“ antworten
level_lasts = seit { DAY($at_ms) } auf einem neuen Niveau: { QUANTITY($expected, $unit) } → { QUANTITY($measured, $unit) }; weitere Änderungen werden damit verglichen. Ist das der neue Normalzustand? Dann mit „Fehlalarm“ antworten
added_departs = am { DAY($at_ms) } kam etwas anderes hinzu, über die gleichbleibenden Werte der offenen Meldung hinaus: { $changes }
further_departs = eine weitere Änderung über dieses Niveau hinaus: { QUANTITY($expected, $unit) } → { QUANTITY($measured, $unit) }
level_became_normal = { QUANTITY($measured, $unit) } statt { QUANTITY($expected, $unit) } über { $count } Läufe, unter der Alarmschwelle: das ist ab jetzt die Referenz
level_stays = der Pegel bleibt: schon die letzten { $windows } Fenster allein weichen im Mittel um { QUANTITY($sigma, "σ") } ab
level_stays_value = das Niveau bleibt: schon die letzten { $windows } Werte allein weichen von der Referenz ab
departs_together = die Messpunkte weichen gemeinsam von der Referenz ab, einzeln noch keiner{ OPTIONAL("; am meisten ", $point, ": ", $changes) }
diagnosis = { WORD($fault) } wahrscheinlich: { $matched }{ OPTIONAL("; nicht gefunden: ", $missing) }
unclear = unklar: { WORD($faults, joint: " oder ") } möglich
no_symptom = unklar: Das Leitsymptom keines Schadens ist vorhanden
bearing_fault = { WORD($fault) } ({ $bearing }{ OPTIONAL(", Stufe ", $stage) }): Linien bei { QUANTITY($hz, "Hz") } und Vielfachen ({ $order } × { QUANTITY($speed_rpm, "U/min") }{ OPTIONAL(" ± ", $error_rpm) }), { QUANTITY($db, "dB") } mehr, als die Welle erklärt; gefunden: { $matched }{ OPTIONAL("; nicht gefunden: ", $missing) }
bearing_part_unclear = Lager { $bearing }, Teil unklar: { WORD($faults, joint: " oder ") } erklären die Linien bei { $order } × { QUANTITY($speed_rpm, "U/min") } gleich gut
bearing_comb = Lager, Teil unklar: eine Linienreihe bei { $order } × { QUANTITY($speed_rpm, "U/min") } ({ QUANTITY($hz, "Hz") }){ OPTIONAL(", die ", $bearing, " nicht erklärt; den Lagertyp prüfen") }: Außenring eines Lagers mit etwa { $outer_balls } Kugeln oder Innenring eines Lagers mit etwa { $inner_balls }
bearing_cage = Lager { $bearing }, Teil unklar: Die Hüllkurve schwankt mit dem Käfig ({ $order } × { QUANTITY($speed_rpm, "U/min") }, { QUANTITY($hz, "Hz") }; Kurtosis { $kurtosis }): ein Wälzkörper oder der Käfig
bearing_impacts = Lager, Teil unklar: Rauschen über 1 kHz um { QUANTITY($db, "dB") } gestiegen und stoßhaltig (Kurtosis { $kurtosis }), die Stöße folgen nicht der Welle
no_bearing_fault = kein Lagerschaden ragt heraus: { $line } erklärt { QUANTITY($db, "dB") } mehr als die Welle, { QUANTITY($ahead_db, "dB") } mehr als der nächste
bearing_not_carried = unklar: Die Aufnahme kann die Lagerschadensfrequenzen nicht enthalten
limit = { $title }: { QUANTITY($value, $unit) } { WORD($direction) } die Grenze „{ WORD($level) }“ von { QUANTITY($limit, $unit) }
forecast = { $title }: Hält der Trend an, ist die Grenze „{ WORD($level) }“ von { QUANTITY($limit, $unit) } { WHEN($expected_s, $earliest_s, $latest_s) } erreicht
sensor_fault = Sensorstörung: { WORD($faults) }
sensor_sensitivity = Sensorstörung: Alle Bänder haben sich um { QUANTITY($change_db, "dB") } verschoben; Einheit, Empfindlichkeit und Versorgung des Sensors prüfen
sensor_loose_mount = Sensorstörung: lose Befestigung mit Resonanz bei { QUANTITY($hz, "Hz") }; Sensor festziehen
sensor_other_point = Sensorstörung: Das Spektrum ist das von { $other }; Kabel und Richtung des Sensors prüfen
sensor_open_cable = Sensorstörung: Es kommt nur Rauschen an ({ QUANTITY($change_db, "dB") }); Kabel und Versorgung des Sensors prüfen
sensor_hum = Sensorstörung: Netzbrummen um { QUANTITY($change_db, "dB") } gestiegen; Schirm und Masse des Kabels prüfen
sensor_saturated = Das Signal übersteuert { QUANTITY($change_db, "dB") } gegenüber seinen gesunden Spitzen; Messbereich, Verstärkung und Versorgung des Sensors prüfen
sensor_zero = Sensorstörung: Der Wert ist genau 0, wie nach einem Neustart des Geräts; Gerät prüfen, und angeben, wann die Maschine steht
silent = seit mehr als { QUANTITY($after_s, "s") } kein Messwert
silent_since_start = seit dem Start des Gateways kein Messfenster: Zustand noch unbekannt
coasting = läuft aus: Der Zustand wird nicht beurteilt
speed_contradicts = Die gemessene Drehzahl ist 0, die Schwingung ist die der laufenden Maschine; Drehzahlgeber oder Drehzahlwert prüfen
starting = läuft an: Der Zustand wird erst bei ruhigem Lauf beurteilt
worked_on = geplante Arbeit: Der Zustand wird erst nach ihrem Ende wieder beurteilt
not_running = außer Betrieb: Der Zustand wird nicht beurteilt
rests_below = außer Betrieb, denn { $point } liegt unter { QUANTITY($limit, $unit) }: Der Zustand wird nicht beurteilt
rest_found = Die Werte von { $point } haben zwei Niveaus; unter { QUANTITY($limit, $unit) } steht die Maschine, deshalb wird die Referenz aus dem Betrieb allein neu gelernt
run_not_recognised = kein Betrieb seit { DAY($at_ms) }, viel länger als jeder Stillstand bisher ({ $point } liegt unter { QUANTITY($limit, $unit) }); falls die Maschine lief, Sensoren prüfen und eine neue Referenz beginnen
run_bit_stuck = Der Wert, der den Betrieb angibt, hat sich seit { DAY($at_ms) } nicht geändert, obwohl die Maschine nach { $point } lief und stand (dazwischen liegen { QUANTITY($limit, $unit) }); diesen Wert prüfen
unseen_state = Betriebszustand { STATE($speed_rpm, $load, $tags) } kam in der Referenz nie vor (am ähnlichsten: bei { STATE($nearest_speed_rpm, $nearest_load, $nearest_tags) })
fault_reported = { $actor } hat einen Schaden{ OPTIONAL(" (", $kind, ")") } gemeldet, den kein Ereignis angezeigt hatte
resembles = ähnelt einem früheren Ereignis, das { $actor } am { DAY($at_ms) } als Schaden bestätigt hat{ OPTIONAL(" (", $kind, ")") }: { PERCENT($value) } Übereinstimmung

# symptoms (ISO 13379)

order_rose = Anstieg bei { $order }× Drehfrequenz
order_steady = { $order }× Drehfrequenz unverändert
no_shaft_fault = kein Wellenfehler erkennbar: keine Ordnung hat sich verdoppelt
axial_unknown = kein axialer Messpunkt angegeben: Eine krumme Welle lässt sich nicht ausschließen
axial_steady = axiale Schwingung unverändert
axial_order_rose = Anstieg bei { $order }× Drehfrequenz axial
axial_opposed_shaft = axial 1× an beiden Lagern der Welle gegenphasig
axial_opposed_coupling = axial 1× über die Kupplung gegenphasig
axial_together = axial 1× an beiden Lagern gleichphasig: fliegend gelagert
axial_phase_unknown = Phase zwischen zwei axialen Messpunkten mit gemeinsamer Uhr
radial_quarter_turn = eine Vierteldrehung zwischen horizontal und vertikal
harmonics_rose = Anstieg vieler Oberwellen
half_orders_rose = Anstieg halber Ordnungen
gear_residual_rose = mittlere Umdrehung des Rades mit { $teeth } Zähnen: { QUANTITY($db, "dB") } über den regelmäßigen Eingriff
gear_one_tooth = eine Stelle der Umdrehung sticht heraus (FM4 { $fm4 })
gear_spread = über die Umdrehung verteilt (FM4 { $fm4 })
mesh_harmonics_rose = Anstieg höherer Oberwellen des Zahneingriffs
no_gear_fault = kein Getriebefehler erkennbar: mittlere Umdrehungen wie bei der gesunden Maschine
shaft_speeds_differ = Wellenordnungen nicht vergleichbar: Die Drehzahl wurde nicht zweifelsfrei gefunden
no_drive_fault = kein Schaden von Antrieb oder Strömung sticht hervor
electrical_lines_rose = doppelte Netzfrequenz um { QUANTITY($db, "dB") } gestiegen, mehr als alles andere
blades_lines_rose = Schaufelfrequenz um { QUANTITY($db, "dB") } gestiegen, mehr als alles andere
belt_lines_rose = Vielfache der Riemenfrequenz um { QUANTITY($db, "dB") } gestiegen, mehr als alles andere
noise_rose = Rauschen über 1 kHz um { QUANTITY($db, "dB") } gestiegen, ohne Linien
slow_noise_rose = Rauschen unter der Drehfrequenz um { QUANTITY($db, "dB") } gestiegen
blades_modulate = die Schaufeln modulieren es (Tiefe { $depth })
contact_once_a_turn = ein Kontakt je Umdrehung klingt nach (Tiefe { $depth })
current_bars = Seitenbänder des Stroms bei doppelter Schlupffrequenz: { QUANTITY($db, "dB") } zur Netzlinie, Schlupf { PERCENT($slip) }
current_gap = Seitenbänder des Stroms bei der Drehfrequenz: { QUANTITY($db, "dB") } zur Netzlinie
ultrasound_rose = { WORD($fault) }: Ultraschall { QUANTITY($db, "dB") } über dem gesunden Pegel, Stufe { $stage } von 4 (ab { QUANTITY($from_db, "dB") })
level_grew = Pegel wuchs auf das { $factor }-Fache ({ $low } bis { $high }) in { $span } { WORD($span_unit) }
level_fell = Pegel fiel auf das { $factor }-Fache ({ $low } bis { $high }) in { $span } { WORD($span_unit) }
no_growth = kein Wachstum in { $span } { WORD($span_unit) } erkennbar
floor_rose = Stöße gingen in Rauschen über: oberhalb 1 kHz { QUANTITY($db, "dB") } über der gesunden Maschine, { $orders } Wellenordnungen verdoppelt
other_part_fits = { WORD($fault) } von { $bearing } hat dieselbe Frequenz
order_1_or_3_rose = Anstieg bei 1× oder 3× Drehfrequenz
bearing_lines_rose = Anstieg der Linien des Lagers
bearing_sidebands_rose = Anstieg ihrer Seitenbänder
envelope_steady = Hüllkurve unverändert
high_bands_rose = Anstieg hoher Frequenzbänder oder Stöße
impulsive = stoßhaltiges Signal
asymmetric = unsymmetrisches Signal
broad_band_rose = breitbandiger Anstieg
gear_mesh_moved = Zahneingriffspegel verändert
gear_sidebands_rose = Anstieg der Seitenbänder des Zahneingriffs
shaft_sidebands = Seitenbänder im Abstand der Drehfrequenz
line_frequency_rose = Anstieg bei doppelter Netzfrequenz
harmonic = { $line } { $order }×
sidebands = { $line }-Seitenbänder
line_in_spectrum = { $line } { $order }× im Spektrum

# what a baseline lacks, and the doubts about it

baseline_rises = { $point }: Mehrere Bänder sind im gesunden Zeitraum stetig um bis zu { QUANTITY($change_db, "dB") } gestiegen; nach einem entstehenden Schaden suchen und nach der Reparatur einen neuen gesunden Zeitraum beginnen
baseline_groups = { $point }: Der gesunde Zeitraum enthält zwei Gruppen von Messfenstern, die kein Betriebszustand erklärt; den Unterschied angeben (Last, Produkt, Maschine) oder einen neuen gesunden Zeitraum beginnen
baseline_days = noch { QUANTITY($hours, "h") } Betrieb
baseline_starts =
    noch { $count ->
        [one] { $count } Start
       *[other] { $count } Starts
    } der Maschine
windows =
    { $count ->
        [one] { $count } weiteres Fenster
       *[other] { $count } weitere Fenster
    }{ OPTIONAL(" an Messpunkt ", $point) }
state_windows =
    { $count ->
        [one] { $count } weiteres Fenster
       *[other] { $count } weitere Fenster
    } bei { STATE($speed_rpm, $load, $tags) }
rare_state =
    { STATE($speed_rpm, $load, $tags) } kam nur in { $count ->
        [one] { $count } Fenster
       *[other] { $count } Fenstern
    } vor: gehört nicht zur Referenz und gilt als nie gesehen
training_failed =
    Das Training der Referenz ist fehlgeschlagen: { $detail }; neuer Versuch nach { $count ->
        [one] { $count } weiteren Fenster
       *[other] { $count } weiteren Fenstern
    }; schlägt er auch fehl, einen neuen gesunden Zeitraum beginnen und diesen Text melden
may_rest = einen Lauf: alle bisherigen Schwinggeschwindigkeiten können die einer stehenden Maschine sein; spätestens nach { $days } Tagen wird entschieden
provisional = vorläufig: kennt { $known_days } von etwa { $days } Tagen; bis dahin sind die Grenzen weit{ OPTIONAL("; Tage: noch ", $more_days) }{ OPTIONAL("; Tage mit Betrieb: noch ", $more_stretches) }{ OPTIONAL("; Läufe nach 6 h Stillstand: noch ", $more_campaigns) }
reference_moved = { $point }: { QUANTITY($first, $unit) } bei der Inbetriebnahme, jetzt { QUANTITY($now, $unit) }
drift = die Merkmale wandern noch: Ein Viertel der Zeit liegt { QUANTITY($sigma, "σ") } daneben, { QUANTITY($allowed_sigma, "σ") } sind erlaubt

# limits and ISO zones

no_feature = Grenze an Messpunkt { $point }: Er hat kein Merkmal { $feature }; siehe docs/features.md
band_outside = Grenze an Messpunkt { $point }: Das Band { $low_hz } bis { QUANTITY($high_hz, "Hz") } muss zwischen { $from_hz } und { QUANTITY($to_hz, "Hz") } liegen und mindestens eine Viertel-Oktave breit sein
iso_support_unknown = Die Aufstellung ist nicht angegeben: starr oder elastisch eintragen, damit ISO 20816-3 gilt
iso_too_large = { QUANTITY($power_kw, "kW") } liegen über dem Bereich von ISO 20816-3 (50 MW): stattdessen feste Grenzen setzen
iso_class_unknown = Weder Nennleistung noch Gruppe sind angegeben: eines davon eintragen, damit ISO 20816 gilt
iso_unit_undeclared = { $points }: Die Einheit ist nicht angegeben; g, m/s² oder mm/s eintragen, damit ISO 20816 gilt


## Machines

# false events: promised and seen

plant_account = zugesagt: { $a_month } Fehlalarme im Monat, { $promised } in den { $days } Tagen, über die entschieden wurde; gesehen: { $count } ({ $false_alarms } als Fehlalarm beantwortet, { $unanswered } ohne sichere Antwort), 95-%-Vertrauensbereich { $low } bis { $high }
account_widened = mehr Fehlalarme, als die Zusage erklärt: Die gelernten Grenzen von { $machines } sind weiter
limits_widened = { $machine }: Die gelernten Grenzen sind { $factor }-mal so weit, nach dem Konto der Fehlalarme

# alarms

alarm_over = Ereignis { $event_id } ist vorbei und braucht keine Quittierung
alarm_acknowledged = { $actor } hat schon quittiert
alarm_suppressed = die Alarme von { $machine } sind { WORD($state) }
alarm_worse = es ist inzwischen schlimmer geworden: { WORD($condition) }; bitte noch einmal ansehen
machine_out_of_service = { $machine } ist außer Betrieb: erst wieder in Betrieb nehmen
machine_worked_on = an { $machine } wird geplant gearbeitet: erst die Arbeit als beendet melden
machine_not_suppressed = { $machine } ist nicht { WORD($state) }

# clips

clips_off = Rohsignale bleiben auf diesem Gateway ([gateway] clips = "off")
clips_no_sound = { $point } ist ein Mikrofon; sein Signal bleibt auf diesem Gateway ([gateway] sound_clips = false)
clip_no_signal = von { $point } ist noch kein Signal angekommen
clip_no_healthy = von einer gesunden Zeit von { $point } ist noch kein Signal gespeichert
clips_too_many = mehr als { $limit } Klangproben in der Stunde; später noch einmal anfordern

# the gateway

gateway_not_storing = das Gateway kann nichts speichern (ist seine Platte voll?); später noch einmal versuchen
gateway_busy = zu viele Befehle warten; später noch einmal versuchen


## Learning

sentences = { $parts }

# what a label waits for

waits_for_labels =
    wartet auf { $count ->
        [one] { $count } weitere Antwort
       *[other] { $count } weitere Antworten
    }
waits_for_cooldown = wartet { QUANTITY($left_s, "s") } nach dem letzten Lernen
waits_for_recovery = wartet, bis sich der Rechner erholt hat: { $limit }
waits_for_baseline = die Maschine hat noch keine Referenz, eine Antwort ändert deshalb nichts
too_hot = { QUANTITY($temperature_c, "°C") }, die Grenze ist { QUANTITY($limit_c, "°C") }
battery_low = Akku bei { PERCENT($share) }, die Grenze ist { PERCENT($limit) }
cpu_busy = andere Arbeit braucht { PERCENT($share) }, die Grenze ist { PERCENT($limit) }

# what a label changed

no_windows_of_event = von diesem Ereignis ist kein Fenster mehr gespeichert, daraus lässt sich nichts lernen
verdict_changes_nothing = diese Antwort ändert nichts
replaces_verdict = ersetzt die Antwort von { $actor }
counts_as_open = das Ereignis gilt wieder als offen
contradicts = widerspricht früheren Antworten „Fehlalarm“, die nicht mehr zählen: Ereignis { $events }
false_alarms_alike = die Ereignisse { $events } weichen ab wie dieser Schaden und sind als Fehlalarm beantwortet: Diese Antworten gelten als offen und unterdrücken nichts, bis jemand sie noch einmal gibt
learned_again = aus neuen Fenstern beantworteter Ereignisse nachgelernt
shadow_first = läuft zunächst auf Probe
head_full = an { $points } ist kein Platz mehr für Antworten (höchstens { $places }): eine neue Referenz lernen, die diese Zustände enthält
offer_baseline = Wartung ist kein Schaden, aus dem gelernt wird; läuft die Maschine von nun an anders, eine neue Referenz beginnen: Die jetzige bleibt gespeichert, eine Rückkehr ist möglich
work_begun = bis die Arbeit beendet ist, alarmiert nichts und wird nichts gelernt; dann werden die ersten Fenster mit denen vor der Arbeit verglichen

# the gate

gate_resembles_fault = gleicht einem früher bestätigten Schaden (zu { PERCENT($likeness) }); ist es keiner, noch einmal als Fehlalarm beantworten
gate_departs_widely = { PERCENT($share) } der Merkmale weichen um mehr als { QUANTITY($limit, "σ") } ab, was eine neue Drehzahl oder Last selten bewirkt; ist es kein Schaden, noch einmal als Fehlalarm beantworten
repair_watched = beobachtet die Maschine nach der Arbeit: { $windows } von { $needed } Fenstern
repair_gone = der Schaden ist behoben: { $windows } Fenster nach der Arbeit gleichen der Referenz, die weiter gilt
repair_unchanged = der Schaden ist unverändert: { $windows } Fenster nach der Arbeit weichen ab wie zuvor
repair_new = die Maschine weicht anders ab als vor der Arbeit (zu { PERCENT($likeness) } gleich): die Arbeit prüfen; ist alles in Ordnung, eine neue Referenz lernen
repair_new_value = was vor der Arbeit abwich, ist zurück, aber andere Werte weichen in { $windows } Fenstern danach ab: die Arbeit prüfen
report_shows_nothing = die gemeldeten Fenster gleichen gesunden: keine Richtung trennt sie
gate_passed = { $silenced } von { $false_alarms } gemeldeten Fehlalarmen sind still, { $detected } von { $faults } bestätigten Schäden alarmieren weiter
gate_silenced = { $silenced } von { $false_alarms } gemeldeten Fehlalarmen sind still
gate_no_labels = keine Antwort ist in Kraft
gate_detected = { $detected } von { $faults } bestätigten Schäden alarmieren weiter
gate_fault_lost = der bestätigte Schaden von Ereignis { $events } ginge verloren oder würde schwächer erkannt
gate_more_false_alarms = Fehlalarme auf gesunden Fenstern stiegen von { PERCENT($before) } auf { PERCENT($after) }{ OPTIONAL(" von ", $windows, " Fenstern") }
gate_false_alarm_stays = der Fehlalarm von Ereignis { $event } ginge von { QUANTITY($before, "σ") } auf { QUANTITY($after, "σ") }; still ist er bis { QUANTITY($limit, "σ") }
gate_false_alarm_returns = der Fehlalarm von Ereignis { $event } würde wieder alarmieren; war auch dieses Ereignis ein Schaden, es als echten Schaden beantworten

# checkpoints

back_to = zurück zu { $checkpoint_id }
back_to_with_baseline = zurück zu { $checkpoint_id }, mit seiner Referenz
new_baseline = neue Referenz, noch ohne Antworten
start_without_labels = Beginn ohne Antworten: { $cause }
shadow_passed = Probelauf bestanden: { $windows } Fenster, davon gesunde über der Grenze: { $candidate_beyond }, vorher { $active_beyond }; { $faults_hidden } verdeckt, die einem bestätigten Schaden gleichen
shadow_failed = Probelauf nicht bestanden: { $windows } Fenster, davon gesunde über der Grenze: { $candidate_beyond }, vorher { $active_beyond }; { $faults_hidden } verdeckt, die einem bestätigten Schaden gleichen
promoted_by = von { $actor } vorzeitig übernommen
rejected_by = von { $actor } verworfen
no_checkpoint = einen Lernstand { $checkpoint_id } gibt es nicht
checkpoint_weights_gone = die Gewichte von Lernstand { $checkpoint_id } sind nicht mehr gespeichert
checkpoint_of_other_baseline = Lernstand { $checkpoint_id } gehört zu einer anderen Referenz
heads_of_other_baseline = die Köpfe gehören nicht zu Referenz { $baseline_id }
no_candidate = bei Maschine { $machine } läuft nichts auf Probe
file_damaged = { $file } ist beschädigt: Die Prüfsumme ist falsch
nothing_to_undo = die Maschine hat noch keine Referenz, es gibt nichts rückgängig zu machen
no_earlier_checkpoint = die Maschine hat keinen früheren Lernstand

# questions

question_near_miss = die Evidenz erreichte { PERCENT($evidence) } der Warnschwelle und fiel wieder
question_new_state = ein Betriebszustand, den die Referenz nicht enthält; die Fenster weichen im Mittel um { QUANTITY($sigma, "σ") } ab

# deltas

delta_from = Delta von { $machine } an Gerät { $device } ({ $delta_id })
delta_left_out = Fehlalarme daraus, die dem bestätigten Schaden von Ereignis { $events } gleichen, bleiben unberücksichtigt
delta_not_a_delta = { $bytes } Byte, die kein Delta dieser Version sind: eine Datei wählen, die als Delta geladen wurde
delta_key_untrusted = unterschrieben mit dem Schlüssel { $key }…, dem hier nicht vertraut wird
delta_changed = die Unterschrift ist falsch: Das Delta wurde verändert oder beschädigt
delta_unreadable = es ist nicht lesbar ({ $cause }); eine andere Version hat es erstellt
delta_too_large = { $bytes } Byte; höchstens { $limit }
delta_other_base = erstellt für Modell { $base_id } und Merkmale { $spec_id }, diese Maschine hat { $own_base_id } und { $own_spec_id }: in eine Maschine mit derselben Referenz einspielen
delta_other_points = erstellt für die Messpunkte { $points }, diese Maschine hat { $own_points }
delta_unfit_values = Messpunkt { $point } hat Werte, die keine Zahlen sind oder zu einem anderen Modell gehören
delta_not_applied = das Delta wird nicht eingespielt: { $cause }

# files of `auscult export` and `auscult delta`

no_baseline_yet = Maschine { $machine } hat noch keine Referenz
machine_not_configured = Maschine { $machine } ist nicht eingerichtet; vorhanden: { $machines }
import_done = was { $source } von { $gateway } gelernt hatte, ist in { $machine } übernommen{ OPTIONAL("; die frühere Fassung liegt in ", $aside) }
not_an_export = { $path } ist keine Datei von „auscult export“
file_without_detector = die Datei nennt nicht, für welche Punkte und Merkmale sie gilt; exportieren Sie sie mit dieser Version von Auscult neu
state_unfit = Maschine { $machine } kann die Datei nicht verwenden: { $cause }
state_not_one = das ist kein gespeicherter Zustand
state_version = ein Zustand der Version { $version }; dieses Programm liest Version { $reads }
state_damaged = der Zustand ist beschädigt: seine SHA-256 stimmt nicht
state_point = der Zustand hat einen Messpunkt { $point }, die Maschine nicht
state_not_calibrated = im Zustand fehlt die Kalibrierung von Messpunkt { $point }
state_of_other = der Zustand gehört zu Maschine { $machine } mit anderen Messpunkten, Einheiten oder Fensterlängen{ OPTIONAL(" (", $points, ")") }; ihre Referenz ist neu zu lernen
file_unusable = { $path } wird nicht eingespielt: { $cause }
key_unreadable = { $path } enthält keinen Schlüssel ({ $cause }); für einen neuen die Datei entfernen
key_not_ed25519 = { $path } enthält keinen Ed25519-Schlüssel; für einen neuen die Datei entfernen


## Commands: what one did, or why it is rejected

# any command

command_too_large = { $bytes } Byte; höchstens { $limit }
value_at = { $place }: { $cause }
command_bad_id = Kennung { $id }: Buchstaben, Ziffern und „_ . : -“ verwenden
command_retained = ein Befehl darf nicht als „retained“ gesendet werden
command_unknown = diese Version des Gateways kennt den Befehl { $name } nicht; das Gateway aktualisieren
command_expired = vor { QUANTITY($late_s, "s") } abgelaufen
command_expired_waiting = abgelaufen, bevor das Gateway die Wirkung speichern konnte
command_expires_late = läuft erst in { QUANTITY($ahead_s, "s") } ab, höchstens { QUANTITY($limit_s, "s") } sind erlaubt: Uhren von Gateway und Dashboard vergleichen
command_changed = die Signatur passt nicht: unterwegs verändert
command_unsigned = nicht von einem vertrauten Dashboard signiert: dessen Schlüssel in [gateway] dashboard_keys eintragen
command_failed = dem Gateway ist dabei ein Fehler unterlaufen; siehe sein Protokoll
command_not_stored = das Gateway hat es getan, konnte es aber nicht speichern: Ein Neustart macht es vielleicht rückgängig; siehe sein Protokoll
machine_unknown = dieses Gateway hat keine Maschine { $machine }
point_unknown = Maschine { $machine } hat keinen Messpunkt { $point }
report_no_windows = von { $machine } ist noch kein Fenster gespeichert, es gibt nichts zu melden
report_outside = aus dieser Zeit ist kein Fenster von { $machine } gespeichert; Meldungen reichen { QUANTITY($reach_h, "h") } zurück
span_backwards = das Ende muss nach dem Anfang liegen
event_unknown = dieses Gateway hat kein Ereignis { $event_id }

# baselines

asked_for_by = verlangt von { $actor }
baseline_learning = Maschine { $machine } lernt ihre Referenz noch
baseline_changed = ihre Referenz ist inzwischen { $baseline_id }, nicht { $given_id }; bitte noch einmal ansehen
baseline_not_collecting = bei { $machine } wird gerade keine gesunde Zeit gesammelt: { $phase }
baseline_none_earlier = { $machine } hat keine frühere Referenz, zu der man zurückkehren kann
baseline_not_kept = Referenz { $baseline_id } von { $machine } ist nicht mehr gespeichert
baseline_back = Referenz { $baseline_id } gilt wieder

# labels and checkpoints

accepted = angenommen: { $reason }
rejected = abgelehnt: { $reason }
preview_accepted = würde angenommen: { $reason }
preview_rejected = würde abgelehnt: { $reason }
preview_waits = vorerst nichts: { $wait }
preview_noted = würde gespeichert und ändert nichts
now_active = jetzt gilt { $checkpoint_id }
not_the_candidate = { $checkpoint_id } ist bei { $machine } nicht mehr auf Probe

# deltas

delta_made = Delta { $delta_id } von { $checkpoint_id }
delta_not_base64 = Delta: kein base64 ({ $cause })
delta_not_now = jetzt nicht: { $wait }; das Delta dann noch einmal senden

# spectra, clips, limits

no_window_yet = von { $point } gibt es noch kein Fenster
kurtogram_band = das beste Band des Kurtogramms ist { $low_hz } bis { QUANTITY($high_hz, "Hz") } (spektrale Kurtosis { $kurtosis }; Rauschen hat 0)
clip_sent = eine Klangprobe von { QUANTITY($seconds, "s") }

# updates

update_offered = Version { $version } wird heruntergeladen
update_other_bytes = der Download der Version { $version } hat eine andere Prüfsumme als angekündigt
update_gone = das Dashboard bietet Version { $version } nicht mehr an
update_off = dieses Gateway nimmt keine Updates vom Dashboard an: [gateway.updates] folder setzen und es aus dem Bundle installieren
update_running = Version { $version } wird gerade installiert; danach noch einmal versuchen
update_no_space = { $free_mb } MB sind frei, ein Update braucht { $needed_mb } MB
update_ended = Installationsprogramm: { $cause }
update_other_version = das Bundle ist Version { $version }: nichts wurde geändert
update_older = Version { $version } läuft; eine ältere wird auf diesem Weg nicht installiert
update_key_missing = { $path } fehlt: legen Sie als root den öffentlichen Schlüssel der Ausgabe dort ab
update_key_moved = { $path } fehlt, und { $old } wird nicht mehr gelesen, weil der Benutzer des Dienstes es ändern kann: legen Sie als root den öffentlichen Schlüssel der Ausgabe und update.env in den neuen Ordner
update_key_open = { $path } können auch andere als root ändern: vergleichen Sie den Schlüssel mit dem der Ausgabe, dann chown root:root und chmod go-w
update_platform = das Bundle ist für Python { $python } auf { $machine }; hier ist Python { $own_python } auf { $own_machine }: das Bundle dafür ablegen
update_unhealthy = die neue Version ist nicht gesund
update_back = { $cause }; Version { $version } läuft wieder mit ihren Daten
update_power_cut = der Strom fiel aus; Version { $version } läuft wieder
limits_set =
    { $count ->
        [one] { $count } Grenze
       *[other] { $count } Grenzen
    } an { $point }


## Sources and settings

# how a source is

source_ok = in Ordnung
source_ended = beendet
source_failed = ausgefallen: { $detail }; startet von selbst neu; siehe Protokoll des Gateways

# what is wrong with a part of the gateway

part_failed = ausgefallen: { $detail }; startet von selbst neu; siehe Protokoll des Gateways
overload = das Gateway kommt nicht nach: Maschinen ohne Anzeichen eines Schadens werden nur alle { QUANTITY($pause_s, "s") } bewertet; Maschinen auf ein anderes Gateway verlegen oder weniger Kanäle oder niedrigere Raten messen
store_empty = { $path } war leer; eine neue Datenbank wurde angelegt, die Maschinen lernen von vorn; um das Gelernte zu behalten, das Gateway anhalten und eine Sicherung einspielen
store_damaged = die Datenbank war beschädigt und liegt als { $path } bereit; eine neue wurde angelegt, die Maschinen lernen von vorn; um das Gelernte zu behalten, das Gateway anhalten und eine Sicherung einspielen
store_salvaged =
    die Datenbank war beschädigt und liegt als { $path } bereit; { $count ->
        [one] { $count } Zeile war lesbar und wurde
       *[other] { $count } Zeilen waren lesbar und wurden
    } in eine neue übernommen; die übrigen sind verloren: um sie zurückzuholen, das Gateway anhalten und eine Sicherung einspielen
store_log_damaged =
    das Protokoll der Datenbank war beschädigt (aufgehoben als { $path }): { $count ->
        [one] { $count } Transaktion ist
       *[other] { $count } Transaktionen sind
    } verloren; bei Wiederholung den Datenträger ersetzen
client_id_taken = Verbindungen zu { $broker } enden nach Sekunden: Wahrscheinlich verwendet ein anderer Client die Kennung { $client }; ihn beenden oder einem der beiden eine andere geben (gateway.id, site.id; beim Dashboard dashboard.client_id)
receipts_rejected = Quittungen ohne Signatur eines vertrauten Dashboards werden abgelehnt, die genannten Nachrichten bleiben gespeichert: ein Dashboard aktualisieren, das älter als dieses Gateway ist, oder dessen Schlüssel in [gateway] dashboard_keys eintragen; läuft kein solches Dashboard, die Passwörter des Brokers ändern
gateway_duplicate = ein zweites Gateway mit demselben Standort und derselben id sendet; seine Maschinen werden nicht gezeigt: es beenden oder seine gateway.id ändern
source_kind_unknown = keine Art von Quelle heißt { $kind }; installiert sind { $kinds }
source_kind_broken = die Art von Quelle { $kind } lässt sich nicht laden: { $detail }; ihr Paket neu installieren
source_only_in_file = Quellen der Art { $kind } werden nur in der eigenen Datei des Gateways eingerichtet
source_not_from_page = die Seite darf auf diesem Gateway keine Quellen der Art { $kind } einrichten: in seiner Datei { $kind } bei page_sources in [gateway] ergänzen und es neu starten
setting_not_from_page = die Seite kann { $key } nicht auf diesen Wert setzen; die Quelle in die eigene Datei des Gateways schreiben
package_missing = das Paket { $package } ist nicht installiert: pip install 'auscult[{ $extra }]'
library_missing = { $package } findet seine Bibliothek nicht ({ $detail }); sie installieren
source_not_connected = nicht mit seinem Broker verbunden
source_no_thread = kein Thread mehr frei: Die Grenze des Systems für diesen Prozess ist erreicht; sie anheben (TasksMax der Unit, pids_limit des Containers) oder Maschinen auf ein anderes Gateway verteilen
sources_no_thread =
    für { $count ->
        [one] { $count } Quelle
       *[other] { $count } Quellen
    } kein Thread mehr frei: Die Grenze des Systems für diesen Prozess ist erreicht; sie anheben (TasksMax der Unit, pids_limit des Containers) oder Maschinen auf ein anderes Gateway verteilen
subscription_refused = der Broker lehnt das Abonnement von { $topic } ab; das Lesen{ OPTIONAL(" für Benutzer ", $user) } in seiner Zugriffsliste erlauben
nothing_on_topic = in { QUANTITY($after_s, "s") } kam auf { $topic } nichts an. Entweder veröffentlicht dort niemand etwas, oder der Broker hält es zurück: Mosquitto meldet einem Client nicht, welche Topics die Zugriffsliste sperrt. Zum Freigeben in der Liste{ OPTIONAL(" unter „user ", $user, "“") } die Zeile „topic read { $line }“ ergänzen
no_numbers_on_topic =
    { $count ->
        [one] { $count } Nachricht kam
       *[other] { $count } Nachrichten kamen
    } auf { $topic } an, keine mit einer Zahl in JSON
not_processed = nicht zu verarbeiten: { $detail }; siehe Protokoll des Gateways
source_part = { $what }: { $problem }
messages_lost =
    { $count ->
        [one] { $count } Nachricht
       *[other] { $count } Nachrichten
    } verloren
blocks_dropped =
    { $count ->
        [one] { $count } Block
       *[other] { $count } Blöcke
    } verworfen: Das Gateway war zu langsam

# samples that do not fit the point

point_not_configured = Messpunkt { $point } ist nicht eingerichtet; einrichten oder an der Quelle entfernen
wrong_rate = Messwerte mit { QUANTITY($fs_hz, "Hz") }, der Messpunkt ist mit { QUANTITY($configured_hz, "Hz") } eingerichtet; eines davon berichtigen
wrong_unit = Messwerte in { $unit }, der Messpunkt ist mit { $configured } eingerichtet; eines davon berichtigen
point_takes_samples = einzelne Werte, der Messpunkt nimmt Abtastwerte; einen anderen Punkt wählen

# messages that can't be used

no_waveform = { $what } ist kein Zeitsignal: { $problem }
sampling_clock = Sensorstörung: Nach den Zeiten seiner Blöcke misst er mit etwa { QUANTITY($hz, "Hz") }, angegeben sind { QUANTITY($fs_hz, "Hz") }; Rate berichtigen oder Sensor ersetzen
samples_not_finite = Messwerte sind keine endlichen Zahlen
not_json = kein JSON: { $payload }
no_value_at = kein Wert bei { $pointer }
not_a_number = { $value } ist keine Zahl
value_too_large = { $value } liegt jenseits von ±{ $limit } und ist darum kein Messwert: Zahlentyp, Wortfolge und Skalierung prüfen
metric_empty = die Metrik hat keinen Wert

# manifests of recordings

recording_unreadable = { $path }: nicht als WAV oder FLAC lesbar{ OPTIONAL(" (", $detail, ")") }; die Datei noch einmal kopieren
manifest_unreadable = { $path }: nicht lesbar ({ $detail }); ein einfacher Ordner braucht recordings.toml oder die Ordner healthy und faulty: docs/sensors/files.md
manifest_no_column = { $path }: Spalte { $column } fehlt; nötig sind { $columns }
manifest_cells = { $path }: Zeile { $row } hat mehr Zellen als der Kopf; eine Zelle mit dem Trennzeichen in Anführungszeichen setzen
manifest_empty = { $path }: keine Aufnahmen; eine Zeile je Kanal eintragen
manifest_row = { $path }: Zeile { $row }: { $column } = „{ $value }“: { $problem }
manifest_disagrees = Zeile { $row } derselben Aufnahme hat „{ $value }“; beide angleichen
manifest_rate = die Datei hat { QUANTITY($fs_hz, "Hz") }; das Manifest berichtigen
manifest_doubled = in Aufnahme { $recording } doppelt vergeben
not_audio = nicht als WAV oder FLAC lesbar ({ $detail })
bursts_incomplete = Messdauer und Abstand (burst_s, interval_s) zusammen angeben oder keins

# raw streams, cards and microphones

device_overruns =
    Abtastwerte { $count ->
        [one] { $count } Mal
       *[other] { $count } Mal
    } verloren: das Gerät wurde zu spät gelesen
device_absent = kein Gerät { $device }{ OPTIONAL("; gefunden ", $devices) }; anschließen oder den Namen berichtigen
device_failed = { $device } arbeitet nicht ({ $detail })
device_silent = { $device } liefert seit { QUANTITY($after_s, "s") } nichts; ist es angeschlossen?
calibration_no_tone = { $point }: der Referenzton hat { PERCENT($share) } der Leistung, nötig sind 90%; den Kalibrator aufsetzen und andere Geräusche verringern
calibration_clipped = { $point }: der Ton erreicht die Vollaussteuerung; die Verstärkung verringern

# files of any format

file_format_unknown = { $path }: unbekanntes Format; bekannte Endungen sind { $endings }
file_incomplete = { $path }: endet zu früh; die Datei wird noch geschrieben, oder sie erneut kopieren
recording_damaged = { $path }: nicht als { $format } lesbar ({ $detail }); erneut kopieren oder exportieren
file_no_numbers = { $path }: keine Zeile mit Zahlen in den ersten { $lines } Zeilen
file_line_cells = { $path }: Zeile { $line } hat { $cells } Zellen, erwartet werden { $expected }
file_cell = { $path }: Zeile { $line }: { $value } ist weder eine Zahl noch eine Zeit
file_no_column = { $path }: { $column } fehlt; vorhanden sind { $columns }
file_no_rate = { $path }: nennt keine Abtastrate; fs_hz angeben oder die Zeitspalte nennen
file_rate = { $path }: { QUANTITY($fs_hz, "Hz") } liegt außerhalb von { $low } bis { QUANTITY($high, "Hz") }; fs_hz oder die Einheit der Zeitspalte berichtigen
file_times_uneven = { $path }: die Schritte von { $column } sind ungleich; Abtastwerte fehlen, oder fs_hz angeben
file_unit = { $path }: Kanal { $channel } hat die Einheit { $unit }, die kein Messpunkt hat; unit angeben
file_not_finite =
    { $path }: Kanal { $channel } hat { $count ->
        [one] { $count } Abtastwert
       *[other] { $count } Abtastwerte
    } ohne Zahl; erneut exportieren
set_no_converter = { $name }: { $note }
file_channels_differ = { $path }: Kanal { $channel } hat eine andere Rate oder Länge als der erste; die Kanäle einzeln importieren
file_too_large = { $path } enthält entpackt { $size } MB, höchstens { $limit } MB passen in ein Viertel des Speichers dieses Rechners: in kürzere Aufzeichnungen teilen
file_refers = { $path }: die Zahlen von { $channel } liegen in einer anderen Datei (externer oder virtueller Speicher); mit allen Daten in einer Datei exportieren
file_no_signal = { $path }: kein Kanal mit mindestens { $samples } Abtastwerten
file_no_channel = { $path }: kein Kanal { $channel }; vorhanden sind { $channels }
folder_key = { $path }: { $problem }
folder_no_files = { $path }: keine Datei passt auf { $pattern }

# tables of values

values_key = { $path }: { $key }: { $problem }
values_no_file = { $path }: { $key } = „{ $value }“: diese Datei gibt es nicht; den Namen berichtigen
values_outside = { $path }: { $key } = „{ $value }“ liegt außerhalb von { $folder }; die Tabelle in diesen Ordner legen und dort nennen
values_no_column = { $path }: keine Spalte „{ $value }“, die { $key } in values.toml nennt; vorhanden sind { $columns }: eine davon nennen
values_column_taken = { $path }: { $key } = „{ $column }“ in values.toml ist schon die Spalte von { $taken }; eine andere nennen
values_no_number = { $path }: Spalte „{ $column }“, die { $key } in values.toml nennt, enthält keine Zahl; eine andere Spalte nennen oder erneut exportieren
values_time = { $path }: Zeile { $line }: { $column } = „{ $value }“ ist keine Zeit; ISO 8601 oder eine Epoche verwenden, oder time_format in values.toml angeben
values_time_format = „{ $value }“ liest denselben Teil einer Zeit zweimal; jeden Teil einmal nennen, etwa %d.%m.%Y %H:%M
values_zone = { $path }: timezone = „{ $value }“ in values.toml ist unbekannt; einen Namen wie Europe/Berlin verwenden
values_empty = { $path }: keine Zeile hat eine Zeit; die Tabelle erneut exportieren
values_order = from liegt nach to; beide vertauschen
values_layout = eine lange Tabelle hat tag und value; beide angeben oder keines
values_running = table und column angeben, oder point
values_no_point = es gibt keinen Messpunkt { $point }; einen von { $points } nennen
values_no_machine = { $path }: das Gateway hat keine Maschine { $value }; es hat { $machines }: diese einrichten oder die Kennung berichtigen
values_waveforms = { $path }: Maschine { $value } hat auch Signale, deren Grundlage eine Tabelle nicht geben kann; sie weglassen
values_no_tables = { $path }: keine Tabelle gefunden; bekannte Endungen sind { $endings }
values_no_header = { $path }: keine der ersten { $lines } Zeilen nennt Spalten, unter denen Zeilen folgen; die Tabelle mit Kopfzeile exportieren
values_no_times = { $path }: keine der Spalten { $columns } enthält Zeiten; time und time_format angeben, in values.toml oder auf der Seite
values_ask_zone = { $path }: { $column } = „{ $value }“ nennt keine Zeitzone; angeben, welche gilt: --timezone Europe/Berlin oder --timezone UTC
values_no_columns = { $path }: keine der Spalten { $columns } enthält Zahlen; erneut exportieren
draft_zone = { $column } = „{ $value }“ nennt keine Zeitzone: angeben, welche gilt, etwa Europe/Berlin, oder UTC
draft_unit = Messgröße und Einheit von { $column } ergänzen
draft_quantity = Messgröße von { $column } ergänzen
draft_run_bits = Laufbits; Tabelle und Spalte { $column } bei ihren Maschinen als running angeben
draft_events = bekannte Ereignisse; die Tabelle bei ihren Maschinen als events angeben
values_no_text = { $path }: kein Text in UTF-8; als CSV in UTF-8 oder als Parquet exportieren
values_other_table = die Tabelle heißt „{ $value }“, zugeordnet wird aber { $table }; diesen Namen verwenden
values_by_hand = { $path } lässt sich nicht eintragsweise ändern; jede Maschine als [[machine]] schreiben oder die Datei von Hand ergänzen
values_not_written = { $path } lässt sich nicht schreiben ({ $detail }); dem Gateway das Schreiben in diesem Ordner erlauben
table_unknown = „{ $value }“: keine solche Tabelle in { $folder }; eine Datei mit einer dieser Endungen nennen: { $endings }
table_outside = „{ $value }“ liegt außerhalb von { $folder } (recordings_dir); die Tabelle in diesen Ordner legen
table_changed = die Zuordnung von { $table } wurde inzwischen von jemand anderem geändert; die Tabelle bitte neu laden
table_checked =
    { $count ->
        [one] die ersten Zeilen passen: ein Messpunkt
       *[other] die ersten Zeilen passen: { $count } Messpunkte
    }
table_mapped =
    { $count ->
        [one] Ein Messpunkt steht in { $path }. Auf dem Gateway proben: auscult rehearse { $folder }
       *[other] { $count } Messpunkte stehen in { $path }. Auf dem Gateway proben: auscult rehearse { $folder }
    }
values_twice = { $id } ist doppelt vergeben; eines umbenennen

# cells of a manifest

empty = darf nicht leer sein
first_word_of = das erste Wort muss eines von diesen sein: { $choices }
number_between = muss eine Zahl von { $low } bis { $high } sein

# settings of machines and gateways

limit_empty = Grenze auf { $feature }: Warnung, Alarm oder beides angeben
limit_order = Grenze auf { $feature }: Die Warnung bei { $warning } muss vor dem Alarm bei { $alarm } erreicht werden
volts_without_sensitivity = die Einheit V braucht eine Empfindlichkeit mit Einheit
envelope_incomplete = bei der Hüllkurve beide Grenzen angeben oder keine
envelope_outside_rate = die Grenzen der Hüllkurve, { $low_hz } und { $high_hz }, müssen ansteigen und unter { QUANTITY($limit_hz, "Hz") } liegen, der halben Abtastrate
shaft_twice = Maschine { $machine } hat eine Welle doppelt; 1 ist die gemessene Welle
shaft_unknown = Maschine { $machine } hat keine Welle { $shaft }; mit ihrer Übersetzung eintragen
shaft_ratio = Welle { $shaft } hat die Übersetzung { $ratio }, ihre Verzahnung nach den Zähnen aber { $by_teeth }
point_bearing_unknown = Messpunkt { $point } nennt das Lager { $name }, das die Maschine nicht hat
bearing_incomplete = Lager { $name }: balls, ball_diameter_mm und pitch_diameter_mm angeben, oder mindestens einen der Werte bpfo, bpfi, bsf, ftf als Vielfaches der Drehfrequenz
bearing_not_described = Lager { $name } steht nicht im Katalog: Zahl und Durchmesser der Wälzkörper angeben, oder die Herstellerwerte bpfo, bpfi, bsf, ftf als Vielfache der Drehfrequenz
bearing_races_swapped = BPFO { $bpfo } ist nicht kleiner als BPFI { $bpfi }: vielleicht vertauscht
belt_too_short = ein Riemen von { QUANTITY($length, "mm") } ist kürzer als der Umfang { QUANTITY($least, "mm") } seiner Scheibe
point_id_twice = Maschine { $machine } hat den Messpunkt { $point } doppelt
id_malformed = Kennung { $id }: 1 bis 64 Buchstaben, Ziffern, „_“, „.“ oder „-“, am Anfang ein Buchstabe oder eine Ziffer
id_reserved = die Kennung { $id } ist im MQTT-Themenbaum vergeben: eine andere wählen
named_twice = { WORD($what) } „{ $name }“ ist doppelt genannt
topic_wildcard = Thema { $topic } hat einen Platzhalter: ein einzelnes Thema nennen
source_machine_unknown = die Quelle spielt Maschine { $machine }, die nicht eingerichtet ist: unter [[machines]] aufnehmen oder as_machine setzen
certificate_incomplete = cert_file und key_file gehören zusammen: beide angeben oder keins
key_malformed = ein öffentlicher Schlüssel hat { $digits } hexadezimale Ziffern; „auscult delta key“ zeigt den eines Gateways


## Commissioning: problems of machines and of tables of machines

# tables of machines

table_unreadable = die Tabelle ist kein CSV: { $problem }
table_empty = die Tabelle ist leer
table_too_long = mehr als { $most } Zeilen; die Tabelle in Teilen einlesen
column_missing = diese Spalte fehlt
cells_beyond_head = mehr Zellen als Spalten: Zellen, die { $separator } enthalten, in Anführungszeichen setzen
column_unknown = diese Spalte gibt es nicht; siehe Vorlage
cell_empty = darf nicht leer sein
cell_not_number = „{ $cell }“ ist keine Zahl
cell_not_whole = „{ $cell }“ ist keine ganze Zahl
cell_not_yes_or_no = „{ $cell }“: yes oder no schreiben
cell_contradicts = weicht von Zeile { $first } ab{ OPTIONAL(", dort: ", $other) }; nur einmal angeben, oder in beiden Zeilen gleich
cell_limit_form = „{ $cell }“: Merkmal>Warnung/Alarm schreiben, z. B. kurtosis>4/8
cell_tag_form = „{ $cell }“: Name=Thema#/Ort *Faktor +Versatz schreiben, z. B. speed_rpm=plc/pump-1#/speed *60
cell_address_form = „{ $cell }“: sparkplug:Gruppe/Edge Node/Gerät#Metrik schreiben; das Gerät darf fehlen
cell_metric_tag_form = „{ $cell }“: Name=sparkplug:… *Faktor +Versatz schreiben
bearing_unknown = kein Lager „{ $name }“ im Katalog; zuerst dort aufnehmen
cell_bearing_form = { $cell }: eine Bezeichnung schreiben, NAME=BPFO/BPFI/BSF/FTF als Ordnungen, oder NAME=Kugeln x Durchmesser/Teilkreis/Winkel; am Ende @2 für Welle 2
cell_shaft_form = { $cell }: Welle=Übersetzung schreiben, z. B. 2=0.568
cell_gear_form = { $cell }: Zähne treibend/getrieben und ihre Wellen schreiben, z. B. 21/37@1>2
cell_belt_form = { $cell }: Scheibe/Riemenlänge in mm schreiben, z. B. 200/2000
source_kinds_mixed = diese Maschine spielt schon Aufnahmen; eine Maschine hat nur eine Art von Quelle
source_groups_mixed = die Messpunkte einer Maschine liegen in einer Sparkplug-Gruppe, hier { $group }
tags_without_topic = braucht einen Messpunkt mit Thema

# the command `configure`

machines_changed = die Maschinen wurden inzwischen von jemand anderem geändert; bitte neu laden
machines_checked =
    { $count ->
        [one] { $count } Maschine
       *[other] { $count } Maschinen
    } geprüft; nichts wurde geändert{ OPTIONAL("; ", $takes) }
baseline_takes = die Referenz von { $machine } braucht mindestens { QUANTITY($time, $unit) } gemessenen Betrieb
machines_unchanged =
    { $count ->
        [one] { $count } Maschine
       *[other] { $count } Maschinen
    }; nichts hat sich geändert
machines_stored =
    { $count ->
        [one] { $count } Maschine
       *[other] { $count } Maschinen
    } gespeichert
machine_in_file = Maschine { $machine } steht in der eigenen Datei des Gateways; dort ändern oder eine andere Kennung wählen
machine_id_twice = die Kennung { $machine } ist doppelt
source_machine_unlisted = sie liefert an Maschine { $machine }, die nicht in der Liste ist
source_twice = Maschine { $machine } hat schon eine Quelle
point_fed_twice = zwei Quellen liefern an Messpunkt { $point }: Quelle { $number } ({ $kind }) und Quelle { $second } ({ $second_kind }); ihn aus einer entfernen oder ihr einen eigenen Messpunkt geben
source_other_broker = einen anderen Broker in der eigenen Datei des Gateways nennen
source_outside_folder = { $manifest } liegt außerhalb von recordings_dir des Gateways ({ $folder })
and_more = { $first } (und { $more } weitere)


## Dashboard: problems that the server answers with

# requests

not_found = { WORD($what) } „{ $id }“ gibt es nicht
no_such_path = unter { $path } gibt es nichts; /api/openapi.json nennt alle Pfade
http_error = { $problem }
invalid_request = { $where }: { $problem }
empty_period = der Zeitraum ist leer: Der Anfang { $start_ms } muss vor dem Ende { $end_ms } liegen
cursor_unknown = cursor: stammt nicht von diesem Server; weglassen, um von vorn zu beginnen
id_taken = die Kennung { $id } gehört zu einer anderen Anfrage; eine neue erzeugen
body_too_large = die Anfrage ist größer als { $limit } Byte, die Grenze dieses Pfads; weniger senden
body_too_slow = die Anfrage war nicht innerhalb von { QUANTITY($limit_s, "s") } vollständig; die Verbindung prüfen
host_unknown = { $host } ist kein Name dieses Servers; ihn über seine Adresse öffnen oder den Namen in [dashboard] hosts eintragen
too_many_attempts = zu viele Anmeldeversuche; in { QUANTITY($wait_s, "s") } noch einmal versuchen
foreign_page = die Anfrage kommt von einer fremden Seite; die Seite dieses Servers öffnen
store_unavailable = die Datenbank kann jetzt nicht speichern oder lesen ({ $cause }); noch einmal versuchen, dann Datenbank und Platte prüfen
broker_not_connected = nicht verbunden; es wird weiter versucht
server_error = ein Fehler im Server; sein Protokoll nennt die Ursache
parquet_missing = Parquet braucht auf dem Server das Extra „export“: pip install „auscult[export]“

# sign-in

sign_in_first = bitte zuerst anmelden
token_unknown = das Token ist unbekannt, abgelaufen oder widerrufen; einen Administrator um ein neues bitten
sites_without_role = Kein Standort bleibt: einen Standort wählen, eine Rolle an allen Standorten geben oder das Konto sperren
administrator_of_sites = ein Administrator hat alle Standorte; für einen Standort höchstens Ingenieur wählen
all_sites_needed = das teilen sich alle Standorte; { $name } hat nur an einigen Standorten eine Rolle
role_needed = dafür braucht es die Rolle { WORD($needed) }; { $name } hat die Rolle { WORD($role) }
role_needed_login_off = dafür braucht es die Rolle { WORD($needed) }; ohne Anmeldung hat jeder die Rolle { WORD($role) }: [dashboard] login auf „required“ setzen
not_admitted = Name oder Passwort ist falsch, oder das Konto ist nach Fehlversuchen vorübergehend gesperrt
first_start_code = der Code ist nicht der aus { $file } im Datenordner des Servers
administrator_exists = es gibt schon einen Administrator; bitte anmelden
old_password_wrong = das alte Passwort ist falsch

# accounts

name_malformed = Name: 2 bis 64 Buchstaben, Ziffern, „.“, „_“, „@“ oder „-“
name_taken = der Name { $name } ist vergeben
last_administrator = es muss einen aktiven Administrator geben; zuerst einen anderen anlegen
password_short = das Passwort hat { $length } Zeichen; mindestens { $least } sind nötig
password_long = das Passwort hat { $length } Zeichen; höchstens { $most } sind erlaubt
password_monotonous = das Passwort braucht mindestens { $least } verschiedene Zeichen
password_of_name = das Passwort darf nicht aus dem Namen gebildet sein

# templates

template_point_missing = sie hat den Messpunkt { $point } der Vorlage nicht
template_point_differs = ihr Messpunkt { $point } misst eine andere Größe oder Einheit als die der Vorlage
machine_of_the_file = { $machine } steht in der eigenen Datei des Gateways; dort ändern

# enrolment of gateways

enrolment_closed = dieses Dashboard nimmt Gateways nicht per Code auf: [dashboard.enrolment] folder und broker setzen
enrolment_failed = das Gateway kann nicht aufgenommen werden: { $cause }
gateway_id_reserved = { $gateway } ist ein Benutzer des Brokers; eine andere Kennung wählen
gateway_id_taken = Gateway { $gateway } ist am Standort { $site } aufgenommen; eine andere Kennung wählen oder jenes zuerst löschen
code_rejected = der Code ist falsch, benutzt oder abgelaufen; einen Administrator um einen neuen bitten

# staged updates of gateways

updates_closed = dieses Dashboard bietet keine Updates an: [dashboard.updates] folder und address setzen
bundle_unsigned = { $path } ist nicht mit diesem Schlüssel signiert
bundle_damaged = { $path } ist beschädigt oder kein Bundle: { $cause }
bundle_away = das Bundle ist nicht in { $folder }: auf diesem Server noch einmal hinzufügen
download_key_wrong = der Schlüssel dieses Downloads ist ungültig
stage_malformed = Stufe { $stage }: eine Anzahl Gateways oder einen Anteil wie 10% angeben
rollout_no_bundle = es gibt kein Bundle der Version { $version }; mit „auscult updates add“ hinzufügen
rollout_no_platform = es gibt kein Bundle der Version { $version } für { $platform }
rollout_busy = Gateway { $gateway } gehört zu einem anderen Rollout, der nicht beendet ist
rollout_empty = kein Gateway nimmt Updates vom Dashboard an
rollout_is = der Rollout ist { WORD($state) }
rollout_stopped = angehalten bei { $gateway }: { $cause }
rollout_unwell = angehalten: { $gateway } hat die neue Version und ist nicht gesund
update_step = das Update endete als { WORD($step) }
update_late = kein Ergebnis innerhalb von { QUANTITY($limit_s, "s") }

# bearings

bearing_published = { $name } steht schon im Katalog; einen anderen Namen wählen
bearing_ball_too_large = der Durchmesser der Wälzkörper muss kleiner sein als der Teilkreisdurchmesser

# two points

pair_no_clips = von { $x } und { $y } gibt es keine Signale derselben Zeit; beide abrufen
pair_no_clock = { $x } und { $y } haben keinen gemeinsamen Abtasttakt, ihre Phasen sind nicht vergleichbar
pair_differs = { $x } und { $y } haben verschiedene Einheiten oder Abtastraten, ihre Phasen sind nicht vergleichbar
pair_no_speed = die Drehzahl von { $machine } ist nicht bekannt; die Drehfrequenz angeben
pair_too_short = { QUANTITY($duration_s, "s") } beider Punkte lösen eine Drehfrequenz von { QUANTITY($shaft_hz, "Hz") } nicht auf; einen längeren Ausschnitt abrufen

# answers of gateways

gateway_known = Gateway { $gateway } ist bereits aufgenommen
gateway_online = Gateway { $gateway } ist verbunden; es vor dem Löschen anhalten
gateway_rejected = { $reason }
no_answer = Gateway { $gateway } hat nicht innerhalb von { QUANTITY($wait_s, "s") } geantwortet; noch einmal versuchen, wenn es verbunden ist
no_preview = die Antwort des Gateways enthält keine Vorschau; das Gateway aktualisieren
no_delta = die Antwort des Gateways enthält kein Delta; das Gateway aktualisieren
not_base64 = ist keine Datei in base64
kind_without_fault = eine Art von Schaden gehört nur zu einem bestätigten Schaden; weglassen
expired_unanswered = das Gateway hat nicht rechtzeitig geantwortet; noch einmal versuchen, wenn es verbunden ist


## Values: why one of a request, a table or a configuration is rejected

value_missing = eine Angabe fehlt
value_unknown_key = ein Feld dieses Namens gibt es nicht
value_not_text = muss ein Text sein
value_not_number = muss eine Zahl sein
value_not_whole = muss eine ganze Zahl sein
value_not_truth = muss true oder false sein
value_not_list = muss eine Liste sein
value_not_object = muss ein Objekt mit benannten Feldern sein
value_too_short = mindestens { $least } Zeichen
value_too_long = höchstens { $most } Zeichen
text_control = enthält ein Steuerzeichen, zum Beispiel NUL: entfernen
unit_characters = eine Einheit enthält weder < > & " ' noch ein Zeilenende: entfernen
client_id_characters = eine Client-Kennung enthält weder Leerzeichen noch / \ + #: Buchstaben, Ziffern und '_ . : -' verwenden
value_pattern = muss dem Muster { $pattern } entsprechen
value_more_than = größer als { $limit }
value_at_least = mindestens { $limit }
value_less_than = kleiner als { $limit }
value_at_most = höchstens { $limit }
value_one_of = erlaubt sind: { $expected }
list_too_short =
    mindestens { $least ->
        [one] { $least } Eintrag
       *[other] { $least } Einträge
    }
list_too_long =
    höchstens { $most ->
        [one] { $most } Eintrag
       *[other] { $most } Einträge
    }
value_not_json = ist kein gültiges JSON
value_other = { $problem }


## Overall values

# settings of points

unit_unknown = Einheit { $unit }: eine von diesen wählen: { $units }
rate_too_low = fs_hz = { $fs_hz }: Abtastwerte brauchen mindestens { QUANTITY($limit_hz, "Hz") }
only_for_values = Messpunkt { $point }: quantity, interval_s, resolution, counter und state gehören zur Art „value“; entfernen
value_incomplete = Messpunkt { $point }: ein Einzelwert braucht Messgröße und Abstand
value_has_no_rate = Messpunkt { $point }: ein Einzelwert hat keine Abtastrate; entfernen
counter_needs_plain_quantity = die Messgröße { $quantity } kann nicht gezählt werden; „other“ verwenden

# values that can't be used

point_takes_values = Abtastwerte, der Messpunkt nimmt Einzelwerte; einen anderen Messpunkt wählen
clip_of_value = { $point } hat Einzelwerte und kein Signal
tag_not_categorical = { $value } ist ein Messwert: dem Prozesswert { $name } eine Auflösung geben oder einen Messpunkt der Art „value“ daraus machen
time_not_plausible = die Zeit { $t_ns } liegt { QUANTITY($days, "d") } neben der Uhr des Gateways; ns seit 1970 in UTC senden und die Uhren prüfen
time_unit = die Zeit { $t_ns } ist in { $unit }, nicht in ns seit 1970; den Sender berichtigen
time_malformed = die Zeit { $value } ist weder ISO 8601 noch eine Zahl seit 1970
no_value_by = kein Wert unter { $path }; die Nachricht hat { $keys }
path_malformed = { $path } ist kein JMESPath-Ausdruck: { $detail }

# the preview of topics

preview_busy = eine andere Vorschau hört gerade zu; in einigen Sekunden wieder versuchen
preview_no_broker = der Broker antwortet nicht; seine Verbindung prüfen, dann wieder versuchen

# their sources

template_unknown = es gibt keine Vorlage { $name }; es gibt { $names }
template_value_unknown = die Vorlage { $template } hat keinen Wert { $name }; sie hat { $names }
mapping_incomplete = Wert des Messpunkts { $point }: angeben: { $keys }
link_down = keine Verbindung zu { $peer }: { $detail }
reach_refused = die Verbindung wird abgelehnt; den Port prüfen und ob das Protokoll am Gerät eingeschaltet ist
reach_silent = keine Antwort innerhalb von { QUANTITY($after_s, "s") }; Adresse, Stromversorgung, Netz und Firewall prüfen
reach_no_name = der Name { $host } ist unbekannt; ihn prüfen oder die IP-Adresse eingeben
reach_no_route = das Gateway hat keinen Weg zu { $host }; Adresse und Netz des Gateways prüfen
reach_ended = die Verbindung wurde beendet; prüfen, ob das Gerät eine weitere Verbindung annimmt
reach_no_line = es gibt keine serielle Leitung { $port }; den Adapter einstecken oder den Namen berichtigen
reach_line_denied = das Gateway darf { $port } nicht öffnen; seinen Benutzer in die Gruppe der seriellen Leitungen aufnehmen (dialout)
reach_line_used = ein anderes Programm benutzt { $port }; es beenden, denn nur eines kann eine serielle Leitung benutzen
line_differs = die Quellen von { $machine } und { $second } teilen die Leitung { $line }, aber { $key } ist { $value } bei der einen und { $second_value } bei der anderen; beiden den gleichen Wert geben

# a source that is tried before it is set up

trial_busy = gerade wird eine andere Quelle ausprobiert; in einigen Sekunden wieder versuchen
trial_often = { $limit } Quellen wurden innerhalb einer Minute ausprobiert; in { QUANTITY($wait_s, "s") } wieder versuchen
trial_only_values = Quellen der Art { $kind } haben keine Vorschau; sie ist für Einzelwerte
trial_too_many = { $count } Werte; eine Vorschau liest höchstens { $limit }
trial_nothing = innerhalb von { QUANTITY($after_s, "s") } kam nichts an
trial_failed = die Quelle arbeitet nicht ({ $detail })
trial_done = { $count } von { $all } Werten sind angekommen


## Words that sentences use by their code

# faults of machines

word-outer = Außenringschaden
word-inner = Innenringschaden
word-ball = Wälzkörperschaden
word-cage = Käfigschaden
word-bearing = Lagerschaden
word-imbalance = Unwucht
word-misalignment = Ausrichtfehler
word-bent = krumme Welle
word-looseness = Lockerung
word-gear = Getriebeschaden
word-rub = Anstreifen
word-electrical = elektrischer Fehler
word-blades = Schwingung mit Schaufelfrequenz
word-propeller = Propeller- oder Lüfterschaden
word-belt = verschlissener oder loser Riemen
word-turbulence = turbulente Strömung
word-cavitation = Kavitation
word-lubrication = Schmiermangel
word-sensor = Sensor
word-run_state = Angabe, ob sie läuft
word-supply = mehrere Maschinen stumm
word-broker = Broker

# faults of sensors

word-not_finite = Werte, die keine Zahlen sind
word-flat_line = Signal ohne jede Änderung
word-uncertain = die Quelle meldet den Wert als unsicher
word-bias = Ruhespannung außerhalb des Bereichs: Kabelbruch oder Kurzschluss
word-dropout = Aussetzer im Signal
word-held = Werte wiederholen sich, der Wandler ist langsamer als die angegebene Rate
word-noise_floor = nichts über dem Rauschen des Wandlers
word-clipping = übersteuert: Wandler oder Sensor am Anschlag
word-spikes = einzelne Spitzen: elektrische Störung

# standards

word-ISO-20816-3-group-1-rigid = ISO 20816-3 Gruppe 1, starr
word-ISO-20816-3-group-1-flexible = ISO 20816-3 Gruppe 1, elastisch
word-ISO-20816-3-group-2-rigid = ISO 20816-3 Gruppe 2, starr
word-ISO-20816-3-group-2-flexible = ISO 20816-3 Gruppe 2, elastisch
word-ISO-10816-1-class-I = ISO 10816-1 Klasse I
word-ISO-10816-1-class-II = ISO 10816-1 Klasse II
word-ISO-10816-1-class-III = ISO 10816-1 Klasse III
word-ISO-10816-1-class-IV = ISO 10816-1 Klasse IV

# tags of operating states

word-inferred-state = erkannter Zustand

# lengths of time

word-months = Monaten
word-days = Tagen
word-hours = Stunden
word-minutes = Minuten

# levels

word-urgency-now = sofort handeln
word-urgency-days = innerhalb von Tagen
word-urgency-weeks = innerhalb von Wochen
word-urgency-watch = beobachten
word-urgency-over = vorerst vorbei
word-consequence-high = hoch
word-consequence-medium = mittel
word-consequence-low = gering
word-unknown = unbekannt
word-unmeasured = nicht gemessen
word-learning = lernend
word-normal = normal
word-warning = Warnung
word-alarm = Alarm
word-above = überschreitet
word-below = unterschreitet
word-more = mehr
word-less = weniger

# states of alarms

word-acknowledged = quittiert
word-shelved = zurückgestellt
word-out_of_service = außer Betrieb
word-planned_work = in geplanter Arbeit

# roles

word-viewer = Betrachter
word-technician = Techniker
word-engineer = Ingenieur
word-administrator = Administrator

# what a request names

word-gateway = Gateway
word-rollout = Rollout
word-bundle = Bundle

# rollouts

word-running = im Gang
word-stopped = angehalten
word-cancelled = abgebrochen
word-done = beendet
word-rolled_back = zurückgerollt
word-failed = fehlgeschlagen
word-rejected = abgelehnt
word-code = Code
word-machine = Maschine
word-point = Messpunkt
word-event = Ereignis
word-label = Antwort
word-command = Befehl
word-clip = Klangprobe
word-spectrum = Spektrum
word-run_up = Hochlauf
word-topic = Thema
word-tag = Betriebswert
word-checkpoints = Liste der Lernstände von Maschine
word-configuration = Konfiguration von Gateway
word-own_bearing = eigenes Lager
word-account = Konto
word-token = Token
word-case = Fall
word-photo = Foto
word-note = Notiz
word-message = Nachricht
word-channel = Kanal
word-rule = Regel
word-order = Auftrag
word-order_system = Instandhaltungssystem
word-report = Bericht
word-prescription = eigene Anweisung


## Names of features, without their unit

feature-mean = Mittelwert
feature-rms = Effektivwert
feature-peak = Spitzenwert
feature-peak_to_peak = Spitze-Spitze
feature-crest_factor = Scheitelfaktor
feature-kurtosis = Kurtosis
feature-skewness = Schiefe
feature-shape_factor = Formfaktor
feature-impulse_factor = Impulsfaktor
feature-clearance_factor = Clearance-Faktor
feature-velocity_rms = Schwinggeschwindigkeit, effektiv
feature-displacement_rms = Schwingweg, effektiv
feature-acceleration_rms = Beschleunigung, effektiv
feature-velocity_peak = Schwinggeschwindigkeit, Spitze
feature-acceleration_peak = Beschleunigung, Spitze
feature-temperature = Temperatur
feature-current = Strom
feature-voltage = Spannung
feature-power = Leistung
feature-energy = Energie
feature-pressure = Druck
feature-flow = Durchfluss
feature-fill_level = Füllstand
feature-speed = Drehzahl
feature-humidity = Feuchte
feature-value = Wert
feature-spectral_centroid = Schwerpunkt des Spektrums
feature-spectral_spread = Breite des Spektrums
feature-spectral_entropy = Gleichmaß des Spektrums
feature-spectral_flatness = Flachheit des Spektrums
feature-spectral_rolloff = Obere Kante des Spektrums
feature-band_n = Frequenzband { $n }
feature-third_octave_n = Terz { $n }
feature-octave_n = Oktave { $n }
feature-envelope_band_n = Hüllkurve, Band { $n }
feature-mel_n = Schallband { $n }
feature-mel_fluctuation_n = Schwankung, Schallband { $n }
feature-a_weighted_rms = A-bewerteter Pegel
feature-bpfo = Außenring (BPFO)
feature-bpfi = Innenring (BPFI)
feature-bsf = Wälzkörper (BSF)
feature-ftf = Käfig (FTF)
feature-gear_mesh = Zahneingriff
feature-level = Pegel
feature-prominence = Überhöhung
feature-sidebands = Seitenbänder
feature-cepstrum_peak = Stärkste Periodizität
feature-cepstrum_quefrency = Periode der stärksten Periodizität
feature-cepstrum_shaft = Periodizität mit der Welle
feature-order_n = { $n }× Drehzahl
feature-evidence = Evidenz


## Parts that functions make

state-speed = { QUANTITY($speed_rpm, "U/min") }
state-load = Last { $load }
state-unknown = unbekannter Drehzahl und Last
when-until = in etwa { $expected } { WORD($unit) } ({ $earliest } bis { $latest } { WORD($unit) })
when-open = in etwa { $expected } { WORD($unit) } (frühestens in { $earliest } { WORD($unit) })
band-plain = Band { $range }
band-envelope = Hüllkurve { $range }{ OPTIONAL(" (", $order, " × Drehfrequenz)") }
band-fluctuation = Schwankung im Band { $range }
