# English: the words of each code that gateway, dashboard and page show (Project Fluent).
#
# Add a sentence: one line here, one in de.ftl. Say what happened, where, the limit or the cause, and
# the remedy. A code is part of the wire format: it keeps its meaning and its values for ever.
#
# The functions, which auscult/contract/words/language.py and web/src/i18n/words.ts have alike:
#
#   QUANTITY($power, "kW")       a number with its unit; the unit may be a value, too
#   PERCENT($share)              a share 0..1 as per cent
#   DAY($at_ms)                  UTC milliseconds as a date
#   WORD($fault)                 the words of a code (below, "word-"), or of a list of codes or
#                                sentences; joint: " or " parts them instead of a comma
#   OPTIONAL(", ", $point)       all of it, or nothing where a part is empty or missing
#   STATE($speed_rpm, $load, $tags)                 an operating state
#   WHEN($expected_s, $earliest_s, $latest_s)       a time ahead


## Cases: headline, urgency, and the state of the plant

# headlines

case_fault = { WORD($fault) }{ OPTIONAL(", ", $point) }{ OPTIONAL(", bearing ", $bearing) }
case_zone = vibration in zone { $zone }{ OPTIONAL(", ", $point) }
case_limit = { $title } beyond its { WORD($level) } limit{ OPTIONAL(", ", $point) }
case_value = { $title } { WORD($direction) } what the baseline explains{ OPTIONAL(", ", $point) }
case_relation =
    { $title } { WORD($direction) } what { WORD($others, joint: " and ") } { $count ->
        [one] explains
       *[other] explain
    }{ OPTIONAL(", ", $point) }
case_sensor = changed, perhaps by a sensor fault: check sensor and machine{ OPTIONAL(", ", $point) }
trouble_sensor = { OPTIONAL($point, ": ") }{ $reason }
trouble_machine = no signal of the machine: { $reason }
trouble_supply = { $count } machines of { $area } fell silent together
trouble_gateway =
    gateway { $gateway } is away: { $count ->
        [one] { $count } machine is
       *[other] { $count } machines are
    } not watched
trouble_broker =
    no connection to the broker: { $count ->
        [one] { $count } machine is
       *[other] { $count } machines are
    } not watched
case_moved = changed: { WORD($moves, joint: ", ") }; cause not clear yet{ OPTIONAL(", ", $point) }
case_unclear = changed, cause not clear yet{ OPTIONAL(", ", $point) }
moved_band = { $db } dB { WORD($direction) } near { QUANTITY($hz, "Hz") }
moved_order = { $db } dB { WORD($direction) } at { $order }× shaft speed
moved_mesh = { $db } dB { WORD($direction) } at the gear mesh

# urgency

urgency_over = over: the machine is within its baseline again
urgency_over_lost = closed here: its gateway no longer has it, so no window measured its end
urgency_over_learning = over without a measured end: the machine learned a new baseline
urgency_lost = its gateway lost its memory, last known: { WORD($level) }
urgency_zone_d = zone D, { QUANTITY($value, "mm/s") }: the vibration can cause damage
urgency_zone_c = zone C, { QUANTITY($value, "mm/s") }: not for long-term running
urgency_limit_passed = beyond the alarm limit that the plant set
urgency_warning_passed = beyond the warning limit that the plant set
urgency_limit_left = back within the limit; it ends when the value stays there
urgency_limit_ahead = { WORD($level) } limit { WHEN($expected_s, $earliest_s, $latest_s) } if the trend continues
urgency_rising = the evidence rises, now { $times } × the alarm level
urgency_no_forecast = the evidence rises, now { $times } × the alarm level; no forecast yet
urgency_steady = the evidence is steady at { $times } × the alarm level
urgency_falling = the evidence falls, now { $times } × the alarm level
urgency_new = new, at { $times } × the alarm level; no forecast yet
urgency_silent = no signal now, and its last state was: { WORD($level) }
urgency_none = no forecast yet
urgency_normal = normal, as { $actor } answered
urgency_work = planned work is under way
urgency_checked = the first windows after the work are compared with those before it
urgency_signal_back = over: it reports again
urgency_blind =
    until then a fault of { $count ->
        [one] this machine
       *[other] these machines
    } is not found
urgency_half_blind = the other sensors of the machine still watch it
urgency_unrepaired = a fault that { $actor } confirmed; no one has said that it was repaired
urgency_confirmed = a fault, as { $actor } confirmed

# its rank

rank_stated = rank { $points } = { WORD($urgency) } ({ $urgency_points }) + consequence { WORD($consequence) } ({ $consequence_points }){ OPTIONAL(" + a spare part takes ", $spare_part_days, " days (1)") }
rank_not_stated = rank { $points } = { WORD($urgency) } ({ $urgency_points }) + consequence not stated, as { WORD($consequence) } ({ $consequence_points }){ OPTIONAL(" + a spare part takes ", $spare_part_days, " days (1)") }

# the value of a case against its limit, or what is expected

measured_value = { QUANTITY($value, $unit) }
measured_limit = { QUANTITY($beyond, $beyond_unit) } { WORD($direction) } the { WORD($level) } limit of { QUANTITY($limit, $unit) }
measured_limit_worst = at its worst { QUANTITY($beyond, $beyond_unit) } { WORD($direction) } the { WORD($level) } limit of { QUANTITY($limit, $unit) }
measured_expected = { QUANTITY($beyond, $beyond_unit) } { WORD($direction) } the expected { QUANTITY($limit, $unit) }
measured_expected_worst = at its worst { QUANTITY($beyond, $beyond_unit) } { WORD($direction) } the expected { QUANTITY($limit, $unit) }

# what proves a case

proof_line = { WORD($fault) }: { QUANTITY($hz, "Hz") } and its multiples
proof_knocks = { WORD($fault) }: the bearing knocks { $hz } times a second ({ QUANTITY($hz, "Hz") } and its multiples)
proof_shaft = shaft speed: { QUANTITY($hz, "Hz") } and its multiples
proof_rose = { $title }: { QUANTITY($change_db, "dB") } above the healthy machine
proof_fell = { $title }: { QUANTITY($change_db, "dB") } below the healthy machine
proof_value = { $title }: { QUANTITY($value, $unit) }, healthy { QUANTITY($baseline, $unit) }
proof_any = this spectrum against the healthy machine
moved_points =
    { $count ->
        [one] { $count } sign
       *[other] { $count } signs
    } at { $points ->
        [one] { $points } point
       *[other] { $points } points
    }, strongest at { $point }
moved_whole =
    { $count ->
        [one] { $count } sign
       *[other] { $count } signs
    } of the machine as a whole

# the state of a case

status_waits = { WORD($condition) }, not acknowledged
status_seen = { WORD($condition) }, acknowledged by { $actor }
status_lost = last known: { WORD($condition) }
status_work = planned work is under way
status_over_waits = over for now, not acknowledged
status_over = over for now
status_over_unrepaired = a confirmed fault, not repaired; over for now
status_closed = closed by { $actor }
status_closed_quiet = closed after a day without an event
status_closed_unrepaired = closed by { $actor }, the fault is not repaired

# the state of the plant

status_needs =
    { $count ->
        [one] { $count } machine needs someone
       *[other] { $count } machines need someone
    }
status_in_hand =
    { $count ->
        [one] { $count } machine is
       *[other] { $count } machines are
    } being worked on
status_cannot_assess =
    { $count ->
        [one] { $count } machine cannot be assessed
       *[other] { $count } machines cannot be assessed
    }
status_awaiting =
    { $count ->
        [one] { $count } baseline waits for approval
       *[other] { $count } baselines wait for approval
    }
status_learning =
    { $count ->
        [one] { $count } machine is learning
       *[other] { $count } machines are learning
    }
status_at_rest =
    { $count ->
        [one] { $count } machine is at rest
       *[other] { $count } machines are at rest
    }
status_quiet =
    { $count ->
        [one] { $count } machine is quiet
       *[other] { $count } machines are quiet
    }
status_all_quiet =
    { $count ->
        [one] the machine is
       *[other] all { $count } machines are
    } within the baseline
status_shelved = { $count } shelved, out of service or under planned work
status_gateways =
    { $count ->
        [one] { $count } gateway is offline
       *[other] { $count } gateways are offline
    }
status_no_machines = no machines yet

# requests

photo_too_large = the photo has more than { $limit } million pixels; take a smaller one
photo_unreadable = this is no photo that can be read; send one of { $formats }
photos_full = the case has { $most } photos, the limit; remove one first
channel_unusable = no service has an address of this form; see the list of services in docs/notification.md
list_full = there are { $most } entries, the limit; remove one first
message_not_failed = the message was sent or waits for its first attempt
event_not_standing = the event is over and acknowledged; there is nothing to close
case_not_repaired = the case is not closed as repaired, so there is no repair to check
case_still_open = the machine still departs from its baseline; answer or acknowledge the alarm, or shelve it, and close the case when it is over


## Decisions

text = { $text }
parts = { WORD($parts, joint: "; ") }

# reasons

departs = departs from its baseline: { $changes }
relation_departs = { OPTIONAL($title, " ") }{ QUANTITY($measured, $unit) } instead of { QUANTITY($expected, $unit) }, expected from { WORD($others, joint: ", ") }
level_moved = a step of its level: { QUANTITY($expected, $unit) } → { QUANTITY($measured, $unit) } over the last { $count } runs; if this is the new normal, answer false alarm
level_drifts = its level drifts: { QUANTITY($expected, $unit) } → { QUANTITY($measured, $unit) } over the last { $count } runs; if this is the new normal, answer false alarm
level_lasts = at a new level since { DAY($at_ms) }: { QUANTITY($expected, $unit) } → { QUANTITY($measured, $unit) }; further changes are compared with it. Is this the new normal? If so, answer false alarm
added_departs = something else was added on { DAY($at_ms) }, beyond the steady values of the open event: { $changes }
further_departs = a further change, beyond that level: { QUANTITY($expected, $unit) } → { QUANTITY($measured, $unit) }
level_became_normal = { QUANTITY($measured, $unit) } instead of { QUANTITY($expected, $unit) } for { $count } runs, below the alarm level: this is the reference from now on
level_stays = the level stays: the last { $windows } windows alone depart by { QUANTITY($sigma, "σ") } on average
level_stays_value = the level stays: the last { $windows } values alone depart from the reference
departs_together = its points together depart from the baseline, none of them alone yet{ OPTIONAL("; most at ", $point, ": ", $changes) }
diagnosis = { WORD($fault) } likely: { $matched }{ OPTIONAL("; ", $missing, " missing") }
unclear = unclear: { WORD($faults, joint: " or ") } possible
no_symptom = unclear: no fault's leading symptom is there
bearing_fault = { WORD($fault) } of { $bearing }{ OPTIONAL(", stage ", $stage) }: lines at { QUANTITY($hz, "Hz") } and multiples ({ $order } × { QUANTITY($speed_rpm, "r/min") }{ OPTIONAL(" ± ", $error_rpm) }), { QUANTITY($db, "dB") } beyond what the shaft explains; found { $matched }{ OPTIONAL("; missing ", $missing) }
bearing_part_unclear = bearing { $bearing }, part unclear: { WORD($faults, joint: " or ") } explain the lines at { $order } × { QUANTITY($speed_rpm, "r/min") } equally well
bearing_comb = bearing, part unclear: a comb of lines at { $order } × { QUANTITY($speed_rpm, "r/min") } ({ QUANTITY($hz, "Hz") }){ OPTIONAL(" that ", $bearing, " does not explain; check the type of the bearing") }: an outer race of a bearing with about { $outer_balls } balls, or an inner race of one with about { $inner_balls }
bearing_cage = bearing { $bearing }, part unclear: the envelope swings with the cage ({ $order } × { QUANTITY($speed_rpm, "r/min") }, { QUANTITY($hz, "Hz") }; kurtosis { $kurtosis }): a rolling element or the cage
bearing_impacts = bearing, part unclear: noise above 1 kHz rose by { QUANTITY($db, "dB") } and became impulsive (kurtosis { $kurtosis }), with impacts that do not follow the shaft
no_bearing_fault = no bearing fault stands out: { $line } explains { QUANTITY($db, "dB") } beyond the shaft, { QUANTITY($ahead_db, "dB") } more than the next
bearing_not_carried = unclear: the recording can't carry the bearing's fault frequencies
limit = { $title }: { QUANTITY($value, $unit) } is { WORD($direction) } the { WORD($level) } limit of { QUANTITY($limit, $unit) }
forecast = { $title }: the { WORD($level) } limit of { QUANTITY($limit, $unit) } is reached { WHEN($expected_s, $earliest_s, $latest_s) } if the trend continues
sensor_fault = sensor fault: { WORD($faults) }
sensor_sensitivity = sensor fault: every band moved by { QUANTITY($change_db, "dB") }; check unit, sensitivity and supply of the sensor
sensor_loose_mount = sensor fault: loose mount with a resonance near { QUANTITY($hz, "Hz") }; fasten the sensor
sensor_other_point = sensor fault: its spectrum is that of { $other }; check cables and direction of the sensor
sensor_open_cable = sensor fault: only noise arrives ({ QUANTITY($change_db, "dB") }); check cable and supply of the sensor
sensor_hum = sensor fault: mains hum rose by { QUANTITY($change_db, "dB") }; check shield and ground of the cable
sensor_saturated = the signal clips at { QUANTITY($change_db, "dB") } of its healthy peaks; check range, gain and supply of the sensor
sensor_zero = sensor fault: the value is exactly 0, as after a restart of the device; check the device, and state when the machine is at rest
silent = no window for more than { QUANTITY($after_s, "s") }
silent_since_start = no window since the gateway's start: its condition is not known yet
coasting = coasting down: its condition is not assessed
speed_contradicts = the measured speed is 0, and the vibration is that of the running machine; check the tachometer or the speed value
starting = starting: its condition is assessed when it runs steadily
worked_on = planned work: its condition is not assessed until the work is finished
not_running = not running: its condition is not assessed
rests_below = not running, because { $point } is below { QUANTITY($limit, $unit) }: its condition is not assessed
rest_found = the values of { $point } have two levels; the machine rests below { QUANTITY($limit, $unit) }, so its baseline is learned again from its running alone
run_not_recognised = no run since { DAY($at_ms) }, far longer than any rest before ({ $point } is below { QUANTITY($limit, $unit) }); if the machine ran, check the sensors and start a new baseline
run_bit_stuck = the value that says whether it runs has not changed since { DAY($at_ms) }, and { $point } shows that the machine ran and rested ({ QUANTITY($limit, $unit) } is between both); check that value
unseen_state = operating state { STATE($speed_rpm, $load, $tags) } was never seen in the baseline (nearest: { STATE($nearest_speed_rpm, $nearest_load, $nearest_tags) })
fault_reported = fault{ OPTIONAL(" (", $kind, ")") } reported by { $actor }; no event had detected it
resembles = resembles an earlier event, confirmed as a fault{ OPTIONAL(" (", $kind, ")") } by { $actor } on { DAY($at_ms) }: { PERCENT($value) } alike

# symptoms (ISO 13379)

order_rose = { $order }× rose
order_steady = { $order }× steady
no_shaft_fault = no fault of a shaft stands out: no order doubled
axial_unknown = no axial point is stated: a bent shaft can't be ruled out
axial_steady = axial vibration steady
axial_order_rose = { $order }× rose axially
axial_opposed_shaft = axial 1× in opposite phase at both bearings of the shaft
axial_opposed_coupling = axial 1× in opposite phase across the coupling
axial_together = axial 1× in phase at both bearings: overhung
axial_phase_unknown = phase between two axial points on one clock
radial_quarter_turn = a quarter turn between horizontal and vertical
harmonics_rose = many harmonics rose
half_orders_rose = half orders rose
gear_residual_rose = mean turn of the { $teeth }-tooth gear: { QUANTITY($db, "dB") } beyond the regular mesh
gear_one_tooth = one place of the turn sticks out (FM4 { $fm4 })
gear_spread = spread over the turn (FM4 { $fm4 })
mesh_harmonics_rose = higher mesh harmonics rose
no_gear_fault = no gear fault stands out: the mean turns are as in the healthy machine
shaft_speeds_differ = shaft orders can't be compared: the speed was not found without doubt
no_drive_fault = no fault of drives or flow stands out
electrical_lines_rose = twice the mains frequency rose by { QUANTITY($db, "dB") }, more than all else
blades_lines_rose = blade pass rose by { QUANTITY($db, "dB") }, more than all else
belt_lines_rose = multiples of the belt frequency rose by { QUANTITY($db, "dB") }, more than all else
noise_rose = noise above 1 kHz rose by { QUANTITY($db, "dB") }, without lines
slow_noise_rose = noise below the shaft speed rose by { QUANTITY($db, "dB") }
blades_modulate = blades modulate it (depth { $depth })
contact_once_a_turn = a contact rings once a turn (depth { $depth })
current_bars = sidebands of the current at twice the slip frequency: { QUANTITY($db, "dB") } over the line, slip { PERCENT($slip) }
current_gap = sidebands of the current at the shaft speed: { QUANTITY($db, "dB") } over the line
ultrasound_rose = { WORD($fault) }: ultrasound { QUANTITY($db, "dB") } over the healthy level, stage { $stage } of 4 (from { QUANTITY($from_db, "dB") })
level_grew = its level grew by a factor of { $factor } ({ $low } to { $high }) in { $span } { WORD($span_unit) }
level_fell = its level fell to { $factor } times ({ $low } to { $high }) in { $span } { WORD($span_unit) }
no_growth = no growth seen in { $span } { WORD($span_unit) }
floor_rose = impacts gave way to noise: above 1 kHz { QUANTITY($db, "dB") } over the healthy machine, { $orders } shaft orders doubled
other_part_fits = { WORD($fault) } of { $bearing } has the same frequency
order_1_or_3_rose = 1× or 3× rose
bearing_lines_rose = lines of the bearing rose
bearing_sidebands_rose = their sidebands rose
envelope_steady = envelope steady
high_bands_rose = high bands or impulses rose
impulsive = impulsive
asymmetric = asymmetric
broad_band_rose = broad band rose
gear_mesh_moved = gear mesh moved
gear_sidebands_rose = gear-mesh sidebands rose
shaft_sidebands = shaft-spaced sidebands
line_frequency_rose = twice line frequency rose
harmonic = { $line } { $order }×
sidebands = { $line } sidebands
line_in_spectrum = { $line } { $order }× in the spectrum

# what a baseline lacks, and the doubts about it

baseline_rises = { $point }: several bands rose steadily by up to { QUANTITY($change_db, "dB") } in the healthy period; look for a fault that develops, and start a new healthy period after the repair
baseline_groups = { $point }: the healthy period holds two groups of windows that no operating state explains; state what differs (load, product, machine), or start a new healthy period
baseline_days = { QUANTITY($hours, "h") } more of running
baseline_starts =
    { $count ->
        [one] { $count } more start
       *[other] { $count } more starts
    } of the machine
windows =
    { $count ->
        [one] { $count } more window
       *[other] { $count } more windows
    }{ OPTIONAL(" at point ", $point) }
state_windows =
    { $count ->
        [one] { $count } more window
       *[other] { $count } more windows
    } at { STATE($speed_rpm, $load, $tags) }
rare_state =
    { STATE($speed_rpm, $load, $tags) } came up in { $count ->
        [one] { $count } window
       *[other] { $count } windows
    } only: it is no part of the baseline, and counts as never seen
training_failed =
    training of the baseline failed: { $detail }; it is tried again after { $count ->
        [one] { $count } more window
       *[other] { $count } more windows
    }; if it fails again, start a new healthy period and report this text
may_rest = a run: all velocities so far may be those of a machine at rest; it decides after { $days } days at the latest
provisional = provisional: knows { $known_days } of about { $days } days; until then its limits are wide{ OPTIONAL("; days: ", $more_days, " more") }{ OPTIONAL("; days with running: ", $more_stretches, " more") }{ OPTIONAL("; runs after a rest of 6 h: ", $more_campaigns, " more") }
reference_moved = { $point }: { QUANTITY($first, $unit) } at commissioning, { QUANTITY($now, $unit) } now
drift = the features still drift: a quarter of the period lies { QUANTITY($sigma, "σ") } off, { QUANTITY($allowed_sigma, "σ") } is allowed

# limits and ISO zones

no_feature = limit of point { $point }: it has no feature { $feature }; see docs/features.md
band_outside = limit of point { $point }: the band { $low_hz } to { QUANTITY($high_hz, "Hz") } must lie between { $from_hz } and { QUANTITY($to_hz, "Hz") } and be a quarter octave wide or more
iso_support_unknown = the foundation is not declared: set it to rigid or flexible to apply ISO 20816-3
iso_too_large = { QUANTITY($power_kw, "kW") } is beyond ISO 20816-3 (50 MW): set fixed limits instead
iso_class_unknown = neither rated power nor group is declared: set one of them to apply ISO 20816
iso_unit_undeclared = { $points }: the unit is not declared; set g, m/s2 or mm/s to apply ISO 20816


## Machines

# false events: promised and seen

plant_account = promised: { $a_month } false events a month, { $promised } in the { $days } days that were decided on; seen: { $count } ({ $false_alarms } answered as false alarm, { $unanswered } without a certain answer), 95 % confidence { $low } to { $high }
account_widened = more false events than the promise explains: the learned limits of { $machines } are wider
limits_widened = { $machine }: the learned limits are { $factor } times as wide, by the account of false events

# alarms

alarm_over = event { $event_id } is over and needs no acknowledgement
alarm_acknowledged = { $actor } has acknowledged it already
alarm_suppressed = the alarms of { $machine } are { WORD($state) }
alarm_worse = it has become worse: { WORD($condition) }; look again
machine_out_of_service = { $machine } is out of service: bring it back first
machine_worked_on = planned work on { $machine } is under way: report it finished first
machine_not_suppressed = { $machine } is not { WORD($state) }

# clips

clips_off = raw signals stay on this gateway ([gateway] clips = "off")
clips_no_sound = { $point } is a microphone; its signal stays on this gateway ([gateway] sound_clips = false)
clip_no_signal = no signal of { $point } has arrived yet
clip_no_healthy = no signal of a healthy period of { $point } is stored yet
clips_too_many = more than { $limit } clips an hour; ask again later

# the gateway

gateway_not_storing = the gateway can't store anything (is its disk full?); ask again later
gateway_busy = too many commands wait; ask again later


## Learning

sentences = { WORD($parts, joint: "; ") }

# what a label waits for

waits_for_labels =
    waits for { $count ->
        [one] { $count } more label
       *[other] { $count } more labels
    }
waits_for_cooldown = waits { QUANTITY($left_s, "s") } until the last training has cooled down
waits_for_recovery = waits for the computer to recover: { $limit }
waits_for_baseline = the machine has no baseline yet, so a label changes nothing
too_hot = { QUANTITY($temperature_c, "°C") }, the limit is { QUANTITY($limit_c, "°C") }
battery_low = battery at { PERCENT($share) }, the limit is { PERCENT($limit) }
cpu_busy = other work takes { PERCENT($share) }, the limit is { PERCENT($limit) }

# what a label changed

no_windows_of_event = no window of this event is stored, so nothing can be learned
verdict_changes_nothing = this verdict changes nothing
replaces_verdict = replaces the verdict of { $actor }
counts_as_open = the event counts as open
contradicts = contradicts earlier false-alarm labels, which no longer count: event { $events }
false_alarms_alike = events { $events } depart like this fault and are labelled false alarms: these labels count as open and silence nothing until someone gives them again
learned_again = learned again from new windows of labelled events
shadow_first = runs in the shadow of the active heads first
head_full = the head of { $points } is full, it holds { $places } places at most and had to join some: take a new baseline that includes these conditions
offer_baseline = maintenance is no fault to learn; if the machine runs differently from now on, start a new baseline: the present one is kept, and you can return to it
work_begun = until the work is finished, nothing alarms and nothing is learned; then the first windows are compared with those before the work

# the gate

gate_resembles_fault = resembles a fault that was confirmed before ({ PERCENT($likeness) } alike); label it a false alarm again if it is none
gate_departs_widely = { PERCENT($share) } of the features depart by more than { QUANTITY($limit, "σ") }, which a new speed or load rarely causes; label it a false alarm again if it is no fault
repair_watched = watching the machine after the work: { $windows } of { $needed } windows
repair_gone = the fault is gone: { $windows } windows after the work are as in the baseline, which stays in use
repair_unchanged = the fault is unchanged: { $windows } windows after the work depart as before
repair_new = the machine departs otherwise than before the work ({ PERCENT($likeness) } alike): check the work; if it is well so, start a new baseline
repair_new_value = what departed before the work is back, but other values depart in { $windows } windows after it: check the work
report_shows_nothing = the reported windows look like healthy ones: no direction sets them apart
gate_passed = { $silenced } of { $false_alarms } labelled false alarms are silent, { $detected } of { $faults } confirmed faults still alarm
gate_silenced = { $silenced } of { $false_alarms } labelled false alarms are silent
gate_no_labels = no label is in force
gate_detected = { $detected } of { $faults } confirmed faults still alarm
gate_fault_lost = would lose or weaken the confirmed fault of event { $events }
gate_more_false_alarms = false alarms on healthy windows would rise from { PERCENT($before) } to { PERCENT($after) }{ OPTIONAL(" of ", $windows, " windows") }
gate_false_alarm_stays = the false alarm of event { $event } would go from { QUANTITY($before, "σ") } to { QUANTITY($after, "σ") }, up to { QUANTITY($limit, "σ") } is silent
gate_false_alarm_returns = the false alarm of event { $event } would alarm again; if that event was a fault too, answer it as a real fault

# checkpoints

back_to = back to { $checkpoint_id }
back_to_with_baseline = back to { $checkpoint_id }, with its baseline
new_baseline = a new baseline, no labels yet
start_without_labels = a start without labels: { $cause }
shadow_passed = the shadow run passed: { $windows } live windows: { $candidate_beyond } healthy ones beyond the limit, { $active_beyond } before; { $faults_hidden } like a confirmed fault hidden
shadow_failed = the shadow run failed: { $windows } live windows: { $candidate_beyond } healthy ones beyond the limit, { $active_beyond } before; { $faults_hidden } like a confirmed fault hidden
promoted_by = promoted by { $actor }
rejected_by = rejected by { $actor }
no_checkpoint = there is no checkpoint { $checkpoint_id }
checkpoint_weights_gone = the weights of checkpoint { $checkpoint_id } are not kept
checkpoint_of_other_baseline = checkpoint { $checkpoint_id } belongs to another baseline
heads_of_other_baseline = the heads are not of baseline { $baseline_id }
no_candidate = machine { $machine } has no candidate in a shadow run
file_damaged = { $file } is damaged: its hash is wrong
nothing_to_undo = the machine has no baseline yet, so there is nothing to undo
no_earlier_checkpoint = the machine has no earlier checkpoint

# questions

question_near_miss = the evidence came to { PERCENT($evidence) } of the warning level and fell again
question_new_state = an operating state that the baseline does not hold; its windows depart by { QUANTITY($sigma, "σ") } on average

# deltas

delta_from = delta of { $machine } at { $device } ({ $delta_id })
delta_left_out = its false alarms that resemble the confirmed fault of event { $events } are left out
delta_not_a_delta = { $bytes } bytes that are no delta of this version: choose a file that was downloaded as a delta
delta_key_untrusted = signed with key { $key }…, which is not trusted here
delta_changed = the signature is wrong: the delta was changed or damaged
delta_unreadable = it can't be read ({ $cause }); another version made it
delta_too_large = { $bytes } bytes; at most { $limit }
delta_other_base = made for base { $base_id } and specification { $spec_id }, this machine has { $own_base_id } and { $own_spec_id }: import it into a machine with the same baseline
delta_other_points = made for points { $points }, this machine has { $own_points }
delta_unfit_values = point { $point } has values that are no numbers, or of another model
delta_not_applied = the delta is not applied: { $cause }

# files of `auscult export` and `auscult delta`

no_baseline_yet = machine { $machine } has no baseline yet
machine_not_configured = machine { $machine } is not configured; there are: { $machines }
import_done = imported what { $source } of { $gateway } had learned into { $machine }{ OPTIONAL("; its earlier state is in ", $aside) }
not_an_export = { $path } is no file of `auscult export`
file_without_detector = the file does not say which points and features it is for; export it again with this version of Auscult
state_unfit = machine { $machine } can't use the file: { $cause }
state_not_one = these bytes are not a detector state
state_version = state of version { $version }, this program reads { $reads }
state_damaged = the state is damaged: its SHA-256 is wrong
state_point = the state has a point { $point }, the machine does not
state_not_calibrated = the state has no calibration of point { $point }
state_of_other = the state belongs to machine { $machine } with other points, units or window lengths{ OPTIONAL(" (", $points, ")") }; its baseline has to be learned again
file_unusable = { $path } is not applied: { $cause }
key_unreadable = { $path } holds no key ({ $cause }); remove it for a new one
key_not_ed25519 = { $path } holds no Ed25519 key; remove it for a new one


## Commands: what one did, or why it is rejected

# any command

command_too_large = { $bytes } bytes; at most { $limit }
value_at = { $place }: { $cause }
command_bad_id = id { $id }: use letters, digits and '_ . : -'
command_retained = a command must not be retained
command_unknown = this version of the gateway has no command { $name }; update it
command_expired = expired { QUANTITY($late_s, "s") } ago
command_expired_waiting = it expired before the gateway could store what it does
command_expires_late = it expires in { QUANTITY($ahead_s, "s") }, at most { QUANTITY($limit_s, "s") } are accepted: compare the clocks of gateway and dashboard
command_changed = its signature does not match: it was changed on the way
command_unsigned = no trusted dashboard signed it: put the dashboard's key into [gateway] dashboard_keys
command_failed = the gateway failed to do it; see its log
command_not_stored = the gateway did it but could not store it: a restart may undo it; see its log
machine_unknown = this gateway has no machine { $machine }
point_unknown = machine { $machine } has no point { $point }
report_no_windows = no window of { $machine } is stored yet, so there is nothing to report
report_outside = no window of { $machine } is stored from that time; reports reach back { QUANTITY($reach_h, "h") }
span_backwards = the end must be after the start
event_unknown = this gateway has no event { $event_id }

# baselines

asked_for_by = asked for by { $actor }
baseline_learning = machine { $machine } still learns its baseline
baseline_changed = its baseline is { $baseline_id } by now, not { $given_id }; look again
baseline_not_collecting = no healthy period of { $machine } is collecting: { $phase }
baseline_none_earlier = { $machine } has no earlier baseline to return to
baseline_not_kept = baseline { $baseline_id } of { $machine } is not kept
baseline_back = baseline { $baseline_id } decides again

# labels and checkpoints

accepted = accepted: { $reason }
rejected = rejected: { $reason }
preview_accepted = it would be accepted: { $reason }
preview_rejected = it would be rejected: { $reason }
preview_waits = nothing yet: { $wait }
preview_noted = it would be stored, and change nothing
now_active = now active is { $checkpoint_id }
not_the_candidate = { $checkpoint_id } is not a candidate of { $machine } now

# deltas

delta_made = delta { $delta_id } of { $checkpoint_id }
delta_not_base64 = delta: no base64 ({ $cause })
delta_not_now = not now: { $wait }; send the delta again then

# spectra, clips, limits

no_window_yet = no window of { $point } has come yet
kurtogram_band = the kurtogram's best band is { $low_hz } to { QUANTITY($high_hz, "Hz") } (spectral kurtosis { $kurtosis }; noise has 0)
clip_sent = a clip of { QUANTITY($seconds, "s") }

# updates

update_offered = version { $version } is being downloaded
update_other_bytes = the download of version { $version } has another hash than announced
update_gone = the dashboard no longer offers version { $version }
update_off = this gateway takes no updates from the dashboard: set [gateway.updates] folder and install it with the bundle
update_running = version { $version } is being installed; try again when it has ended
update_no_space = { $free_mb } MB are free, an update needs { $needed_mb } MB
update_ended = installer: { $cause }
update_other_version = the bundle is version { $version }: nothing was changed
update_older = version { $version } runs; an older one is not installed this way
update_key_missing = { $path } is missing: as root, put the release's public key there
update_key_moved = { $path } is missing, and { $old } is no longer read, because the service's user can change it: as root, put the release's public key and update.env into the new folder
update_key_open = { $path } can be changed by others than root: compare the key with the release's, then chown root:root and chmod go-w
update_platform = the bundle is for Python { $python } on { $machine }; here is Python { $own_python } on { $own_machine }: add the bundle for it
update_unhealthy = the new version is not healthy
update_back = { $cause }; version { $version } runs again with its data
update_power_cut = the power failed; version { $version } runs again
limits_set =
    { $count ->
        [one] { $count } limit
       *[other] { $count } limits
    } of { $point }


## Sources and settings

# how a source is

source_ok = ok
source_ended = ended
source_failed = failed: { $detail }; it starts again by itself; see the gateway's log

# what is wrong with a part of the gateway

part_failed = failed: { $detail }; it starts again by itself; see the gateway's log
overload = the gateway can't keep up: machines without a sign of a fault are scored every { QUANTITY($pause_s, "s") } only; move machines to another gateway, or measure fewer channels or at lower rates
store_empty = { $path } was empty; a new database was made, and machines learn from the start; to keep what they learned, stop the gateway and restore a backup
store_damaged = the database was damaged and is kept as { $path }; a new one was made, and machines learn from the start; to keep what they learned, stop the gateway and restore a backup
store_salvaged =
    the database was damaged and is kept as { $path }; { $count ->
        [one] { $count } row
       *[other] { $count } rows
    } could be read and copied into a new one; the others are lost: to get them back, stop the gateway and restore a backup
store_log_damaged =
    the log of the database was damaged (kept as { $path }): { $count ->
        [one] { $count } transaction is
       *[other] { $count } transactions are
    } lost; replace the disk if this repeats
client_id_taken = connections to { $broker } end within seconds: another client probably uses the client id { $client }; end it, or give one of the two another id (gateway.id, site.id; of a dashboard dashboard.client_id)
receipts_rejected = receipts without the signature of a trusted dashboard are rejected, and the messages that they name are kept: update a dashboard that is older than this gateway, put its key into [gateway] dashboard_keys; if no such dashboard runs, change the passwords of the broker
gateway_duplicate = a second gateway with the same site and id publishes; its machines are not shown: end it, or change its gateway.id
source_kind_unknown = no kind of source is named { $kind }; installed are { $kinds }
source_kind_broken = the kind of source { $kind } can't be loaded: { $detail }; install its package again
source_only_in_file = sources of kind { $kind } are set up in the gateway's own file only
source_not_from_page = the page may not set up sources of kind { $kind } on this gateway: add { $kind } to page_sources in [gateway] of its file and restart it
setting_not_from_page = the page can't set { $key } to this value; put the source in the gateway's own file
package_missing = the package { $package } is not installed: pip install 'auscult[{ $extra }]'
library_missing = { $package } does not find its library ({ $detail }); install it
source_not_connected = not connected to its broker
source_no_thread = no thread is left for it: the system's limit for this process is reached; raise it (TasksMax of the unit, pids_limit of the container), or move machines to another gateway
sources_no_thread =
    no thread is left for { $count ->
        [one] { $count } source
       *[other] { $count } sources
    }: the system's limit for this process is reached; raise it (TasksMax of the unit, pids_limit of the container), or move machines to another gateway
subscription_refused = the broker refuses the subscription to { $topic }; let{ OPTIONAL(" user ", $user) } read it in the broker's access list
nothing_on_topic = nothing arrived on { $topic } within { QUANTITY($after_s, "s") }. Either no one publishes there, or the broker withholds it: Mosquitto does not report to a client which topics its access list closes. To open it, add "topic read { $line }"{ OPTIONAL(" below \"user ", $user, "\"") } to that list
no_numbers_on_topic =
    { $count ->
        [one] { $count } message
       *[other] { $count } messages
    } arrived on { $topic }, none with a number in JSON
not_processed = can't be processed: { $detail }; see the gateway's log
source_part = { $what }: { $problem }
messages_lost =
    { $count ->
        [one] { $count } message
       *[other] { $count } messages
    } lost
blocks_dropped =
    { $count ->
        [one] { $count } block
       *[other] { $count } blocks
    } dropped: the gateway was too slow

# samples that do not fit the point

point_not_configured = point { $point } is not configured; add it, or remove it at the source
wrong_rate = samples at { QUANTITY($fs_hz, "Hz") }, the point is configured with { QUANTITY($configured_hz, "Hz") }; correct one of them
wrong_unit = samples in { $unit }, the point is configured with { $configured }; correct one of them
point_takes_samples = single values, the point takes samples; choose another point

# messages that can't be used

no_waveform = { $what } is no waveform: { $problem }
sampling_clock = sensor fault: by the times of its blocks it samples at about { QUANTITY($hz, "Hz") }, stated are { QUANTITY($fs_hz, "Hz") }; correct the rate or replace the sensor
samples_not_finite = samples are not finite numbers
not_json = no JSON: { $payload }
no_value_at = no value at { $pointer }
not_a_number = { $value } is not a number
value_too_large = { $value } is beyond ±{ $limit }, so it is no measurement: check the number's type, word order and scale
metric_empty = the metric has no value

# manifests of recordings

recording_unreadable = { $path }: can't be read as WAV or FLAC{ OPTIONAL(" (", $detail, ")") }; copy the file again
manifest_unreadable = { $path }: can't be read ({ $detail }); a plain folder of files needs recordings.toml or folders healthy and faulty: docs/sensors/files.md
manifest_no_column = { $path }: column { $column } is missing; required are { $columns }
manifest_cells = { $path }: row { $row } has more cells than the header; put a cell that holds the separator in quotes
manifest_empty = { $path }: no recordings; add one row for each channel
manifest_row = { $path }: row { $row }: { $column } = '{ $value }': { $problem }
manifest_disagrees = row { $row } of the same recording has '{ $value }'; make them agree
manifest_rate = the file has { QUANTITY($fs_hz, "Hz") }; correct the manifest
manifest_doubled = used twice in recording { $recording }
not_audio = can't be read as WAV or FLAC ({ $detail })
bursts_incomplete = give burst_s and interval_s together, or neither

# raw streams, cards and microphones

device_overruns =
    samples lost { $count ->
        [one] { $count } time
       *[other] { $count } times
    }: the device was read too late
device_absent = no device { $device }{ OPTIONAL("; found ", $devices) }; plug it in, or correct its name
device_failed = { $device } does not work ({ $detail })
device_silent = { $device } delivers nothing for { QUANTITY($after_s, "s") }; is it plugged in?
calibration_no_tone = { $point }: a reference tone has { PERCENT($share) } of the power, at least 90% are needed; put the calibrator on the microphone, and reduce other noise
calibration_clipped = { $point }: the tone reaches full scale; reduce the gain

# files of any format

file_format_unknown = { $path }: unknown format; known endings are { $endings }
file_incomplete = { $path }: ends too early; it is still written, or copy it again
recording_damaged = { $path }: can't be read as { $format } ({ $detail }); copy or export it again
file_no_numbers = { $path }: no line of numbers within the first { $lines } lines
file_line_cells = { $path }: line { $line } has { $cells } cells, { $expected } are expected
file_cell = { $path }: line { $line }: { $value } is neither a number nor a time
file_no_column = { $path }: there is no { $column }; it holds { $columns }
file_no_rate = { $path }: states no sampling rate; give fs_hz, or name the time column
file_rate = { $path }: { QUANTITY($fs_hz, "Hz") } is outside { $low } to { QUANTITY($high, "Hz") }; correct fs_hz or the unit of the time column
file_times_uneven = { $path }: the steps of { $column } differ; samples are missing, or give fs_hz
file_unit = { $path }: channel { $channel } has the unit { $unit }, which no point has; give unit
file_not_finite =
    { $path }: channel { $channel } has { $count ->
        [one] { $count } sample
       *[other] { $count } samples
    } without a number; export it again
set_no_converter = { $name }: { $note }
file_channels_differ = { $path }: channel { $channel } has another rate or length than the first; import the channels one by one
file_too_large = { $path } holds { $size } MB once unpacked, at most { $limit } MB fit into a quarter of this computer's memory: split it into shorter recordings
file_refers = { $path }: the numbers of { $channel } lie in another file (external or virtual storage); export it with all data in one file
file_no_signal = { $path }: no channel of at least { $samples } samples
file_no_channel = { $path }: no channel { $channel }; it holds { $channels }
folder_key = { $path }: { $problem }
folder_no_files = { $path }: no file matches { $pattern }

# tables of values

values_key = { $path }: { $key }: { $problem }
values_no_file = { $path }: { $key } = "{ $value }": there is no such file; correct the name
values_outside = { $path }: { $key } = "{ $value }" lies outside { $folder }; put the table into this folder and name it there
values_no_column = { $path }: no column "{ $value }", which { $key } of values.toml names; it holds { $columns }: name one of these
values_column_taken = { $path }: { $key } = "{ $column }" in values.toml is the column of { $taken } already; name another one
values_no_number = { $path }: column "{ $column }", which { $key } of values.toml names, holds no number; name another column, or export it again
values_time = { $path }: line { $line }: { $column } = "{ $value }" is no time; use ISO 8601 or an epoch, or give time_format in values.toml
values_time_format = "{ $value }" reads the same part of a time twice; name each part once, such as %d.%m.%Y %H:%M
values_zone = { $path }: timezone = "{ $value }" in values.toml is unknown; use a name such as Europe/Berlin
values_empty = { $path }: no row has a time; export the table again
values_order = from is later than to; exchange them
values_layout = a long table has both tag and value; give both or neither
values_running = give table and column, or point
values_no_point = there is no point { $point }; name one of { $points }
values_no_machine = { $path }: the gateway has no machine { $value }; it has { $machines }: configure it, or correct the id
values_waveforms = { $path }: machine { $value } has waveforms too, whose baseline a table can't give; leave it out
values_no_tables = { $path }: there is no table; known endings are { $endings }
values_no_header = { $path }: none of the first { $lines } lines names columns with rows below it; export the table with a header
values_no_times = { $path }: no column holds times, of { $columns }; give time and time_format, in values.toml or on the page
values_ask_zone = { $path }: { $column } = "{ $value }" states no time zone; say which it is: --timezone Europe/Berlin, or --timezone UTC
values_no_columns = { $path }: no column holds numbers, of { $columns }; export it again
draft_zone = { $column } = "{ $value }" states no time zone: name it, such as Europe/Berlin, or UTC
draft_unit = complete quantity and unit of { $column }
draft_quantity = complete quantity of { $column }
draft_run_bits = run bits; name table and column { $column } as running of their machines
draft_events = known events; name it as events of their machines
values_no_text = { $path }: is no text in UTF-8; export it as CSV in UTF-8, or as Parquet
values_other_table = the table is "{ $value }", but { $table } is mapped here; use this name
values_by_hand = { $path } can't be changed entry by entry; write each machine as [[machine]], or complete the file by hand
values_not_written = { $path } can't be written ({ $detail }); let the gateway write into this folder
table_unknown = "{ $value }": there is no such table in { $folder }; name a file that ends in { $endings }
table_outside = "{ $value }" lies outside { $folder } (recordings_dir); put the table into this folder
table_changed = someone else changed the mapping of { $table } meanwhile; load the table again
table_checked =
    { $count ->
        [one] the first rows fit: one point
       *[other] the first rows fit: { $count } points
    }
table_mapped =
    { $count ->
        [one] one point is in { $path }. Rehearse it on the gateway: auscult rehearse { $folder }
       *[other] { $count } points are in { $path }. Rehearse them on the gateway: auscult rehearse { $folder }
    }
values_twice = { $id } is used twice; rename one of them

# cells of a manifest

empty = must not be empty
first_word_of = the first word must be one of { $choices }
number_between = must be a number from { $low } to { $high }

# settings of machines and gateways

limit_empty = limit on { $feature }: give warning, alarm or both
limit_order = limit on { $feature }: warning { $warning } must be reached before alarm { $alarm }
volts_without_sensitivity = unit V needs sensitivity_mv and sensitivity_unit
envelope_incomplete = give both envelope_low_hz and envelope_high_hz, or neither
envelope_outside_rate = envelope_low_hz = { $low_hz } and envelope_high_hz = { $high_hz } must rise and lie below { QUANTITY($limit_hz, "Hz") }, half the sampling rate
shaft_twice = machine { $machine } has a shaft id twice; 1 is the measured shaft
shaft_unknown = machine { $machine } has no shaft { $shaft }; add it to shafts with its ratio
shaft_ratio = shaft { $shaft } has ratio { $ratio }, but its gear has { $by_teeth } by its teeth
point_bearing_unknown = point { $point } names bearing { $name }, which the machine does not have
bearing_incomplete = bearing { $name }: give balls, ball_diameter_mm and pitch_diameter_mm, or at least one of bpfo, bpfi, bsf, ftf in orders of shaft speed
bearing_not_described = bearing { $name } is not in the catalogue: give its number of balls and diameters, or the maker's bpfo, bpfi, bsf, ftf in orders of shaft speed
bearing_races_swapped = BPFO { $bpfo } is not less than BPFI { $bpfi }: they may be swapped
belt_too_short = a belt of { QUANTITY($length, "mm") } is shorter than the circumference { QUANTITY($least, "mm") } of its pulley
point_id_twice = machine { $machine } has point id { $point } twice
id_malformed = id { $id }: use 1 to 64 letters, digits, '_', '.' or '-', starting with a letter or digit
id_reserved = id { $id } is a word of the MQTT topic tree: choose another
named_twice = { WORD($what) } { $name } is named twice
topic_wildcard = topic { $topic } has a wildcard: name one topic
source_machine_unknown = source plays machine { $machine }, which is not configured: add it under [[machines]] or set as_machine
certificate_incomplete = cert_file and key_file belong together: give both or neither
key_malformed = a public key is { $digits } hexadecimal digits; `auscult delta key` shows a gateway's


## Commissioning: problems of machines and of tables of machines

# tables of machines

table_unreadable = the table is not CSV: { $problem }
table_empty = the table is empty
table_too_long = more than { $most } rows; import the table in parts
column_missing = this column is missing
cells_beyond_head = more cells than columns: put cells that hold { $separator } in quotes
column_unknown = there is no such column; see the template
cell_empty = must not be empty
cell_not_number = { $cell } is not a number
cell_not_whole = { $cell } is not a whole number
cell_not_yes_or_no = { $cell }: write yes or no
cell_contradicts = differs from row { $first }{ OPTIONAL(", which has ", $other) }; write the value once, or the same in both rows
cell_limit_form = { $cell }: write feature>warning/alarm, e.g. kurtosis>4/8
cell_tag_form = { $cell }: write name=topic#/pointer *scale +offset, e.g. speed_rpm=plc/pump-1#/speed *60
cell_address_form = { $cell }: write sparkplug:group/edge node/device#metric; the device may be left out
cell_metric_tag_form = { $cell }: write name=sparkplug:… *scale +offset
bearing_unknown = no bearing { $name } in the catalogue; add it there first
cell_bearing_form = { $cell }: write a designation, NAME=BPFO/BPFI/BSF/FTF in orders, or NAME=balls x diameter/pitch diameter/angle; @2 at the end for shaft 2
cell_shaft_form = { $cell }: write shaft=ratio, e.g. 2=0.568
cell_gear_form = { $cell }: write driving/driven teeth and their shafts, e.g. 21/37@1>2
cell_belt_form = { $cell }: write pulley/belt length in mm, e.g. 200/2000
source_kinds_mixed = this machine plays recordings already; a machine has one kind of source
source_groups_mixed = the points of a machine are in one Sparkplug group, here { $group }
tags_without_topic = needs a point with a topic

# the command `configure`

machines_changed = someone else changed the machines meanwhile; load them again
machines_checked =
    { $count ->
        [one] { $count } machine
       *[other] { $count } machines
    } checked; nothing was changed{ OPTIONAL("; ", $takes) }
baseline_takes = the baseline of { $machine } needs at least { QUANTITY($time, $unit) } of measured running
machines_unchanged =
    { $count ->
        [one] { $count } machine
       *[other] { $count } machines
    }; nothing changed
machines_stored =
    { $count ->
        [one] { $count } machine
       *[other] { $count } machines
    } stored
machine_in_file = machine { $machine } is in the gateway's own file; change it there, or choose another id
machine_id_twice = machine id { $machine } is used twice
source_machine_unlisted = it delivers to machine { $machine }, which is not in the list
source_twice = machine { $machine } has a source already
point_fed_twice = two sources feed point { $point }: source { $number } ({ $kind }) and source { $second } ({ $second_kind }); remove it from one of them, or give it a point of its own
source_other_broker = name another broker in the gateway's own file
source_outside_folder = { $manifest } is outside the gateway's recordings_dir { $folder }
and_more = { $first } (and { $more } more)


## Dashboard: problems that the server answers with

# requests

not_found = there is no { WORD($what) } { $id }
no_such_path = there is nothing at { $path }; /api/openapi.json lists the paths
http_error = { $problem }
invalid_request = { $where }: { $problem }
empty_period = the period is empty: its start { $start_ms } must be before its end { $end_ms }
cursor_unknown = cursor: this server did not give it; leave it out to start again
id_taken = the id { $id } was used for another request; make a new one
body_too_large = the request is larger than { $limit } bytes, the limit of this path; send less
body_too_slow = the request was not complete within { QUANTITY($limit_s, "s") }; check the connection
host_unknown = { $host } is not a name of this server; open it by its address, or add the name to [dashboard] hosts
too_many_attempts = too many attempts to sign in; try again in { QUANTITY($wait_s, "s") }
foreign_page = the request comes from another site's page; open this server's own page
store_unavailable = the database can't store or read now ({ $cause }); try again, and check the database and its disk
broker_not_connected = not connected; trying again
server_error = an error inside the server; its log says more
parquet_missing = Parquet needs the extra 'export' on the server: pip install 'auscult[export]'

# sign-in

sign_in_first = sign in first (POST /api/v1/session, or the page at /sign-in)
token_unknown = the token is unknown, expired or revoked; ask an administrator for a new one
sites_without_role = no site is left: choose a site, give a role at all sites, or disable the account
administrator_of_sites = an administrator has all sites; choose at most engineer for a site
all_sites_needed = all sites share this; { $name } has a role at some sites only
role_needed = this needs the role { WORD($needed) }; { $name } has the role { WORD($role) }
role_needed_login_off = this needs the role { WORD($needed) }; without sign-in everyone has the role { WORD($role) }: set [dashboard] login to 'required'
not_admitted = name or password is wrong, or the account is locked after failed attempts
first_start_code = the code is not the one in { $file } in the server's data folder
administrator_exists = there is an administrator already; sign in
old_password_wrong = the old password is wrong

# accounts

name_malformed = name: use 2 to 64 letters, digits, '.', '_', '@' or '-'
name_taken = name: { $name } is taken
last_administrator = there must be an active administrator; make another one first
password_short =
    password: { $length ->
        [one] { $length } character
       *[other] { $length } characters
    }; use at least { $least }
password_long =
    password: { $length ->
        [one] { $length } character
       *[other] { $length } characters
    }; use at most { $most }
password_monotonous = password: use at least { $least } different characters
password_of_name = password: it must not be made of the name

# templates

template_point_missing = it has no point { $point }, which the template has
template_point_differs = its point { $point } measures another quantity or unit than the template's
machine_of_the_file = { $machine } is in the gateway's own file; change it there

# enrolment of gateways

enrolment_closed = this dashboard does not enrol gateways by code: set [dashboard.enrolment] folder and broker
enrolment_failed = the gateway can't be enrolled: { $cause }
gateway_id_reserved = { $gateway } is a user of the broker; choose another id
gateway_id_taken = gateway { $gateway } is enrolled at site { $site }; choose another id, or delete that gateway first
code_rejected = the code is wrong, used or expired; ask an administrator for a new one

# staged updates of gateways

updates_closed = this dashboard offers no updates: set [dashboard.updates] folder and address
bundle_unsigned = { $path } is not signed by this key
bundle_damaged = { $path } is damaged or no bundle: { $cause }
bundle_away = the bundle is not in { $folder }: add it again on this server
download_key_wrong = the key of this download is not valid
stage_malformed = stage { $stage }: write a number of gateways or a share such as 10%
rollout_no_bundle = there is no bundle of version { $version }; add it with auscult updates add
rollout_no_platform = there is no bundle of version { $version } for { $platform }
rollout_busy = gateway { $gateway } is part of another rollout that is not over
rollout_empty = no gateway takes updates from the dashboard
rollout_is = the rollout is { WORD($state) }
rollout_stopped = stopped at { $gateway }: { $cause }
rollout_unwell = stopped: { $gateway } runs the new version and is not healthy
update_step = the update ended as { WORD($step) }
update_late = no result within { QUANTITY($limit_s, "s") }

# bearings

bearing_published = { $name } is in the published list; choose another name
bearing_ball_too_large = the diameter of the balls must be less than the pitch diameter

# two points

pair_no_clips = { $x } and { $y } have no signals of the same time; fetch both
pair_no_clock = { $x } and { $y } do not share a sampling clock, so their phases can't be compared
pair_differs = { $x } and { $y } have different units or sampling rates, so their phases can't be compared
pair_no_speed = the speed of { $machine } is not known; state the shaft frequency
pair_too_short = { QUANTITY($duration_s, "s") } of both points do not resolve a shaft frequency of { QUANTITY($shaft_hz, "Hz") }; fetch a longer clip

# answers of gateways

gateway_known = gateway { $gateway } is enrolled already
gateway_online = gateway { $gateway } is online; stop it before you delete it
gateway_rejected = { $reason }
no_answer = gateway { $gateway } did not answer within { QUANTITY($wait_s, "s") }; ask again when it is online
no_preview = the gateway's answer holds no preview; update the gateway
no_delta = the gateway's answer holds no delta; update the gateway
not_base64 = is not base64 of a file
kind_without_fault = kind belongs to the verdict confirmed_fault only; leave it out
expired_unanswered = the gateway did not answer in time; ask again when it is online


## Values: why one of a request, a table or a configuration is rejected

value_missing = a value is required
value_unknown_key = there is no field of this name
value_not_text = must be text
value_not_number = must be a number
value_not_whole = must be a whole number
value_not_truth = must be true or false
value_not_list = must be a list
value_not_object = must be an object with named fields
value_too_short =
    use at least { $least ->
        [one] { $least } character
       *[other] { $least } characters
    }
value_too_long =
    use at most { $most ->
        [one] { $most } character
       *[other] { $most } characters
    }
text_control = holds a control character, such as NUL: remove it
unit_characters = a unit holds none of < > & " ' and no line end: remove it
client_id_characters = a client id holds no spaces and none of / \ + #: use letters, digits and '_ . : -'
value_pattern = must match the pattern { $pattern }
value_more_than = must be more than { $limit }
value_at_least = must be at least { $limit }
value_less_than = must be less than { $limit }
value_at_most = must be at most { $limit }
value_one_of = must be one of: { $expected }
list_too_short =
    give at least { $least ->
        [one] { $least } entry
       *[other] { $least } entries
    }
list_too_long =
    give at most { $most ->
        [one] { $most } entry
       *[other] { $most } entries
    }
value_not_json = is not valid JSON
value_other = { $problem }


## Overall values

# settings of points

unit_unknown = unit { $unit }: choose one of { $units }
rate_too_low = fs_hz = { $fs_hz }: samples need at least { QUANTITY($limit_hz, "Hz") }
only_for_values = point { $point }: quantity, interval_s, resolution, counter and state belong to kind = 'value'; remove them
value_incomplete = point { $point }: a value needs quantity and interval_s
value_has_no_rate = point { $point }: a value has no fs_hz; remove it
counter_needs_plain_quantity = quantity { $quantity } can't be counted; use quantity = 'other'

# values that can't be used

point_takes_values = samples, the point takes single values; choose another point
clip_of_value = { $point } has single values and no signal
tag_not_categorical = { $value } is a measured number: give the tag { $name } a resolution, or make it a point of kind value
time_not_plausible = the time { $t_ns } is { QUANTITY($days, "d") } away from the gateway's clock; send ns since 1970, UTC, and check the clocks
time_unit = the time { $t_ns } is in { $unit }, not in ns since 1970; correct the sender
time_malformed = the time { $value } is neither ISO 8601 nor a number since 1970
no_value_by = no value by { $path }; the message has { $keys }
path_malformed = { $path } is no JMESPath expression: { $detail }

# the preview of topics

preview_busy = another preview listens; try again in a few seconds
preview_no_broker = the broker does not answer; check its connection, then try again

# their sources

template_unknown = no template is named { $name }; there are { $names }
template_value_unknown = template { $template } has no value { $name }; it has { $names }
mapping_incomplete = value of point { $point }: give { $keys }
link_down = no connection to { $peer }: { $detail }
reach_refused = it refuses the connection; check the port, and whether the protocol is switched on at the device
reach_silent = no answer within { QUANTITY($after_s, "s") }; check address, power, network and firewall
reach_no_name = the name { $host } is unknown; check it, or enter the IP address
reach_no_route = the gateway has no route to { $host }; check the address and the gateway's network
reach_ended = the connection ended; check whether the device takes another connection
reach_no_line = there is no serial line { $port }; plug the adapter in, or correct the name
reach_line_denied = the gateway may not open { $port }; add its user to the group of the serial lines (dialout)
reach_line_used = another program uses { $port }; end it, because only one can use a serial line
line_differs = the sources of { $machine } and { $second } share the line { $line }, but { $key } is { $value } for one and { $second_value } for the other; give both the same

# a source that is tried before it is set up

trial_busy = another source is tried now; try again in a few seconds
trial_often = { $limit } sources were tried within a minute; try again in { QUANTITY($wait_s, "s") }
trial_only_values = sources of kind { $kind } have no preview; it is for overall values
trial_too_many = { $count } values; a preview reads at most { $limit }
trial_nothing = nothing arrived within { QUANTITY($after_s, "s") }
trial_failed = the source does not work ({ $detail })
trial_done = { $count } of { $all } values arrived


## Words that sentences use by their code

# faults of machines

word-outer = outer-race defect
word-inner = inner-race defect
word-ball = ball or roller defect
word-cage = cage defect
word-bearing = bearing defect
word-imbalance = imbalance
word-misalignment = misalignment
word-bent = bent shaft
word-looseness = looseness
word-gear = gear damage
word-rub = rub
word-electrical = electrical fault
word-blades = blade-pass vibration
word-propeller = propeller or fan fault
word-belt = worn or loose belt
word-turbulence = turbulent flow
word-cavitation = cavitation
word-lubrication = poor lubrication
word-sensor = sensor
word-run_state = what says whether it runs
word-supply = several machines silent
word-broker = broker

# faults of sensors

word-not_finite = values that are not numbers
word-flat_line = a flat line
word-uncertain = the source marks the value as uncertain
word-bias = the bias is out of range: cable open or shorted
word-dropout = drop-outs within the signal
word-held = samples repeat, the converter is slower than the stated rate
word-noise_floor = nothing above the converter's noise
word-clipping = clipping: the converter or the sensor is at full scale
word-spikes = lone spikes: electrical disturbance

# standards

word-ISO-20816-3-group-1-rigid = ISO 20816-3 group 1, rigid
word-ISO-20816-3-group-1-flexible = ISO 20816-3 group 1, flexible
word-ISO-20816-3-group-2-rigid = ISO 20816-3 group 2, rigid
word-ISO-20816-3-group-2-flexible = ISO 20816-3 group 2, flexible
word-ISO-10816-1-class-I = ISO 10816-1 class I
word-ISO-10816-1-class-II = ISO 10816-1 class II
word-ISO-10816-1-class-III = ISO 10816-1 class III
word-ISO-10816-1-class-IV = ISO 10816-1 class IV

# tags of operating states

word-inferred-state = inferred state

# lengths of time

word-months = months
word-days = days
word-hours = hours
word-minutes = minutes

# levels

word-urgency-now = act now
word-urgency-days = within days
word-urgency-weeks = within weeks
word-urgency-watch = watch it
word-urgency-over = over for now
word-consequence-high = high
word-consequence-medium = medium
word-consequence-low = low
word-unknown = unknown
word-unmeasured = not measured
word-learning = learning
word-normal = normal
word-warning = warning
word-alarm = alarm
word-above = above
word-below = below
word-more = more
word-less = less

# states of alarms

word-acknowledged = acknowledged
word-shelved = shelved
word-out_of_service = out of service
word-planned_work = under planned work

# roles

word-viewer = viewer
word-technician = technician
word-engineer = engineer
word-administrator = administrator

# what a request names

word-gateway = gateway
word-rollout = rollout
word-bundle = bundle

# rollouts

word-running = running
word-stopped = stopped
word-cancelled = cancelled
word-done = done
word-rolled_back = rolled back
word-failed = failed
word-rejected = rejected
word-code = code
word-machine = machine
word-point = measuring point
word-event = event
word-label = label
word-command = command
word-clip = clip
word-spectrum = spectrum
word-run_up = run-up
word-topic = topic
word-tag = tag
word-checkpoints = list of checkpoints of machine
word-configuration = configuration of gateway
word-own_bearing = own bearing
word-account = account
word-token = token
word-case = case
word-photo = photo
word-note = note
word-message = message
word-channel = channel
word-rule = rule
word-order = work order
word-order_system = maintenance system
word-report = report
word-prescription = own prescription


## Names of features, without their unit

feature-mean = Mean
feature-rms = RMS
feature-peak = Peak
feature-peak_to_peak = Peak to peak
feature-crest_factor = Crest factor
feature-kurtosis = Kurtosis
feature-skewness = Skewness
feature-shape_factor = Shape factor
feature-impulse_factor = Impulse factor
feature-clearance_factor = Clearance factor
feature-velocity_rms = Vibration velocity, RMS
feature-displacement_rms = Displacement, RMS
feature-acceleration_rms = Acceleration, RMS
feature-velocity_peak = Vibration velocity, peak
feature-acceleration_peak = Acceleration, peak
feature-temperature = Temperature
feature-current = Current
feature-voltage = Voltage
feature-power = Power
feature-energy = Energy
feature-pressure = Pressure
feature-flow = Flow
feature-fill_level = Fill level
feature-speed = Speed
feature-humidity = Humidity
feature-value = Value
feature-spectral_centroid = Centre of the spectrum
feature-spectral_spread = Width of the spectrum
feature-spectral_entropy = Evenness of the spectrum
feature-spectral_flatness = Flatness of the spectrum
feature-spectral_rolloff = Upper edge of the spectrum
feature-band_n = Frequency band { $n }
feature-third_octave_n = Third octave { $n }
feature-octave_n = Octave { $n }
feature-envelope_band_n = Envelope, band { $n }
feature-mel_n = Sound band { $n }
feature-mel_fluctuation_n = Fluctuation, sound band { $n }
feature-a_weighted_rms = A-weighted level
feature-bpfo = Outer race (BPFO)
feature-bpfi = Inner race (BPFI)
feature-bsf = Rolling element (BSF)
feature-ftf = Cage (FTF)
feature-gear_mesh = Gear mesh
feature-level = level
feature-prominence = prominence
feature-sidebands = sidebands
feature-cepstrum_peak = Strongest periodicity
feature-cepstrum_quefrency = Period of the strongest periodicity
feature-cepstrum_shaft = Periodicity with the shaft
feature-order_n = { $n }× shaft speed
feature-evidence = Evidence


## Parts that functions make

state-speed = { QUANTITY($speed_rpm, "r/min") }
state-load = load { $load }
state-unknown = an unknown speed and load
when-until = in about { $expected } { WORD($unit) } ({ $earliest } to { $latest } { WORD($unit) })
when-open = in about { $expected } { WORD($unit) } ({ $earliest } { WORD($unit) } at the earliest)
band-plain = band { $range }
band-envelope = envelope { $range }{ OPTIONAL(" (", $order, " × shaft)") }
band-fluctuation = fluctuation of band { $range }
