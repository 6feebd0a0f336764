"""What is generated and committed is current: the payload module, the tables of the document."""

from __future__ import annotations

from auscult.gateway.messages import sparkplug_b_pb2 as committed
from auscult.gateway.messages.sparkplug_proto import DEFINITION, generate
from tests.gateway.generated_table import with_table
from tests.gateway.sparkplug import metric_table, rules


def test_the_payload_module_matches_its_definition(tmp_path):
    generate(tmp_path)
    text = (tmp_path / DEFINITION).with_name("sparkplug_b_pb2.py").read_text()
    assert committed.DESCRIPTOR.serialized_pb == _serialized(text)


def _serialized(module_text: str) -> bytes:
    """The descriptor that a generated module would register, without registering it."""
    begin = module_text.index("AddSerializedFile(") + len("AddSerializedFile(")
    literal = module_text[begin : module_text.index("\n", begin)].rstrip(")")
    return eval(literal)


def test_every_rule_that_binds_us_has_a_test():
    without = [rule for rule, tests in rules.tests_by_rule().items() if not tests]
    assert not without


def test_the_rules_in_the_document_are_current():
    text = rules.DOCUMENT.read_text(encoding="utf-8")
    assert with_table(text, rules.table()) == text, "run python -m tests.gateway.sparkplug.rules"


def test_the_metrics_in_the_document_are_current():
    text = rules.DOCUMENT.read_text(encoding="utf-8")
    assert with_table(text, metric_table.table()) == text, (
        "run python -m tests.gateway.sparkplug.metric_table"
    )
