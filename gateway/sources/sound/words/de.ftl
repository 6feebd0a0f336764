# German words of the source `sound`.

device_ambiguous = { $device } nennt mehrere Geräte: { $devices }; mehr vom Namen angeben
device_rate =
    { $device } kann nicht mit { QUANTITY($fs_hz, "Hz") } oder einem Vielfachen aufnehmen; üblich sind { QUANTITY($usual_hz, "Hz") } mit { $channels ->
        [one] { $channels } Kanal
       *[other] { $channels } Kanälen
    }
