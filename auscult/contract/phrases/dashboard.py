"""Problems that the dashboard server answers with: accounts, stores, requests."""

from typing import Final

DASHBOARD: Final[dict[str, str]] = {
    # requests
    "not_found": "there is no {what:word} {id}",
    "no_such_path": "there is nothing at {path}; /api/openapi.json lists the paths",
    "http_error": "{problem}",
    "invalid_request": "{where}: {problem}",
    "empty_period": "the period is empty: its start {start_ms} must be before its end {end_ms}",
    "cursor_unknown": "cursor: this server did not give it; leave it out to start again",
    "id_taken": "the id {id} was used for another request; make a new one",
    "body_too_large": "the request is larger than {limit} bytes, the limit of this path; send less",
    "body_too_slow": "the request was not complete within {limit_s:s}; check the connection",
    "host_unknown": "{host} is not a name of this server; open it by its address, or add the "
    "name to [dashboard] hosts",
    "too_many_attempts": "too many attempts to sign in; try again in {wait_s:s}",
    "foreign_page": "the request comes from another site's page; open this server's own page",
    "store_unavailable": "the database can't store or read now ({cause}); try again, and check the "
    "database and its disk",
    "broker_not_connected": "not connected; trying again",
    "server_error": "an error inside the server; its log says more",
    "parquet_missing": "Parquet needs the extra 'export' on the server: "
    "pip install 'auscult[export]'",
    # sign-in
    "sign_in_first": "sign in first (POST /api/v1/session, or the page at /sign-in)",
    "token_unknown": "the token is unknown, expired or revoked; ask an administrator for a new one",
    "sites_without_role": "no site is left: choose a site, give a role at all sites, or disable the"
    " account",
    "administrator_of_sites": "an administrator has all sites; choose at most engineer for a site",
    "all_sites_needed": "all sites share this; {name} has a role at some sites only",
    "role_needed": "this needs the role {needed:word}; {name} has the role {role:word}",
    "role_needed_login_off": "this needs the role {needed:word}; without sign-in everyone has the "
    "role {role:word}: set [dashboard] login to 'required'",
    "not_admitted": "name or password is wrong, or the account is locked after failed attempts",
    "first_start_code": "the code is not the one in {file} in the server's data folder",
    "administrator_exists": "there is an administrator already; sign in",
    "old_password_wrong": "the old password is wrong",
    # accounts
    "name_malformed": "name: use 2 to 64 letters, digits, '.', '_', '@' or '-'",
    "name_taken": "name: {name} is taken",
    "last_administrator": "there must be an active administrator; make another one first",
    "password_short": "password: {length:# character|# characters}; use at least {least}",
    "password_long": "password: {length:# character|# characters}; use at most {most}",
    "password_monotonous": "password: use at least {least} different characters",
    "password_of_name": "password: it must not be made of the name",
    # templates
    "template_point_missing": "it has no point {point}, which the template has",
    "template_point_differs": "its point {point} measures another quantity or unit than the "
    "template's",
    "machine_of_the_file": "{machine} is in the gateway's own file; change it there",
    # enrolment of gateways
    "enrolment_closed": "this dashboard does not enrol gateways by code: set [dashboard.enrolment] "
    "folder and broker",
    "enrolment_failed": "the gateway can't be enrolled: {cause}",
    "gateway_id_reserved": "{gateway} is a user of the broker; choose another id",
    "gateway_id_taken": "gateway {gateway} is enrolled at site {site}; choose another id, or "
    "delete that gateway first",
    "code_rejected": "the code is wrong, used or expired; ask an administrator for a new one",
    # staged updates of gateways
    "updates_closed": "this dashboard offers no updates: set [dashboard.updates] folder and "
    "address",
    "bundle_unsigned": "{path} is not signed by this key",
    "bundle_damaged": "{path} is damaged or no bundle: {cause}",
    "bundle_away": "the bundle is not in {folder}: add it again on this server",
    "download_key_wrong": "the key of this download is not valid",
    "stage_malformed": "stage {stage}: write a number of gateways or a share such as 10%",
    "rollout_no_bundle": "there is no bundle of version {version}; add it with auscult updates add",
    "rollout_no_platform": "there is no bundle of version {version} for {platform}",
    "rollout_busy": "gateway {gateway} is part of another rollout that is not over",
    "rollout_empty": "no gateway takes updates from the dashboard",
    "rollout_is": "the rollout is {state:word}",
    "rollout_stopped": "stopped at {gateway}: {cause}",
    "rollout_unwell": "stopped: {gateway} runs the new version and is not healthy",
    "update_step": "the update ended as {step:word}",
    "update_late": "no result within {limit_s:s}",
    # bearings
    "bearing_published": "{name} is in the published list; choose another name",
    "bearing_ball_too_large": "the diameter of the balls must be less than the pitch diameter",
    # two points
    "pair_no_clips": "{x} and {y} have no signals of the same time; fetch both",
    "pair_no_clock": "{x} and {y} do not share a sampling clock, so their phases can't be compared",
    "pair_differs": "{x} and {y} have different units or sampling rates, so their phases can't be "
    "compared",
    "pair_no_speed": "the speed of {machine} is not known; state the shaft frequency",
    "pair_too_short": "{duration_s:s} of both points do not resolve a shaft frequency of "
    "{shaft_hz:Hz}; fetch a longer clip",
    # answers of gateways
    "gateway_known": "gateway {gateway} is enrolled already",
    "gateway_online": "gateway {gateway} is online; stop it before you delete it",
    "gateway_rejected": "{reason}",
    "no_answer": "gateway {gateway} did not answer within {wait_s:s}; ask again when it is online",
    "no_preview": "the gateway's answer holds no preview; update the gateway",
    "no_delta": "the gateway's answer holds no delta; update the gateway",
    "not_base64": "is not base64 of a file",
    "kind_without_fault": "kind belongs to the verdict confirmed_fault only; leave it out",
    "expired_unanswered": "the gateway did not answer in time; ask again when it is online",
}
