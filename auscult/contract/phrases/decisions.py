"""Why a condition is what it is, what a baseline lacks, and which standard applies.

The templates of reasons may also use the fields of their `Reason`: ``value``, ``limit``, ``unit``,
``fault``, ``point``, ``matched``, ``missing`` and ``changes`` (the largest contributions).
"""

from typing import Final

DECISIONS: Final = {
    "text": "{text}",  # what an older version stored, in English
    "parts": "{parts:;}",
    # reasons
    "departs": "departs from its baseline: {changes}",
    "level_stays": "the level stays: the last {windows} windows alone depart by {sigma:σ} "
    "on average",
    "departs_together": "its points together depart from the baseline, none of them alone yet"
    "{changes:?; most at {point}: #}",
    "diagnosis": "{fault:word} likely: {matched}{missing:?; # missing}",
    "unclear": "unclear: {faults:or} possible",
    "no_symptom": "unclear: no fault's leading symptom is there",
    "bearing_fault": "{fault:word} of {bearing}{stage:?, stage #}: lines at {hz:Hz} and multiples "
    "({order} × {speed_rpm:r/min}{error_rpm:? ± #}), {db:dB} beyond what the shaft explains; "
    "found {matched}{missing:?; missing #}",
    "bearing_part_unclear": "bearing {bearing}, part unclear: {faults:or} explain the lines at "
    "{order} × {speed_rpm:r/min} equally well",
    "bearing_comb": "bearing, part unclear: a comb of lines at {order} × {speed_rpm:r/min} "
    "({hz:Hz}){bearing:? that # does not explain; check the type of the bearing}: an outer race of "
    "a bearing with about {outer_balls} balls, or an inner race of one with about {inner_balls}",
    "bearing_cage": "bearing {bearing}, part unclear: the envelope swings with the cage "
    "({order} × {speed_rpm:r/min}, {hz:Hz}; kurtosis {kurtosis}): a rolling element or the cage",
    "bearing_impacts": "bearing, part unclear: noise above 1 kHz rose by {db:dB} and became "
    "impulsive (kurtosis {kurtosis}), with impacts that do not follow the shaft",
    "no_bearing_fault": "no bearing fault stands out: {line} explains {db:dB} beyond the shaft, "
    "{ahead_db:dB} more than the next",
    "bearing_not_carried": "unclear: the recording can't carry the bearing's fault frequencies",
    "limit": "{title}: {value:in unit} is {direction:word} the {level:word} limit of "
    "{limit:in unit}",
    "forecast": "{title}: the {level:word} limit of {limit:in unit} is reached {:when} if the "
    "trend continues",
    "sensor_fault": "sensor fault: {faults:word}",
    "sensor_sensitivity": "sensor fault: every band moved by {change_db:dB}; check unit, "
    "sensitivity and supply of the sensor",
    "sensor_loose_mount": "sensor fault: loose mount with a resonance near {hz:Hz}; fasten the "
    "sensor",
    "sensor_other_point": "sensor fault: its spectrum is that of {other}; check cables and "
    "direction of the sensor",
    "sensor_open_cable": "sensor fault: only noise arrives ({change_db:dB}); check cable and "
    "supply of the sensor",
    "sensor_hum": "sensor fault: mains hum rose by {change_db:dB}; check shield and ground of the "
    "cable",
    "sensor_saturated": "the signal clips at {change_db:dB} of its healthy peaks; check "
    "range, gain and supply of the sensor",
    "sensor_zero": "sensor fault: the value is exactly 0, as after a restart of the device; check "
    "the device, and state when the machine is at rest",
    "silent": "no window for more than {after_s:s}",
    "silent_since_start": "no window since the gateway's start: its condition is not known yet",
    "coasting": "coasting down: its condition is not assessed",
    "speed_contradicts": "the measured speed is 0, and the vibration is that of the running machine"
    "; check the tachometer or the speed value",
    "starting": "starting: its condition is assessed when it runs steadily",
    "worked_on": "planned work: its condition is not assessed until the work is finished",
    "not_running": "not running: its condition is not assessed",
    "unseen_state": "operating state {:state} was never seen in the baseline "
    "(nearest: {nearest_:state})",
    "fault_reported": "fault{kind:? (#)} reported by {actor}; no event had detected it",
    "resembles": "resembles an earlier event, confirmed as a fault{kind:? (#)} by {actor} on "
    "{at_ms:day}: {value:percent} alike",
    # symptoms (ISO 13379)
    "order_rose": "{order}× rose",
    "order_steady": "{order}× steady",
    "no_shaft_fault": "no fault of a shaft stands out: no order doubled",
    "axial_unknown": "no axial point is stated: a bent shaft can't be ruled out",
    "axial_steady": "axial vibration steady",
    "axial_order_rose": "{order}× rose axially",
    "axial_opposed_shaft": "axial 1× in opposite phase at both bearings of the shaft",
    "axial_opposed_coupling": "axial 1× in opposite phase across the coupling",
    "axial_together": "axial 1× in phase at both bearings: overhung",
    "axial_phase_unknown": "phase between two axial points on one clock",
    "radial_quarter_turn": "a quarter turn between horizontal and vertical",
    "harmonics_rose": "many harmonics rose",
    "half_orders_rose": "half orders rose",
    "gear_residual_rose": "mean turn of the {teeth}-tooth gear: {db:dB} beyond the regular mesh",
    "gear_one_tooth": "one place of the turn sticks out (FM4 {fm4})",
    "gear_spread": "spread over the turn (FM4 {fm4})",
    "mesh_harmonics_rose": "higher mesh harmonics rose",
    "no_gear_fault": "no gear fault stands out: the mean turns are as in the healthy machine",
    "shaft_speeds_differ": "shaft orders can't be compared: the speed was not found without doubt",
    "no_drive_fault": "no fault of drives or flow stands out",
    "electrical_lines_rose": "twice the mains frequency rose by {db:dB}, more than all else",
    "blades_lines_rose": "blade pass rose by {db:dB}, more than all else",
    "belt_lines_rose": "multiples of the belt frequency rose by {db:dB}, more than all else",
    "noise_rose": "noise above 1 kHz rose by {db:dB}, without lines",
    "slow_noise_rose": "noise below the shaft speed rose by {db:dB}",
    "blades_modulate": "blades modulate it (depth {depth})",
    "contact_once_a_turn": "a contact rings once a turn (depth {depth})",
    "current_bars": "sidebands of the current at twice the slip frequency: {db:dB} over the line, "
    "slip {slip:percent}",
    "current_gap": "sidebands of the current at the shaft speed: {db:dB} over the line",
    "ultrasound_rose": "{fault:word}: ultrasound {db:dB} over the healthy level, stage {stage} of "
    "4 (from {from_db:dB})",
    "level_grew": "its level grew by a factor of {factor} ({low} to {high}) in {span} "
    "{span_unit:word}",
    "level_fell": "its level fell to {factor} times ({low} to {high}) in {span} {span_unit:word}",
    "no_growth": "no growth seen in {span} {span_unit:word}",
    "floor_rose": "impacts gave way to noise: above 1 kHz {db:dB} over the healthy machine, "
    "{orders} shaft orders doubled",
    "other_part_fits": "{fault:word} of {bearing} has the same frequency",
    "order_1_or_3_rose": "1× or 3× rose",
    "bearing_lines_rose": "lines of the bearing rose",
    "bearing_sidebands_rose": "their sidebands rose",
    "envelope_steady": "envelope steady",
    "high_bands_rose": "high bands or impulses rose",
    "impulsive": "impulsive",
    "asymmetric": "asymmetric",
    "broad_band_rose": "broad band rose",
    "gear_mesh_moved": "gear mesh moved",
    "gear_sidebands_rose": "gear-mesh sidebands rose",
    "shaft_sidebands": "shaft-spaced sidebands",
    "line_frequency_rose": "twice line frequency rose",
    "harmonic": "{line} {order}×",
    "sidebands": "{line} sidebands",
    "line_in_spectrum": "{line} {order}× in the spectrum",
    # what a baseline lacks, and the doubts about it
    "baseline_rises": "{point}: several bands rose steadily by up to {change_db:dB} in the healthy "
    "period; look for a fault that develops, and start a new healthy period after the repair",
    "baseline_groups": "{point}: the healthy period holds two groups of windows that no operating "
    "state explains; state what differs (load, product, machine), or start a new healthy period",
    "baseline_days": "{hours:h} more of running",
    "baseline_starts": "{count:# more start|# more starts} of the machine",
    "windows": "{count:# more window|# more windows}{point:? at point #}",
    "state_windows": "{count:# more window|# more windows} at {:state}",
    "rare_state": "{:state} came up in {count:# window|# windows} only: it is no part of the "
    "baseline, and counts as never seen",
    "training_failed": "training of the baseline failed: {detail}; it is tried again after "
    "{count:# more window|# more windows}; if it fails again, start a new healthy period and "
    "report this text",
    "drift": "the features still drift: a quarter of the period lies {sigma:σ} off, "
    "{allowed_sigma:σ} is allowed",
    # limits and ISO zones
    "no_feature": "limit of point {point}: it has no feature {feature}; see docs/features.md",
    "band_outside": "limit of point {point}: the band {low_hz} to {high_hz:Hz} must lie between "
    "{from_hz} and {to_hz:Hz} and be a quarter octave wide or more",
    "iso_support_unknown": "the foundation is not declared: set it to rigid or flexible "
    "to apply ISO 20816-3",
    "iso_too_large": "{power_kw:kW} is beyond ISO 20816-3 (50 MW): set fixed limits instead",
    "iso_class_unknown": "neither rated power nor group is declared: set one of them to apply "
    "ISO 20816",
    "iso_unit_undeclared": "{points}: the unit is not declared; set g, m/s2 or mm/s to apply "
    "ISO 20816",
}
