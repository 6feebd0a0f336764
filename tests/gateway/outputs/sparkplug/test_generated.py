"""The committed payload module is current, and every rule of the specification has a test."""

from __future__ import annotations

from auscult.sparkplug import sparkplug_b_pb2 as committed
from auscult.sparkplug.generate import DEFINITION, generate
from lab.documents import sparkplug_rules


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
    without = [rule for rule, tests in sparkplug_rules.tests_by_rule().items() if not tests]
    assert not without
