"""What a command did, or why it is rejected."""

from typing import Final

COMMANDS: Final[dict[str, str]] = {
    # any command
    "command_too_large": "{bytes} bytes; at most {limit}",
    "value_at": "{place}: {cause}",
    "command_bad_id": "id {id}: use letters, digits and '_ . : -'",
    "command_retained": "a command must not be retained",
    "command_unknown": "this version of the gateway has no command {name}; update it",
    "command_expired": "expired {late_s:s} ago",
    "command_expired_waiting": "it expired before the gateway could store what it does",
    "command_expires_late": "it expires in {ahead_s:s}, at most {limit_s:s} are accepted: compare "
    "the clocks of gateway and dashboard",
    "command_changed": "its signature does not match: it was changed on the way",
    "command_unsigned": "no trusted dashboard signed it: put the dashboard's key into "
    "[gateway] dashboard_keys",
    "command_failed": "the gateway failed to do it; see its log",
    "command_not_stored": "the gateway did it but could not store it: a restart may undo it; see "
    "its log",
    "machine_unknown": "this gateway has no machine {machine}",
    "point_unknown": "machine {machine} has no point {point}",
    "report_no_windows": "no window of {machine} is stored yet, so there is nothing to report",
    "report_outside": "no window of {machine} is stored from that time; reports reach back "
    "{reach_h:h}",
    "span_backwards": "the end must be after the start",
    "event_unknown": "this gateway has no event {event_id}",
    # baselines
    "asked_for_by": "asked for by {actor}",
    "baseline_learning": "machine {machine} still learns its baseline",
    "baseline_changed": "its baseline is {baseline_id} by now, not {given_id}; look again",
    "baseline_not_collecting": "no healthy period of {machine} is collecting: {phase}",
    "baseline_none_earlier": "{machine} has no earlier baseline to return to",
    "baseline_not_kept": "baseline {baseline_id} of {machine} is not kept",
    "baseline_back": "baseline {baseline_id} decides again",
    # labels and checkpoints
    "accepted": "accepted: {reason}",
    "rejected": "rejected: {reason}",
    "preview_accepted": "it would be accepted: {reason}",
    "preview_rejected": "it would be rejected: {reason}",
    "preview_waits": "nothing yet: {wait}",
    "preview_noted": "it would be stored, and change nothing",
    "now_active": "now active is {checkpoint_id}",
    "not_the_candidate": "{checkpoint_id} is not a candidate of {machine} now",
    # deltas
    "delta_made": "delta {delta_id} of {checkpoint_id}",
    "delta_not_base64": "delta: no base64 ({cause})",
    "delta_not_now": "not now: {wait}; send the delta again then",
    # spectra, clips, limits
    "no_window_yet": "no window of {point} has come yet",
    "kurtogram_band": "the kurtogram's best band is {low_hz} to {high_hz:Hz} "
    "(spectral kurtosis {kurtosis}; noise has 0)",
    "clip_sent": "a clip of {seconds:s}",
    # updates
    "update_offered": "version {version} is being downloaded",
    "update_other_bytes": "the download of version {version} has another hash than announced",
    "update_gone": "the dashboard no longer offers version {version}",
    "update_off": "this gateway takes no updates from the dashboard: set [gateway.updates] folder "
    "and install it with the bundle",
    "update_running": "version {version} is being installed; try again when it has ended",
    "update_no_space": "{free_mb} MB are free, an update needs {needed_mb} MB",
    "update_ended": "installer: {cause}",
    "update_other_version": "the bundle is version {version}: nothing was changed",
    "update_older": "version {version} runs; an older one is not installed this way",
    "update_key_missing": "{path} is missing: as root, put the release's public key there",
    "update_key_moved": "{path} is missing, and {old} is no longer read, because the service's "
    "user can change it: as root, put the release's public key and update.env into the new folder",
    "update_key_open": "{path} can be changed by others than root: compare the key with the "
    "release's, then chown root:root and chmod go-w",
    "update_platform": "the bundle is for Python {python} on {machine}; here is Python "
    "{own_python} on {own_machine}: add the bundle for it",
    "update_unhealthy": "the new version is not healthy",
    "update_back": "{cause}; version {version} runs again with its data",
    "update_power_cut": "the power failed; version {version} runs again",
    "limits_set": "{count:# limit|# limits} of {point}",
}
