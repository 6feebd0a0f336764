/** What labels changed, as auscult/auscult/contract/phrases/learning.py has it. */
export const learningDe = {
  sentences: '{parts}',
  waits_for_labels: 'wartet auf {count:# weitere Antwort|# weitere Antworten}',
  waits_for_cooldown: 'wartet {left_s:s} nach dem letzten Lernen',
  waits_for_recovery: 'wartet, bis sich der Rechner erholt hat: {limit}',
  waits_for_baseline: 'die Maschine hat noch keine Referenz, eine Antwort ändert deshalb nichts',
  too_hot: '{temperature_c:°C}, die Grenze ist {limit_c:°C}',
  battery_low: 'Akku bei {share:percent}, die Grenze ist {limit:percent}',
  cpu_busy: 'andere Arbeit braucht {share:percent}, die Grenze ist {limit:percent}',
  no_windows_of_event:
    'von diesem Ereignis ist kein Fenster mehr gespeichert, daraus lässt sich nichts lernen',
  verdict_changes_nothing: 'diese Antwort ändert nichts',
  replaces_verdict: 'ersetzt die Antwort von {actor}',
  counts_as_open: 'das Ereignis gilt wieder als offen',
  contradicts: 'widerspricht der Antwort „Fehlalarm“ auf Ereignis {events}',
  false_alarms_alike:
    'die Ereignisse {events} weichen ab wie dieser Schaden und sind als Fehlalarm beantwortet; ' +
    'prüfen Sie diese Antworten und berichtigen Sie die falschen',
  learned_again: 'aus neuen Fenstern beantworteter Ereignisse nachgelernt',
  shadow_first: 'läuft zunächst auf Probe',
  head_full:
    'an {points} ist kein Platz mehr für Antworten (höchstens {places}): eine neue Referenz lernen, die diese Zustände enthält',
  offer_baseline:
    'Wartung ist kein Schaden, aus dem gelernt wird; läuft die Maschine von nun an anders, eine neue Referenz beginnen: Die jetzige bleibt gespeichert, eine Rückkehr ist möglich',
  work_begun:
    'bis die Arbeit beendet ist, alarmiert nichts und wird nichts gelernt; dann werden die ersten Fenster mit denen vor der Arbeit verglichen',
  gate_resembles_fault:
    'gleicht einem früher bestätigten Schaden (zu {likeness:percent}); ist es keiner, noch einmal als Fehlalarm beantworten',
  gate_departs_widely:
    '{share:percent} der Merkmale weichen um mehr als {limit:σ} ab, was eine neue Drehzahl oder Last selten bewirkt; ist es kein Schaden, noch einmal als Fehlalarm beantworten',
  repair_watched: 'beobachtet die Maschine nach der Arbeit: {windows} von {needed} Fenstern',
  repair_gone:
    'der Schaden ist behoben: {windows} Fenster nach der Arbeit gleichen der Referenz, die weiter gilt',
  repair_unchanged:
    'der Schaden ist unverändert: {windows} Fenster nach der Arbeit weichen ab wie zuvor',
  repair_new:
    'die Maschine weicht anders ab als vor der Arbeit (zu {likeness:percent} gleich): die Arbeit prüfen; ist alles in Ordnung, eine neue Referenz lernen',
  report_shows_nothing: 'die gemeldeten Fenster gleichen gesunden: keine Richtung trennt sie',
  gate_passed:
    '{silenced} von {false_alarms} gemeldeten Fehlalarmen sind still, {detected} von {faults} bestätigten Schäden alarmieren weiter',
  gate_silenced: '{silenced} von {false_alarms} gemeldeten Fehlalarmen sind still',
  gate_no_labels: 'keine Antwort ist in Kraft',
  gate_detected: '{detected} von {faults} bestätigten Schäden alarmieren weiter',
  gate_fault_lost:
    'der bestätigte Schaden von Ereignis {events} ginge verloren oder würde schwächer erkannt',
  gate_more_false_alarms:
    'Fehlalarme auf gesunden Fenstern stiegen von {before:percent} auf {after:percent}{windows:? von # Fenstern}',
  gate_false_alarm_stays:
    'der Fehlalarm von Ereignis {event} ginge von {before:σ} auf {after:σ}; still ist er ab {limit:σ}',
  back_to: 'zurück zu {checkpoint_id}',
  back_to_with_baseline: 'zurück zu {checkpoint_id}, mit seiner Referenz',
  new_baseline: 'neue Referenz, noch ohne Antworten',
  start_without_labels: 'Beginn ohne Antworten: {cause}',
  shadow_passed:
    'Probelauf bestanden: {windows} Fenster, davon gesunde über der Grenze: {candidate_beyond}, vorher {active_beyond}; {faults_hidden} verdeckt, die einem bestätigten Schaden gleichen',
  shadow_failed:
    'Probelauf nicht bestanden: {windows} Fenster, davon gesunde über der Grenze: {candidate_beyond}, vorher {active_beyond}; {faults_hidden} verdeckt, die einem bestätigten Schaden gleichen',
  promoted_by: 'von {actor} vorzeitig übernommen',
  rejected_by: 'von {actor} verworfen',
  no_checkpoint: 'einen Lernstand {checkpoint_id} gibt es nicht',
  checkpoint_weights_gone: 'die Gewichte von Lernstand {checkpoint_id} sind nicht mehr gespeichert',
  checkpoint_of_other_baseline: 'Lernstand {checkpoint_id} gehört zu einer anderen Referenz',
  heads_of_other_baseline: 'die Köpfe gehören nicht zu Referenz {baseline_id}',
  no_candidate: 'bei Maschine {machine} läuft nichts auf Probe',
  file_damaged: '{file} ist beschädigt: Die Prüfsumme ist falsch',
  nothing_to_undo: 'die Maschine hat noch keine Referenz, es gibt nichts rückgängig zu machen',
  no_earlier_checkpoint: 'die Maschine hat keinen früheren Lernstand',
  delta_from: 'Delta von {machine} an Gerät {device} ({delta_id})',
  question_near_miss: 'die Evidenz erreichte {evidence:percent} der Warnschwelle und fiel wieder',
  question_new_state:
    'ein Betriebszustand, den die Referenz nicht enthält; die Fenster weichen im Mittel um {sigma:σ} ab',
  delta_left_out:
    'Fehlalarme daraus, die dem bestätigten Schaden von Ereignis {events} gleichen, bleiben unberücksichtigt',
  delta_not_a_delta:
    '{bytes} Byte, die kein Delta dieser Version sind: eine Datei wählen, die als Delta geladen wurde',
  delta_key_untrusted: 'unterschrieben mit dem Schlüssel {key}…, dem hier nicht vertraut wird',
  delta_changed: 'die Unterschrift ist falsch: Das Delta wurde verändert oder beschädigt',
  delta_unreadable: 'es ist nicht lesbar ({cause}); eine andere Version hat es erstellt',
  delta_too_large: '{bytes} Byte; höchstens {limit}',
  delta_other_base:
    'erstellt für Modell {base_id} und Merkmale {spec_id}, diese Maschine hat {own_base_id} und {own_spec_id}',
  delta_other_points: 'erstellt für die Messpunkte {points}, diese Maschine hat {own_points}',
  delta_unfit_values:
    'Messpunkt {point} hat Werte, die keine Zahlen sind oder zu einem anderen Modell gehören',
  delta_not_applied: 'das Delta wird nicht eingespielt: {cause}',
  no_baseline_yet: 'Maschine {machine} hat noch keine Referenz',
  machine_not_configured: 'Maschine {machine} ist nicht eingerichtet; vorhanden: {machines}',
  import_done:
    'was {source} von {gateway} gelernt hatte, ist in {machine} übernommen{aside:?; die frühere Fassung liegt in #}',
  not_an_export: '{path} ist keine Datei von „auscult export“',
  state_unfit: 'Maschine {machine} kann die Datei nicht verwenden: {cause}',
  state_not_one: 'das ist kein gespeicherter Zustand',
  state_version: 'ein Zustand der Version {version}; dieses Programm liest Version {reads}',
  state_damaged: 'der Zustand ist beschädigt: seine SHA-256 stimmt nicht',
  state_point: 'der Zustand hat einen Messpunkt {point}, die Maschine nicht',
  state_not_calibrated: 'im Zustand fehlt die Kalibrierung von Messpunkt {point}',
  state_of_other:
    'der Zustand gehört zu Maschine {machine} mit anderen Messpunkten, Einheiten oder Fensterlängen{points:? (#)}; ihre Referenz ist neu zu lernen',
  file_unusable: '{path} wird nicht eingespielt: {cause}',
  key_unreadable: '{path} enthält keinen Schlüssel ({cause}); für einen neuen die Datei entfernen',
  key_not_ed25519: '{path} enthält keinen Ed25519-Schlüssel; für einen neuen die Datei entfernen',
};
