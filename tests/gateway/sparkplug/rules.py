"""The rules of Sparkplug 3.0 that bind an edge node, and which test proves each.

The ids are those of the public specification (eclipse-sparkplug/sparkplug, chapters 1 to 6, each
written there as ``tck-id-…``); the words here are ours, short. A test says what it proves with
`proves`; `test_rules_table` fails when a rule has no test or docs/sparkplug.md is not current
(`python -m tests.gateway.sparkplug.rules` writes it).
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tests.gateway.generated_table import write_table

F = TypeVar("F", bound=Callable[..., object])

_NAMES_FREE_OF_SIGNS = "valid UTF-8 without + / #"
_SEQ = "carries the sequence number after the one before, 0 after 255"
_ROW = "QoS 0, not retained"

RULES: dict[str, str] = {
    # 1 Introduction, 2 Principles
    "intro-group-id-string": "group id is UTF-8 and a level of the topics",
    "intro-group-id-chars": "group id holds only characters that MQTT topics allow",
    "intro-edge-node-id-string": "edge node id is UTF-8 and a level of the topics",
    "intro-edge-node-id-chars": "edge node id holds only characters that MQTT topics allow",
    "intro-device-id-string": "device id is UTF-8 and a level of the topics",
    "intro-device-id-chars": "device id holds only characters that MQTT topics allow",
    "intro-edge-node-id-uniqueness": "group and edge node id are one node only",
    "principles-rbe-recommended": "report by exception, not by the clock",
    "principles-birth-certificates-order": "birth certificates are the first messages",
    "principles-persistence-clean-session-311": "MQTT 3.1.1: clean session",
    "principles-persistence-clean-session-50": "MQTT 5.0: clean start, session expiry 0",
    # 4 Topics
    "topic-structure": "namespace/group/type/edge node[/device]",
    "topic-structure-namespace-a": "the namespace is spBv1.0",
    "topic-structure-namespace-valid-group-id": f"group id: {_NAMES_FREE_OF_SIGNS}",
    "topic-structure-namespace-unique-edge-node-descriptor": "group and edge node id are unique",
    "topic-structure-namespace-valid-edge-node-id": f"edge node id: {_NAMES_FREE_OF_SIGNS}",
    "topic-structure-namespace-valid-device-id": f"device id: {_NAMES_FREE_OF_SIGNS}",
    "topic-structure-namespace-unique-device-id": "no device id twice below an edge node",
    "topic-structure-namespace-duplicate-device-id-across-edge-node": "other nodes may use it too",
    "topic-structure-namespace-device-id-associated-message-types": "D… topics name a device",
    "topic-structure-namespace-device-id-non-associated-message-types": "N… topics name none",
    "topics-nbirth-topic": "NBIRTH topic",
    "topics-nbirth-mqtt": f"NBIRTH: {_ROW}",
    "topics-nbirth-seq-num": "NBIRTH has sequence number 0",
    "topics-nbirth-timestamp": "NBIRTH has the time of sending",
    "topics-nbirth-metric-reqs": "NBIRTH names every metric the node will report",
    "topics-nbirth-metrics": "each of them with name, type and value",
    "topics-nbirth-templates": "NBIRTH holds the definition of every template used",
    "topics-nbirth-bdseq-included": "NBIRTH holds bdSeq",
    "topics-nbirth-bdseq-matching": "bdSeq equals that of the last will",
    "topics-nbirth-bdseq-increment": "bdSeq starts at 0 and goes up with each CONNECT",
    "topics-nbirth-rebirth-metric": "NBIRTH holds Node Control/Rebirth, Boolean, false",
    "topics-ndata-topic": "NDATA topic",
    "topics-ndata-mqtt": f"NDATA: {_ROW}",
    "topics-ndata-seq-num": f"NDATA {_SEQ}",
    "topics-ndata-timestamp": "NDATA has the time of sending",
    "topics-ndata-payload": "NDATA holds what changed at the node",
    "topics-ndeath-topic": "NDEATH topic",
    "topics-ndeath-payload": "NDEATH holds bdSeq and nothing else",
    "topics-ndeath-seq": "NDEATH has no sequence number",
    "topics-dbirth-topic": "DBIRTH topic",
    "topics-dbirth-mqtt": f"DBIRTH: {_ROW}",
    "topics-dbirth-seq": f"DBIRTH {_SEQ}",
    "topics-dbirth-timestamp": "DBIRTH has the time of sending",
    "topics-dbirth-metric-reqs": "DBIRTH names every metric the device will report",
    "topics-dbirth-metrics": "each of them with name, type and value",
    "topics-ddata-topic": "DDATA topic",
    "topics-ddata-mqtt": f"DDATA: {_ROW}",
    "topics-ddata-seq-num": f"DDATA {_SEQ}",
    "topics-ddata-timestamp": "DDATA has the time of sending",
    "topics-ddata-payload": "DDATA holds what changed at the device",
    "topics-ddeath-topic": "DDEATH topic",
    "topics-ddeath-mqtt": f"DDEATH: {_ROW}",
    "topics-ddeath-seq-num": f"DDEATH {_SEQ}",
    # 5 Operational behaviour
    "case-sensitivity-sparkplug-ids": "no two ids differ by case only",
    "case-sensitivity-metric-names": "no two metric names differ by case only",
    "message-flow-edge-node-ncmd-subscribe": "NCMD is subscribed with QoS 1",
    "message-flow-edge-node-birth-publish-connect": "an MQTT session exists before the births",
    "message-flow-edge-node-birth-publish-will-message": "CONNECT carries a will",
    "message-flow-edge-node-birth-publish-will-message-topic": "the will's topic is NDEATH's",
    "message-flow-edge-node-birth-publish-will-message-payload": "the will is a Sparkplug payload",
    "message-flow-edge-node-birth-publish-will-message-payload-bdSeq": "with bdSeq, INT64, one "
    "more than in the CONNECT before, 0 after 255",
    "message-flow-edge-node-birth-publish-will-message-qos": "the will has QoS 1",
    "message-flow-edge-node-birth-publish-will-message-will-retained": "the will is not retained",
    "message-flow-edge-node-birth-publish-phid-wait": "births wait for the primary host",
    "message-flow-edge-node-birth-publish-phid-wait-id": "for that host and no other",
    "message-flow-edge-node-birth-publish-phid-wait-online": "until its STATE says online: true",
    "message-flow-edge-node-birth-publish-phid-wait-timestamp": "with a time not before the last",
    "message-flow-edge-node-birth-publish-phid-offline": "host offline: NDEATH, disconnect, again",
    "message-flow-edge-node-birth-publish-nbirth-topic": "NBIRTH topic",
    "message-flow-edge-node-birth-publish-nbirth-payload": "NBIRTH is a Sparkplug payload",
    "message-flow-edge-node-birth-publish-nbirth-payload-bdSeq": "with bdSeq, INT64, as in the "
    "CONNECT before",
    "message-flow-edge-node-birth-publish-nbirth-qos": "NBIRTH has QoS 0",
    "message-flow-edge-node-birth-publish-nbirth-retained": "NBIRTH is not retained",
    "message-flow-edge-node-birth-publish-nbirth-payload-seq": "NBIRTH has a seq of 0 to 255",
    "message-flow-device-dcmd-subscribe": "DCMD of each writable device is subscribed, QoS 1",
    "message-flow-device-birth-publish-nbirth-wait": "NBIRTH comes before any DBIRTH",
    "message-flow-device-birth-publish-dbirth-topic": "DBIRTH topic",
    "message-flow-device-birth-publish-dbirth-match-edge-node-topic": "DBIRTH names the group and "
    "node of the NBIRTH",
    "message-flow-device-birth-publish-dbirth-payload": "DBIRTH is a Sparkplug payload",
    "message-flow-device-birth-publish-dbirth-qos": "DBIRTH has QoS 0",
    "message-flow-device-birth-publish-dbirth-retained": "DBIRTH is not retained",
    "message-flow-device-birth-publish-dbirth-payload-seq": f"DBIRTH {_SEQ}",
    "operational-behavior-edge-node-intentional-disconnect-ndeath": "NDEATH before leaving",
    "operational-behavior-edge-node-intentional-disconnect-packet": "DISCONNECT may follow it",
    "operational-behavior-edge-node-termination-host-offline": "host offline, time not before its "
    "online: disconnect",
    "operational-behavior-edge-node-termination-host-offline-reconnect": "and connect to the next "
    "server",
    "operational-behavior-edge-node-termination-host-offline-timestamp": "an older offline is "
    "ignored",
    "operational-behavior-edge-node-birth-sequence-wait": "births wait for online: true",
    "operational-behavior-device-ddeath": "a lost device gets a DDEATH",
    "operational-behavior-primary-application-state-with-multiple-servers-state-subs": "STATE of "
    "the primary host is subscribed at every server",
    "operational-behavior-primary-application-state-with-multiple-servers-single-server": "never "
    "connected to more than one server",
    "operational-behavior-primary-application-state-with-multiple-servers-walk": "host offline at "
    "a server: on to the next",
    "operational-behavior-data-publish-nbirth": "NBIRTH names all metrics of the session",
    "operational-behavior-data-publish-nbirth-values": "each with its value, or is_null and none",
    "operational-behavior-data-publish-nbirth-change": "NDATA only on change",
    "operational-behavior-data-publish-nbirth-order": "live metrics in the order of their time",
    "operational-behavior-data-publish-dbirth": "DBIRTH names all metrics of the session",
    "operational-behavior-data-publish-dbirth-values": "each with its value, or is_null and none",
    "operational-behavior-data-publish-dbirth-change": "DDATA only on change",
    "operational-behavior-data-publish-dbirth-order": "live metrics in the order of their time",
    "operational-behavior-data-commands-rebirth-name": "NBIRTH holds Node Control/Rebirth",
    "operational-behavior-data-commands-rebirth-name-aliases": "without an alias",
    "operational-behavior-data-commands-rebirth-datatype": "of type Boolean",
    "operational-behavior-data-commands-rebirth-value": "with value false",
    "operational-behavior-data-commands-rebirth-action-1": "rebirth asked for: no more DATA",
    "operational-behavior-data-commands-rebirth-action-2": "then NBIRTH and all DBIRTHs",
    "operational-behavior-data-commands-rebirth-action-3": "with the bdSeq of the last CONNECT",
    # 6 Payloads
    "payloads-timestamp-in-UTC": "payload times are UTC",
    "payloads-sequence-num-always-included": "every message but NDEATH has a seq",
    "payloads-sequence-num-req-nbirth": "NBIRTH has a seq of 0 to 255",
    "payloads-sequence-num-incrementing": "seq goes up by one, 0 after 255",
    "payloads-name-requirement": "each metric has a name or an alias",
    "payloads-alias-uniqueness": "an alias is unique over the node and its devices",
    "payloads-alias-birth-requirement": "births give name and alias",
    "payloads-alias-data-cmd-requirement": "data messages give the alias and no name",
    "payloads-name-birth-data-requirement": "each metric of births and data has a time",
    "payloads-metric-timestamp-in-UTC": "metric times are UTC",
    "payloads-metric-datatype-value-type": "a data type is an unsigned 32-bit integer",
    "payloads-metric-datatype-value": "and one of the specification's",
    "payloads-metric-datatype-req": "births give each metric's data type",
    "payloads-metric-datatype-not-req": "data messages do not",
    "payloads-propertyset-keys-array-size": "as many property keys as values",
    "payloads-propertyset-values-array-size": "as many property values as keys",
    "payloads-propertyset-quality-value-type": "Quality has type 3 (Int32)",
    "payloads-propertyset-quality-value-value": "Quality is 0, 192 or 500, an int_value",
    "payloads-metric-propertyvalue-type-type": "a property type is an unsigned 32-bit integer",
    "payloads-metric-propertyvalue-type-value": "and one of the specification's",
    "payloads-metric-propertyvalue-type-req": "births give each property's type",
    "payloads-dataset-column-size": "num_of_columns is the number of columns",
    "payloads-dataset-column-num-headers": "as many columns as types",
    "payloads-dataset-types-def": "types are unsigned 32-bit integers",
    "payloads-dataset-types-num": "as many types as columns",
    "payloads-dataset-types-type": "a type is an unsigned 32-bit integer",
    "payloads-dataset-types-value": "and a basic type of the specification",
    "payloads-dataset-parameter-type-req": "every data set has its types",
    "payloads-template-dataset-value": "cells are of the protobuf types allowed",
    "payloads-template-definition-nbirth-only": "definitions are in NBIRTH only",
    "payloads-template-definition-is-definition": "a definition says so",
    "payloads-template-definition-ref": "a definition has no template_ref",
    "payloads-template-definition-members": "a definition holds every member of its instances",
    "payloads-template-definition-nbirth": "every instance's definition is in the NBIRTH",
    "payloads-template-definition-parameters": "a definition holds every parameter of them",
    "payloads-template-definition-parameters-default": "a definition may give default values",
    "payloads-template-instance-is-definition": "an instance says it is none",
    "payloads-template-instance-ref": "an instance names its definition",
    "payloads-template-instance-members": "an instance has no member that its definition lacks",
    "payloads-template-instance-members-birth": "in births an instance has all members",
    "payloads-template-instance-members-data": "in data it may have some of them",
    "payloads-template-instance-parameters": "an instance may give parameter values",
    "payloads-template-version": "a version is a UTF-8 string",
    "payloads-template-ref-definition": "template_ref is left out of definitions",
    "payloads-template-ref-instance": "template_ref of an instance is a UTF-8 string",
    "payloads-template-is-definition": "is_definition is always given",
    "payloads-template-is-definition-definition": "true in a definition",
    "payloads-template-is-definition-instance": "false in an instance",
    "payloads-template-parameter-name-required": "a parameter has a name",
    "payloads-template-parameter-name-type": "which is a UTF-8 string",
    "payloads-template-parameter-value-type": "a parameter's type is an unsigned 32-bit integer",
    "payloads-template-parameter-type-value": "and a basic type of the specification",
    "payloads-template-parameter-type-req": "births give the parameters' types",
    "payloads-template-parameter-value": "a parameter's value is of the protobuf types allowed",
    "payloads-nbirth-timestamp": "NBIRTH has the time of sending",
    "payloads-nbirth-edge-node-descriptor": "group and edge node id are unique",
    "payloads-nbirth-seq": "NBIRTH has a seq of 0 to 255",
    "payloads-nbirth-bdseq": "NBIRTH holds bdSeq",
    "payloads-nbirth-bdseq-repeat": "as in the last CONNECT's will",
    "payloads-nbirth-rebirth-req": "NBIRTH holds Node Control/Rebirth, false",
    "payloads-nbirth-qos": "NBIRTH has QoS 0",
    "payloads-nbirth-retain": "NBIRTH is not retained",
    "payloads-dbirth-timestamp": "DBIRTH has the time of sending",
    "payloads-dbirth-seq": "DBIRTH has a seq",
    "payloads-dbirth-seq-inc": f"DBIRTH {_SEQ}",
    "payloads-dbirth-order": "DBIRTHs directly after NBIRTH, before any data",
    "payloads-dbirth-qos": "DBIRTH has QoS 0",
    "payloads-dbirth-retain": "DBIRTH is not retained",
    "payloads-ndata-timestamp": "NDATA has the time of sending",
    "payloads-ndata-seq": "NDATA has a seq",
    "payloads-ndata-seq-inc": f"NDATA {_SEQ}",
    "payloads-ndata-order": "NDATA only after all births",
    "payloads-ndata-qos": "NDATA has QoS 0",
    "payloads-ndata-retain": "NDATA is not retained",
    "payloads-ddata-timestamp": "DDATA has the time of sending",
    "payloads-ddata-seq": "DDATA has a seq",
    "payloads-ddata-seq-inc": f"DDATA {_SEQ}",
    "payloads-ddata-order": "DDATA only after all births",
    "payloads-ddata-qos": "DDATA has QoS 0",
    "payloads-ddata-retain": "DDATA is not retained",
    "payloads-ndeath-seq": "NDEATH has no seq",
    "payloads-ndeath-will-message": "NDEATH is the will of CONNECT",
    "payloads-ndeath-will-message-qos": "with QoS 1",
    "payloads-ndeath-will-message-retain": "not retained",
    "payloads-ndeath-bdseq": "with the bdSeq of the NBIRTH that follows",
    "payloads-ndeath-will-message-publisher": "NDEATH is published before leaving",
    "payloads-ndeath-will-message-publisher-disconnect-mqtt311": "MQTT 3.1.1: before DISCONNECT",
    "payloads-ndeath-will-message-publisher-disconnect-mqtt50": "MQTT 5.0: DISCONNECT has reason "
    "`Disconnect with Will Message`",
    "payloads-ddeath-timestamp": "DDEATH has the time of sending",
    "payloads-ddeath-seq": "DDEATH has a seq",
    "payloads-ddeath-seq-inc": f"DDEATH {_SEQ}",
    "payloads-ddeath-seq-number": "so that hosts can order it",
}

NOT_OURS: dict[str, str] = {
    "host-topic-phid-*": "what a host application publishes as STATE",
    "payloads-state-*": "the same",
    "components-ph-state": "the same",
    "intro-sparkplug-host-state": "the same",
    "message-flow-phid-*": "how a host application begins its session",
    "message-flow-hid-*": "the same",
    "operational-behavior-host-*": "how a host application connects, orders messages and leaves",
    "operational-behavior-edge-node-termination-host-action-*": "what a host does on a death",
    "operational-behavior-primary-application-state-with-multiple-servers-state": "a host's first "
    "message at each server",
    "topics-ncmd-*": "what a host sends; that we take it right is in `test_commands`",
    "topics-dcmd-*": "the same",
    "payloads-ncmd-*": "the same",
    "payloads-dcmd-*": "the same",
    "payloads-name-cmd-requirement": "the same",
    "operational-behavior-data-commands-ncmd-*": "the same",
    "operational-behavior-data-commands-dcmd-*": "the same",
    "conformance-primary-host": "the conformance of host applications",
    "conformance-mqtt-*": "the conformance of MQTT servers",
}
"""Rules of the specification that bind host applications or MQTT servers, with the reason."""

DOCUMENT = Path(__file__).parents[3] / "docs" / "sparkplug.md"
BEGIN, END = "<!-- rules: begin (generated) -->", "<!-- rules: end -->"
MODULES = (
    "test_rules_life", "test_rules_metrics", "test_rules_host", "test_rules_payload",
    "test_node", "test_settings",
)  # fmt: skip


def proves(*rules: str) -> Callable[[F], F]:
    """Say which rules a test proves."""
    unknown = [rule for rule in rules if rule not in RULES]
    assert not unknown, f"no such rule: {unknown}"

    def mark(test: F) -> F:
        test.proves = rules  # type: ignore[attr-defined]
        return test

    return mark


def tests_by_rule() -> dict[str, list[str]]:
    """Each rule with the tests that prove it."""
    found: dict[str, list[str]] = {rule: [] for rule in RULES}
    for name in MODULES:
        module = importlib.import_module(f"tests.gateway.sparkplug.{name}")
        for test_name, test in vars(module).items():
            for rule in getattr(test, "proves", ()):
                if test_name.startswith("test_"):
                    found[rule].append(f"{name}::{test_name}")
    return found


def table() -> str:
    """The table of docs/sparkplug.md."""
    lines = [BEGIN, "", "| rule `tck-id-…` | in short | test |", "|---|---|---|"]
    for rule, tests in tests_by_rule().items():
        lines.append(f"| `{rule}` | {RULES[rule]} | {', '.join(f'`{t}`' for t in tests)} |")
    lines += ["", "Not ours, because they bind others:", "", "| rules | why |", "|---|---|"]
    lines += [f"| `{rules}` | {why} |" for rules, why in NOT_OURS.items()]
    return "\n".join([*lines, "", END])


if __name__ == "__main__":
    write_table(DOCUMENT, table())
    sys.exit(0)
