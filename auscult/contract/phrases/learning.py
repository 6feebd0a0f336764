"""What a label changed or waits for, why a checkpoint exists, and why a delta is rejected."""

from typing import Final

LEARNING: Final[dict[str, str]] = {
    "sentences": "{parts:;}",
    # what a label waits for
    "waits_for_labels": "waits for {count:# more label|# more labels}",
    "waits_for_cooldown": "waits {left_s:s} until the last training has cooled down",
    "waits_for_recovery": "waits for the computer to recover: {limit}",
    "waits_for_baseline": "the machine has no baseline yet, so a label changes nothing",
    "too_hot": "{temperature_c:°C}, the limit is {limit_c:°C}",
    "battery_low": "battery at {share:percent}, the limit is {limit:percent}",
    "cpu_busy": "other work takes {share:percent}, the limit is {limit:percent}",
    # what a label changed
    "no_windows_of_event": "no window of this event is stored, so nothing can be learned",
    "verdict_changes_nothing": "this verdict changes nothing",
    "replaces_verdict": "replaces the verdict of {actor}",
    "counts_as_open": "the event counts as open",
    "contradicts": "contradicts the false-alarm label of event {events}",
    "false_alarms_alike": "events {events} depart like this fault and are labelled false alarms; "
    "check these labels and correct those that are wrong",
    "learned_again": "learned again from new windows of labelled events",
    "shadow_first": "runs in the shadow of the active heads first",
    "head_full": "the head of {points} is full, it holds {places} places at most and had to join "
    "some: take a new baseline that includes these conditions",
    "offer_baseline": "maintenance is no fault to learn; if the machine runs differently from now "
    "on, start a new baseline: the present one is kept, and you can return to it",
    "work_begun": "until the work is finished, nothing alarms and nothing is learned; then the "
    "first windows are compared with those before the work",
    # the gate
    "gate_resembles_fault": "resembles a fault that was confirmed before "
    "({likeness:percent} alike); label it a false alarm again if it is none",
    "gate_departs_widely": "{share:percent} of the features depart by more than {limit:σ}, which a "
    "new speed or load rarely causes; label it a false alarm again if it is no fault",
    "repair_watched": "watching the machine after the work: {windows} of {needed} windows",
    "repair_gone": "the fault is gone: {windows} windows after the work are as in the baseline, "
    "which stays in use",
    "repair_unchanged": "the fault is unchanged: {windows} windows after the work depart as before",
    "repair_new": "the machine departs otherwise than before the work ({likeness:percent} alike): "
    "check the work; if it is well so, start a new baseline",
    "report_shows_nothing": "the reported windows look like healthy ones: no direction sets them "
    "apart",
    "gate_passed": "{silenced} of {false_alarms} labelled false alarms are silent, {detected} of "
    "{faults} confirmed faults still alarm",
    "gate_silenced": "{silenced} of {false_alarms} labelled false alarms are silent",
    "gate_no_labels": "no label is in force",
    "gate_detected": "{detected} of {faults} confirmed faults still alarm",
    "gate_fault_lost": "would lose or weaken the confirmed fault of event {events}",
    "gate_more_false_alarms": "false alarms on healthy windows would rise from {before:percent} "
    "to {after:percent}{windows:? of # windows}",
    "gate_false_alarm_stays": "the false alarm of event {event} would go from {before:σ} to "
    "{after:σ}, {limit:σ} is silent",
    # checkpoints
    "back_to": "back to {checkpoint_id}",
    "back_to_with_baseline": "back to {checkpoint_id}, with its baseline",
    "new_baseline": "a new baseline, no labels yet",
    "start_without_labels": "a start without labels: {cause}",
    "shadow_passed": "the shadow run passed: {windows} live windows: {candidate_beyond} healthy "
    "ones beyond the limit, {active_beyond} before; {faults_hidden} like a confirmed fault hidden",
    "shadow_failed": "the shadow run failed: {windows} live windows: {candidate_beyond} healthy "
    "ones beyond the limit, {active_beyond} before; {faults_hidden} like a confirmed fault hidden",
    "promoted_by": "promoted by {actor}",
    "rejected_by": "rejected by {actor}",
    "no_checkpoint": "there is no checkpoint {checkpoint_id}",
    "checkpoint_weights_gone": "the weights of checkpoint {checkpoint_id} are not kept",
    "checkpoint_of_other_baseline": "checkpoint {checkpoint_id} belongs to another baseline",
    "heads_of_other_baseline": "the heads are not of baseline {baseline_id}",
    "no_candidate": "machine {machine} has no candidate in a shadow run",
    "file_damaged": "{file} is damaged: its hash is wrong",
    "nothing_to_undo": "the machine has no baseline yet, so there is nothing to undo",
    "no_earlier_checkpoint": "the machine has no earlier checkpoint",
    # questions
    "question_near_miss": "the evidence came to {evidence:percent} of the warning level and fell "
    "again",
    "question_new_state": "an operating state that the baseline does not hold; its windows depart "
    "by {sigma:σ} on average",
    # deltas
    "delta_from": "delta of {machine} at {device} ({delta_id})",
    "delta_left_out": "its false alarms that resemble the confirmed fault of event {events} are "
    "left out",
    "delta_not_a_delta": "{bytes} bytes that are no delta of this version: choose a file that was "
    "downloaded as a delta",
    "delta_key_untrusted": "signed with key {key}…, which is not trusted here",
    "delta_changed": "the signature is wrong: the delta was changed or damaged",
    "delta_unreadable": "it can't be read ({cause}); another version made it",
    "delta_too_large": "{bytes} bytes; at most {limit}",
    "delta_other_base": "made for base {base_id} and specification {spec_id}, this machine has "
    "{own_base_id} and {own_spec_id}",
    "delta_other_points": "made for points {points}, this machine has {own_points}",
    "delta_unfit_values": "point {point} has values that are no numbers, or of another model",
    "delta_not_applied": "the delta is not applied: {cause}",
    # files of `auscult export` and `auscult delta`
    "no_baseline_yet": "machine {machine} has no baseline yet",
    "machine_not_configured": "machine {machine} is not configured; there are: {machines}",
    "import_done": "imported what {source} of {gateway} had learned into {machine}"
    "{aside:?; its earlier state is in #}",
    "not_an_export": "{path} is no file of `auscult export`",
    "state_unfit": "machine {machine} can't use the file: {cause}",
    "state_not_one": "these bytes are not a detector state",
    "state_version": "state of version {version}, this program reads {reads}",
    "state_damaged": "the state is damaged: its SHA-256 is wrong",
    "state_point": "the state has a point {point}, the machine does not",
    "state_not_calibrated": "the state has no calibration of point {point}",
    "state_of_other": "the state belongs to machine {machine} with other points, units or window "
    "lengths{points:? (#)}; its baseline has to be learned again",
    "file_unusable": "{path} is not applied: {cause}",
    "key_unreadable": "{path} holds no key ({cause}); remove it for a new one",
    "key_not_ed25519": "{path} holds no Ed25519 key; remove it for a new one",
}
