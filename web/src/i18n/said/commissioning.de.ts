/** Problems of machines and tables, as auscult/auscult/contract/phrases/commissioning.py has them. */
export const commissioningDe = {
  table_unreadable: 'die Tabelle ist kein CSV: {problem}',
  table_empty: 'die Tabelle ist leer',
  table_too_long: 'mehr als {most} Zeilen; die Tabelle in Teilen einlesen',
  column_missing: 'diese Spalte fehlt',
  cells_beyond_head:
    'mehr Zellen als Spalten: Zellen, die {separator} enthalten, in Anführungszeichen setzen',
  column_unknown: 'diese Spalte gibt es nicht; siehe Vorlage',
  cell_empty: 'darf nicht leer sein',
  cell_not_number: '„{cell}“ ist keine Zahl',
  cell_not_whole: '„{cell}“ ist keine ganze Zahl',
  cell_not_yes_or_no: '„{cell}“: yes oder no schreiben',
  cell_contradicts:
    'weicht von Zeile {first} ab{other:?, dort: #}; nur einmal angeben, oder in beiden Zeilen gleich',
  cell_limit_form: '„{cell}“: Merkmal>Warnung/Alarm schreiben, z. B. kurtosis>4/8',
  cell_tag_form:
    '„{cell}“: Name=Thema#/Ort *Faktor +Versatz schreiben, z. B. speed_rpm=plc/pump-1#/speed *60',
  cell_address_form:
    '„{cell}“: sparkplug:Gruppe/Edge Node/Gerät#Metrik schreiben; das Gerät darf fehlen',
  cell_metric_tag_form: '„{cell}“: Name=sparkplug:… *Faktor +Versatz schreiben',
  bearing_unknown: 'kein Lager „{name}“ im Katalog; zuerst dort aufnehmen',
  cell_bearing_form:
    '{cell}: eine Bezeichnung schreiben, NAME=BPFO/BPFI/BSF/FTF als Ordnungen, oder ' +
    'NAME=Kugeln x Durchmesser/Teilkreis/Winkel; am Ende @2 für Welle 2',
  cell_shaft_form: '{cell}: Welle=Übersetzung schreiben, z. B. 2=0.568',
  cell_gear_form: '{cell}: Zähne treibend/getrieben und ihre Wellen schreiben, z. B. 21/37@1>2',
  cell_belt_form: '{cell}: Scheibe/Riemenlänge in mm schreiben, z. B. 200/2000',
  source_kinds_mixed:
    'diese Maschine spielt schon Aufnahmen; eine Maschine hat nur eine Art von Quelle',
  source_groups_mixed:
    'die Messpunkte einer Maschine liegen in einer Sparkplug-Gruppe, hier {group}',
  tags_without_topic: 'braucht einen Messpunkt mit Thema',
  machines_changed: 'die Maschinen wurden inzwischen von jemand anderem geändert; bitte neu laden',
  machines_checked: '{count:# Maschine|# Maschinen} geprüft; nichts wurde geändert',
  machines_unchanged: '{count:# Maschine|# Maschinen}; nichts hat sich geändert',
  machines_stored: '{count:# Maschine|# Maschinen} gespeichert',
  machine_in_file:
    'Maschine {machine} steht in der eigenen Datei des Gateways; dort ändern oder eine andere Kennung wählen',
  machine_id_twice: 'die Kennung {machine} ist doppelt',
  source_machine_unlisted: 'sie liefert an Maschine {machine}, die nicht in der Liste ist',
  source_twice: 'Maschine {machine} hat schon eine Quelle',
  point_fed_twice:
    'zwei Quellen liefern an Messpunkt {point}: Quelle {number} ({kind}) und Quelle {second} ({second_kind}); ihn aus einer entfernen oder ihr einen eigenen Messpunkt geben',
  source_other_broker: 'einen anderen Broker in der eigenen Datei des Gateways nennen',
  source_outside_folder: '{manifest} liegt außerhalb von recordings_dir des Gateways ({folder})',
};
