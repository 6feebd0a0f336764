/** Problems of the server, as auscult/auscult/contract/phrases/dashboard.py and values.py have them. */
export const dashboardDe = {
  not_found: '{what:word} „{id}“ gibt es nicht',
  no_such_path: 'unter {path} gibt es nichts; /api/openapi.json nennt alle Pfade',
  http_error: '{problem}',
  invalid_request: '{where}: {problem}',
  empty_period: 'der Zeitraum ist leer: Der Anfang {start_ms} muss vor dem Ende {end_ms} liegen',
  cursor_unknown: 'cursor: stammt nicht von diesem Server; weglassen, um von vorn zu beginnen',
  id_taken: 'die Kennung {id} gehört zu einer anderen Anfrage; eine neue erzeugen',
  body_too_large:
    'die Anfrage ist größer als {limit} Byte, die Grenze dieses Pfads; weniger senden',
  body_too_slow:
    'die Anfrage war nicht innerhalb von {limit_s:s} vollständig; die Verbindung prüfen',
  host_unknown:
    '{host} ist kein Name dieses Servers; ihn über seine Adresse öffnen oder den Namen in [dashboard] hosts eintragen',
  too_many_attempts: 'zu viele Anmeldeversuche; in {wait_s:s} noch einmal versuchen',
  foreign_page: 'die Anfrage kommt von einer fremden Seite; die Seite dieses Servers öffnen',
  store_unavailable:
    'die Datenbank kann jetzt nicht speichern oder lesen ({cause}); noch einmal versuchen, dann Datenbank und Platte prüfen',
  broker_not_connected: 'nicht verbunden; es wird weiter versucht',
  server_error: 'ein Fehler im Server; sein Protokoll nennt die Ursache',
  parquet_missing:
    'Parquet braucht auf dem Server das Extra „export“: pip install „auscult[export]“',
  sign_in_first: 'bitte zuerst anmelden',
  token_unknown:
    'das Token ist unbekannt, abgelaufen oder widerrufen; einen Administrator um ein neues bitten',
  sites_without_role:
    'Kein Standort bleibt: einen Standort wählen, eine Rolle an allen Standorten geben oder das Konto sperren',
  administrator_of_sites:
    'ein Administrator hat alle Standorte; für einen Standort höchstens Ingenieur wählen',
  all_sites_needed:
    'das teilen sich alle Standorte; {name} hat nur an einigen Standorten eine Rolle',
  role_needed: 'dafür braucht es die Rolle {needed:word}; {name} hat die Rolle {role:word}',
  role_needed_login_off:
    'dafür braucht es die Rolle {needed:word}; ohne Anmeldung hat jeder die Rolle {role:word}: [dashboard] login auf „required“ setzen',
  not_admitted:
    'Name oder Passwort ist falsch, oder das Konto ist nach Fehlversuchen vorübergehend gesperrt',
  first_start_code: 'der Code ist nicht der aus {file} im Datenordner des Servers',
  gateway_known: 'Gateway {gateway} ist bereits aufgenommen',
  gateway_online: 'Gateway {gateway} ist verbunden; es vor dem Löschen anhalten',
  template_point_missing: 'sie hat den Messpunkt {point} der Vorlage nicht',
  template_point_differs:
    'ihr Messpunkt {point} misst eine andere Größe oder Einheit als die der Vorlage',
  machine_of_the_file: '{machine} steht in der eigenen Datei des Gateways; dort ändern',
  enrolment_closed:
    'dieses Dashboard nimmt Gateways nicht per Code auf: [dashboard.enrolment] folder und broker setzen',
  enrolment_failed: 'das Gateway kann nicht aufgenommen werden: {cause}',
  gateway_id_reserved: '{gateway} ist ein Benutzer des Brokers; eine andere Kennung wählen',
  gateway_id_taken:
    'Gateway {gateway} ist am Standort {site} aufgenommen; eine andere Kennung wählen oder jenes zuerst löschen',
  code_rejected:
    'der Code ist falsch, benutzt oder abgelaufen; einen Administrator um einen neuen bitten',
  updates_closed:
    'dieses Dashboard bietet keine Updates an: [dashboard.updates] folder und address setzen',
  bundle_unsigned: '{path} ist nicht mit diesem Schlüssel signiert',
  bundle_damaged: '{path} ist beschädigt oder kein Bundle: {cause}',
  bundle_away: 'das Bundle ist nicht in {folder}: auf diesem Server noch einmal hinzufügen',
  download_key_wrong: 'der Schlüssel dieses Downloads ist ungültig',
  stage_malformed: 'Stufe {stage}: eine Anzahl Gateways oder einen Anteil wie 10% angeben',
  rollout_no_bundle:
    'es gibt kein Bundle der Version {version}; mit „auscult updates add“ hinzufügen',
  rollout_no_platform: 'es gibt kein Bundle der Version {version} für {platform}',
  rollout_busy: 'Gateway {gateway} gehört zu einem anderen Rollout, der nicht beendet ist',
  rollout_empty: 'kein Gateway nimmt Updates vom Dashboard an',
  rollout_is: 'der Rollout ist {state:word}',
  rollout_stopped: 'angehalten bei {gateway}: {cause}',
  rollout_unwell: 'angehalten: {gateway} hat die neue Version und ist nicht gesund',
  update_step: 'das Update endete als {step:word}',
  update_late: 'kein Ergebnis innerhalb von {limit_s:s}',
  administrator_exists: 'es gibt schon einen Administrator; bitte anmelden',
  old_password_wrong: 'das alte Passwort ist falsch',
  name_malformed: 'Name: 2 bis 64 Buchstaben, Ziffern, „.“, „_“, „@“ oder „-“',
  name_taken: 'der Name {name} ist vergeben',
  last_administrator: 'es muss einen aktiven Administrator geben; zuerst einen anderen anlegen',
  password_short: 'das Passwort hat {length} Zeichen; mindestens {least} sind nötig',
  password_long: 'das Passwort hat {length} Zeichen; höchstens {most} sind erlaubt',
  password_monotonous: 'das Passwort braucht mindestens {least} verschiedene Zeichen',
  password_of_name: 'das Passwort darf nicht aus dem Namen gebildet sein',
  bearing_published: '{name} steht schon im Katalog; einen anderen Namen wählen',
  bearing_ball_too_large:
    'der Durchmesser der Wälzkörper muss kleiner sein als der Teilkreisdurchmesser',
  pair_no_clips: 'von {x} und {y} gibt es keine Signale derselben Zeit; beide abrufen',
  pair_no_clock:
    '{x} und {y} haben keinen gemeinsamen Abtasttakt, ihre Phasen sind nicht vergleichbar',
  pair_differs:
    '{x} und {y} haben verschiedene Einheiten oder Abtastraten, ihre Phasen sind nicht vergleichbar',
  pair_no_speed: 'die Drehzahl von {machine} ist nicht bekannt; die Drehfrequenz angeben',
  pair_too_short:
    '{duration_s:s} beider Punkte lösen eine Drehfrequenz von {shaft_hz:Hz} nicht auf; einen längeren Ausschnitt abrufen',
  gateway_rejected: '{reason}',
  no_answer:
    'Gateway {gateway} hat nicht innerhalb von {wait_s:s} geantwortet; noch einmal versuchen, wenn es verbunden ist',
  no_preview: 'die Antwort des Gateways enthält keine Vorschau; das Gateway aktualisieren',
  no_delta: 'die Antwort des Gateways enthält kein Delta; das Gateway aktualisieren',
  not_base64: 'ist keine Datei in base64',
  kind_without_fault: 'eine Art von Schaden gehört nur zu einem bestätigten Schaden; weglassen',
  expired_unanswered:
    'das Gateway hat nicht rechtzeitig geantwortet; noch einmal versuchen, wenn es verbunden ist',
  value_missing: 'eine Angabe fehlt',
  value_unknown_key: 'ein Feld dieses Namens gibt es nicht',
  value_not_text: 'muss ein Text sein',
  value_not_number: 'muss eine Zahl sein',
  value_not_whole: 'muss eine ganze Zahl sein',
  value_not_truth: 'muss true oder false sein',
  value_not_list: 'muss eine Liste sein',
  value_not_object: 'muss ein Objekt mit benannten Feldern sein',
  value_too_short: 'mindestens {least} Zeichen',
  value_too_long: 'höchstens {most} Zeichen',
  text_control: 'enthält ein Steuerzeichen, zum Beispiel NUL: entfernen',
  unit_characters: 'eine Einheit enthält weder < > & " \' noch ein Zeilenende: entfernen',
  client_id_characters:
    "eine Client-Kennung enthält weder Leerzeichen noch / \\ + #: Buchstaben, Ziffern und '_ . : -' verwenden",
  value_pattern: 'muss dem Muster {pattern} entsprechen',
  value_more_than: 'größer als {limit}',
  value_at_least: 'mindestens {limit}',
  value_less_than: 'kleiner als {limit}',
  value_at_most: 'höchstens {limit}',
  value_one_of: 'erlaubt sind: {expected}',
  list_too_short: 'mindestens {least:# Eintrag|# Einträge}',
  list_too_long: 'höchstens {most:# Eintrag|# Einträge}',
  value_not_json: 'ist kein gültiges JSON',
  value_other: '{problem}',
};
