# German words of the source `ni`.

sensor_open = die Karte meldet einen offenen oder kurzgeschlossenen Sensor an Kanal { $channel }; Sensor und Kabel prüfen
