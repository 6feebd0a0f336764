# German words of the source `stream`.

stream_unknown_sensor = Telegramme des Sensors { $sensor }, der nicht eingerichtet ist; ihn zu channels hinzufügen oder seine Kennung berichtigen
stream_silent = kein Telegramm des Sensors { $sensor } seit { QUANTITY($after_s, "s") }; Stromversorgung und Netz prüfen
stream_time = Sensor { $sensor } sendet die Zeit { $t0_ns }, die mehr als einen Tag von jetzt entfernt ist (ns seit 1970, UTC); seine Uhr stellen oder 0 senden
frames_damaged =
    { $count ->
        [one] { $count } Telegramm
       *[other] { $count } Telegramme
    } beschädigt
