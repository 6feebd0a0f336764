# German words of the source `recordings`.

wrong_kind = Messwerte der Art { $kind }, der Messpunkt ist als { $configured } eingerichtet; eines davon berichtigen
recording_short = { $path }: endet nach { $read } von { $frames } Werten; die Datei noch einmal kopieren
manifest_no_machine = { $path }: Maschine { $machine } hat keine Aufnahmen; vorhanden: { $machines }
manifest_no_point = { $manifest } hat keinen Messpunkt { $point }; den Messpunkt entfernen oder aufnehmen
