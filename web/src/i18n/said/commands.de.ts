/** Answers to commands, as auscult/auscult/contract/phrases/commands.py has them. */
export const commandsDe = {
  command_too_large: '{bytes} Byte; höchstens {limit}',
  value_at: '{place}: {cause}',
  and_more: '{first} (und {more} weitere)',
  gateway_busy: 'zu viele Befehle warten; später noch einmal versuchen',
  gateway_not_storing:
    'das Gateway kann nichts speichern (ist seine Platte voll?); später noch einmal versuchen',
  command_bad_id: 'Kennung {id}: Buchstaben, Ziffern und „_ . : -“ verwenden',
  command_retained: 'ein Befehl darf nicht als „retained“ gesendet werden',
  command_unknown:
    'diese Version des Gateways kennt den Befehl {name} nicht; das Gateway aktualisieren',
  command_expired: 'vor {late_s:s} abgelaufen',
  command_expired_waiting: 'abgelaufen, bevor das Gateway die Wirkung speichern konnte',
  command_expires_late:
    'läuft erst in {ahead_s:s} ab, höchstens {limit_s:s} sind erlaubt: Uhren von Gateway und Dashboard vergleichen',
  command_changed: 'die Signatur passt nicht: unterwegs verändert',
  command_unsigned:
    'nicht von einem vertrauten Dashboard signiert: dessen Schlüssel in [gateway] dashboard_keys eintragen',
  command_failed: 'dem Gateway ist dabei ein Fehler unterlaufen; siehe sein Protokoll',
  command_not_stored:
    'das Gateway hat es getan, konnte es aber nicht speichern: Ein Neustart macht es vielleicht rückgängig; siehe sein Protokoll',
  machine_unknown: 'dieses Gateway hat keine Maschine {machine}',
  point_unknown: 'Maschine {machine} hat keinen Messpunkt {point}',
  report_no_windows: 'von {machine} ist noch kein Fenster gespeichert, es gibt nichts zu melden',
  report_outside:
    'aus dieser Zeit ist kein Fenster von {machine} gespeichert; Meldungen reichen {reach_h:h} zurück',
  span_backwards: 'das Ende muss nach dem Anfang liegen',
  event_unknown: 'dieses Gateway hat kein Ereignis {event_id}',
  asked_for_by: 'verlangt von {actor}',
  baseline_learning: 'Maschine {machine} lernt ihre Referenz noch',
  baseline_changed:
    'ihre Referenz ist inzwischen {baseline_id}, nicht {given_id}; bitte noch einmal ansehen',
  baseline_not_collecting: 'bei {machine} wird gerade keine gesunde Zeit gesammelt: {phase}',
  baseline_none_earlier: '{machine} hat keine frühere Referenz, zu der man zurückkehren kann',
  baseline_not_kept: 'Referenz {baseline_id} von {machine} ist nicht mehr gespeichert',
  baseline_back: 'Referenz {baseline_id} gilt wieder',
  accepted: 'angenommen: {reason}',
  rejected: 'abgelehnt: {reason}',
  preview_accepted: 'würde angenommen: {reason}',
  preview_rejected: 'würde abgelehnt: {reason}',
  preview_waits: 'vorerst nichts: {wait}',
  preview_noted: 'würde gespeichert und ändert nichts',
  now_active: 'jetzt gilt {checkpoint_id}',
  not_the_candidate: '{checkpoint_id} ist bei {machine} nicht mehr auf Probe',
  delta_made: 'Delta {delta_id} von {checkpoint_id}',
  delta_not_base64: 'Delta: kein base64 ({cause})',
  delta_not_now: 'jetzt nicht: {wait}; das Delta dann noch einmal senden',
  no_window_yet: 'von {point} gibt es noch kein Fenster',
  kurtogram_band:
    'das beste Band des Kurtogramms ist {low_hz} bis {high_hz:Hz} (spektrale Kurtosis {kurtosis}; Rauschen hat 0)',
  clip_sent: 'eine Klangprobe von {seconds:s}',
  update_offered: 'Version {version} wird heruntergeladen',
  update_other_bytes:
    'der Download der Version {version} hat eine andere Prüfsumme als angekündigt',
  update_gone: 'das Dashboard bietet Version {version} nicht mehr an',
  update_off:
    'dieses Gateway nimmt keine Updates vom Dashboard an: [gateway.updates] folder setzen und es aus dem Bundle installieren',
  update_running: 'Version {version} wird gerade installiert; danach noch einmal versuchen',
  update_no_space: '{free_mb} MB sind frei, ein Update braucht {needed_mb} MB',
  update_ended: 'Installationsprogramm: {cause}',
  update_other_version: 'das Bundle ist Version {version}: nichts wurde geändert',
  update_older: 'Version {version} läuft; eine ältere wird auf diesem Weg nicht installiert',
  update_key_missing:
    '{path} fehlt: legen Sie als root den öffentlichen Schlüssel der Ausgabe dort ab',
  update_key_moved:
    '{path} fehlt, und {old} wird nicht mehr gelesen, weil der Benutzer des Dienstes es ändern kann: ' +
    'legen Sie als root den öffentlichen Schlüssel der Ausgabe und update.env in den neuen Ordner',
  update_key_open:
    '{path} können auch andere als root ändern: vergleichen Sie den Schlüssel mit dem der Ausgabe, ' +
    'dann chown root:root und chmod go-w',
  update_platform:
    'das Bundle ist für Python {python} auf {machine}; hier ist Python {own_python} auf {own_machine}: das Bundle dafür ablegen',
  update_unhealthy: 'die neue Version ist nicht gesund',
  update_back: '{cause}; Version {version} läuft wieder mit ihren Daten',
  update_power_cut: 'der Strom fiel aus; Version {version} läuft wieder',
  limits_set: '{count:# Grenze|# Grenzen} an {point}',
};
