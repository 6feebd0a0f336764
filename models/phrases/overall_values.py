"""What is wrong with overall values, their points and their sources."""

from typing import Final

OVERALL_VALUES: Final[dict[str, str]] = {
    # settings of points
    "unit_unknown": "unit {unit}: choose one of {units}",
    "rate_too_low": "fs_hz = {fs_hz}: samples need at least {limit_hz:Hz}",
    "only_for_values": "point {point}: quantity, interval_s, resolution, counter and state belong "
    "to kind = 'value'; remove them",
    "value_incomplete": "point {point}: a value needs quantity and interval_s",
    "value_has_no_rate": "point {point}: a value has no fs_hz; remove it",
    "counter_needs_plain_quantity": "quantity {quantity} can't be counted; use quantity = 'other'",
    # values that can't be used
    "point_takes_values": "samples, the point takes single values; choose another point",
    "clip_of_value": "{point} has single values and no signal",
    "tag_not_categorical": "{value} is a measured number: give the tag {name} a resolution, or "
    "make it a point of kind value",
    "time_not_plausible": "the time {t_ns} is {days:d} away from the gateway's clock; send ns "
    "since 1970, UTC, and check the clocks",
    "time_unit": "the time {t_ns} is in {unit}, not in ns since 1970; correct the sender",
    "time_malformed": "the time {value} is neither ISO 8601 nor a number since 1970",
    "no_value_by": "no value by {path}; the message has {keys}",
    "path_malformed": "{path} is no JMESPath expression: {detail}",
    "value_quality": "its quality is {quality}",
    # the preview of topics
    "preview_busy": "another preview listens; try again in a few seconds",
    "preview_no_broker": "the broker does not answer; check its connection, then try again",
    # their sources
    "template_unknown": "no template is named {name}; there are {names}",
    "template_value_unknown": "template {template} has no value {name}; it has {names}",
    "mapping_incomplete": "value of point {point}: give {keys}",
    "link_down": "no connection to {peer}: {detail}; trying again",
    "register_refused": "register {address} is refused: {detail}; check the register map",
    "register_invalid": "register {address} holds {value}, which marks a missing measurement",
    "node_unknown": "the server has no node {node}",
    "push_port": "port {port} can't be opened: {detail}",
}
