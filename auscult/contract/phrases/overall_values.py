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
    "link_down": "no connection to {peer}: {detail}",
    "reach_refused": "it refuses the connection; check the port, and whether the protocol is "
    "switched on at the device",
    "reach_silent": "no answer within {after_s:s}; check address, power, network and firewall",
    "reach_no_name": "the name {host} is unknown; check it, or enter the IP address",
    "reach_no_route": "the gateway has no route to {host}; check the address and the gateway's "
    "network",
    "reach_ended": "the connection ended; check whether the device takes another connection",
    "reach_no_line": "there is no serial line {port}; plug the adapter in, or correct the name",
    "reach_line_denied": "the gateway may not open {port}; add its user to the group of the serial "
    "lines (dialout)",
    "reach_line_used": "another program uses {port}; end it, because only one can use a "
    "serial line",
    "line_differs": "the sources of {machine} and {second} share the line {line}, but {key} is "
    "{value} for one and {second_value} for the other; give both the same",
    "modbus_unanswered": "unit id {unit_id} does not answer; check it, on a serial line also baud "
    "rate, parity and wiring",
    "modbus_function": "the device has no such table; choose holding or input registers",
    "modbus_address": "the device has no register there; check address, number type and device",
    "modbus_gateway": "the Modbus gateway does not reach the device; check the unit id",
    "modbus_exception": "the device answers exception {number}; look it up in the device's manual",
    "opcua_login": "the server rejects the login; set up user and password of this source in the "
    "gateway's own file",
    "opcua_certificate": "a certificate is rejected ({detail}); trust the gateway's certificate on "
    "the server, and set certificate_file and key_file in the gateway's own file",
    "opcua_security": "the server does not offer this security; set certificate_file and key_file "
    "in the gateway's own file",
    "register_refused": "register {address} is rejected: {detail}",
    "register_invalid": "register {address} holds {value}, which marks a missing measurement",
    "node_unknown": "the server has no node {node}; check namespace (ns=) and identifier",
    "node_malformed": "{node} is no node id; write it as ns=2;s=Pump1.Temperature",
    "push_port": "port {port} can't be opened: {detail}; choose another port",
    "push_token": "a request without the right token arrived; correct the token of the sender",
    # a source that is tried before it is set up
    "trial_busy": "another source is tried now; try again in a few seconds",
    "trial_often": "{limit} sources were tried within a minute; try again in {wait_s:s}",
    "trial_only_values": "sources of kind {kind} have no preview; it is for overall values",
    "trial_too_many": "{count} values; a preview reads at most {limit}",
    "trial_port_used": "machine {machine} receives at port {port} already; choose another port",
    "trial_nothing": "nothing arrived within {after_s:s}",
    "trial_nothing_pushed": "nothing arrived at port {port} within {after_s:s}; let the sender "
    "send, then try again",
    "trial_failed": "the source does not work ({detail})",
    "trial_done": "{count} of {all} values arrived",
}
