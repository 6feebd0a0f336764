"""Words that sentences use by their code: faults, conditions, roles."""

from typing import Final

WORDS: Final = {
    # faults of machines
    "outer": "outer-race defect",
    "inner": "inner-race defect",
    "ball": "ball or roller defect",
    "cage": "cage defect",
    "bearing": "bearing defect",
    "imbalance": "imbalance",
    "misalignment": "misalignment",
    "looseness": "looseness",
    "gear": "gear damage",
    "rub": "rub",
    "electrical": "electrical fault",
    # faults of sensors
    "not_finite": "values that are not numbers",
    "flat_line": "a flat line",
    "uncertain": "the source marks the value as uncertain",
    "bias": "the bias is out of range: cable open or shorted",
    "dropout": "drop-outs within the signal",
    "noise_floor": "nothing above the converter's noise",
    "clipping": "clipping: the converter or the sensor is at full scale",
    "spikes": "lone spikes: electrical disturbance",
    # standards
    "ISO 20816-3 group 1, rigid": "ISO 20816-3 group 1, rigid",
    "ISO 20816-3 group 1, flexible": "ISO 20816-3 group 1, flexible",
    "ISO 20816-3 group 2, rigid": "ISO 20816-3 group 2, rigid",
    "ISO 20816-3 group 2, flexible": "ISO 20816-3 group 2, flexible",
    "ISO 10816-1 class I": "ISO 10816-1 class I",
    "ISO 10816-1 class II": "ISO 10816-1 class II",
    "ISO 10816-1 class III": "ISO 10816-1 class III",
    "ISO 10816-1 class IV": "ISO 10816-1 class IV",
    # tags of operating states
    "inferred state": "inferred state",
    # levels
    "warning": "warning",
    "alarm": "alarm",
    "above": "above",
    "below": "below",
    # states of alarms
    "acknowledged": "acknowledged",
    "shelved": "shelved",
    "out_of_service": "out of service",
    # roles
    "viewer": "viewer",
    "technician": "technician",
    "engineer": "engineer",
    "administrator": "administrator",
    # what a request names
    "gateway": "gateway",
    "machine": "machine",
    "point": "measuring point",
    "event": "event",
    "label": "label",
    "command": "command",
    "clip": "clip",
    "spectrum": "spectrum",
    "topic": "topic",
    "tag": "tag",
    "checkpoints": "list of checkpoints of machine",
    "configuration": "configuration of gateway",
    "own_bearing": "own bearing",
    "account": "account",
    "token": "token",
    "case": "case",
    "photo": "photo",
    "message": "message",
    "channel": "channel",
    "rule": "rule",
    "prescription": "own prescription",
}
