"""Why a machine, its alarms, its baseline or its clips reject a request."""

from typing import Final

MACHINES: Final[dict[str, str]] = {
    # alarms
    "alarm_over": "event {event_id} is over and needs no acknowledgement",
    "alarm_acknowledged": "{actor} has acknowledged it already",
    "alarm_suppressed": "the alarms of {machine} are {state:word}",
    "alarm_worse": "it has become worse: {condition:word}; look again",
    "machine_out_of_service": "{machine} is out of service: bring it back first",
    "machine_worked_on": "planned work on {machine} is under way: report it finished first",
    "machine_not_suppressed": "{machine} is not {state:word}",
    # clips
    "clips_off": 'raw signals stay on this gateway ([gateway] clips = "off")',
    "clips_no_sound": "{point} is a microphone; its signal stays on this gateway "
    "([gateway] sound_clips = false)",
    "clip_no_signal": "no signal of {point} has arrived yet",
    "clip_no_healthy": "no signal of a healthy period of {point} is stored yet",
    "clips_too_many": "more than {limit} clips an hour; ask again later",
    # the gateway
    "gateway_not_storing": "the gateway can't store anything (is its disk full?); ask again later",
    "gateway_busy": "too many commands wait; ask again later",
}
