"""Cases: headline, urgency, and the state of the plant. Lists and messages show these."""

from typing import Final

CASES: Final[dict[str, str]] = {
    # headlines
    "case_fault": "{fault:word}{point:?, #}{bearing:?, bearing #}",
    "case_zone": "vibration in zone {zone}{point:?, #}",
    "case_limit": "{title} beyond its {level:word} limit{point:?, #}",
    "case_sensor": "changed, perhaps by a sensor fault: check sensor and machine{point:?, #}",
    "case_unclear": "changed, cause not clear yet{point:?, #}",
    # urgency
    "urgency_over": "over: the machine is within its baseline again",
    "urgency_over_lost": "closed here: its gateway no longer has it, so no window measured its end",
    "urgency_over_learning": "over without a measured end: the machine learned a new baseline",
    "urgency_lost": "its gateway lost its memory, last known: {level:word}",
    "urgency_zone_d": "zone D, {value:mm/s}: the vibration can cause damage",
    "urgency_zone_c": "zone C, {value:mm/s}: not for long-term running",
    "urgency_limit_passed": "beyond the alarm limit that the plant set",
    "urgency_limit_ahead": "{level:word} limit {:when} if the trend continues",
    "urgency_rising": "the evidence rises, now {times} × the alarm level",
    "urgency_steady": "the evidence is steady at {times} × the alarm level",
    "urgency_falling": "the evidence falls, now {times} × the alarm level",
    "urgency_new": "new, at {times} × the alarm level: too short for a trend",
    "urgency_silent": "no signal now, and its last state was: {level:word}",
    "urgency_none": "no limit in sight",
    "urgency_normal": "normal, as {actor} answered",
    "urgency_work": "planned work is under way",
    "urgency_checked": "the first windows after the work are compared with those before it",
    "urgency_confirmed": "a fault, as {actor} confirmed",
    # the state of the plant
    "status_needs": "{count:# machine needs someone|# machines need someone}",
    "status_in_hand": "{count:# machine is|# machines are} being worked on",
    "status_cannot_assess": "{count:# machine cannot be assessed|# machines cannot be assessed}",
    "status_awaiting": "{count:# baseline waits for approval|# baselines wait for approval}",
    "status_learning": "{count:# machine is learning|# machines are learning}",
    "status_quiet": "{count:# machine is quiet|# machines are quiet}",
    "status_all_quiet": "{count:the machine is|all # machines are} within the baseline",
    "status_shelved": "{count} shelved, out of service or under planned work",
    "status_gateways": "{count:# gateway is offline|# gateways are offline}",
    "status_no_machines": "no machines yet",
    # requests
    "photo_too_large": "the photo has more than {limit} million pixels; take a smaller one",
    "photo_unreadable": "this is no photo that can be read; send one of {formats}",
    "photos_full": "the case has {most} photos, the limit; remove one first",
    "channel_unusable": "no service has an address of this form; see the list of services in "
    "docs/notification.md",
    "list_full": "there are {most} entries, the limit; remove one first",
    "message_not_failed": "the message was sent or waits for its first attempt",
    "event_not_standing": "the event is over and acknowledged; there is nothing to close",
    "case_not_repaired": "the case is not closed as repaired, so there is no repair to check",
    "case_still_open": "the machine still departs from its baseline; answer or acknowledge the "
    "alarm, or shelve it, and close the case when it is over",
}
