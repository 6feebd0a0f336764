/** Alarms, clips and baselines, as auscult/auscult/contract/phrases/machines.py has them. */
export const machinesDe = {
  alarm_acknowledged: '{actor} hat schon quittiert',
  alarm_over: 'Ereignis {event_id} ist vorbei und braucht keine Quittierung',
  alarm_suppressed: 'die Alarme von {machine} sind {state:word}',
  alarm_worse: 'es ist inzwischen schlimmer geworden: {condition:word}; bitte noch einmal ansehen',
  machine_not_suppressed: '{machine} ist nicht {state:word}',
  machine_worked_on: 'an {machine} wird geplant gearbeitet: erst die Arbeit als beendet melden',
  machine_out_of_service: '{machine} ist außer Betrieb: erst wieder in Betrieb nehmen',
  clip_no_healthy: 'von einer gesunden Zeit von {point} ist noch kein Signal gespeichert',
  clip_no_signal: 'von {point} ist noch kein Signal angekommen',
  clips_no_sound:
    '{point} ist ein Mikrofon; sein Signal bleibt auf diesem Gateway ([gateway] sound_clips = false)',
  clips_off: 'Rohsignale bleiben auf diesem Gateway ([gateway] clips = "off")',
  clips_too_many: 'mehr als {limit} Klangproben in der Stunde; später noch einmal anfordern',
};
