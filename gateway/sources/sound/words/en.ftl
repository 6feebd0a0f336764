# English words of the source `sound`. auscult/contract/words/en.ftl explains the functions.

device_ambiguous = { $device } names several devices: { $devices }; give more of the name
device_rate =
    { $device } can't record at { QUANTITY($fs_hz, "Hz") } or a multiple; its usual rate is { QUANTITY($usual_hz, "Hz") } with { $channels ->
        [one] { $channels } channel
       *[other] { $channels } channels
    }
