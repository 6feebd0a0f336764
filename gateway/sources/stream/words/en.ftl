# English words of the source `stream`. auscult/contract/words/en.ftl explains the functions.

stream_unknown_sensor = frames of sensor { $sensor }, which is not configured; add it to channels, or correct the sensor's id
stream_silent = no frame of sensor { $sensor } for { QUANTITY($after_s, "s") }; check its power and network
stream_time = sensor { $sensor } sends the time { $t0_ns }, which is not within a day of now (ns since 1970, UTC); set its clock, or send 0
frames_damaged =
    { $count ->
        [one] { $count } frame
       *[other] { $count } frames
    } damaged
