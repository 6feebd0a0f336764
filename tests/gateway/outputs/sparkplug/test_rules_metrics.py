"""The rules of metrics in births and data, read from the wire of a whole life."""

from __future__ import annotations

from auscult.gateway.tags.metrics import DataType
from tests.gateway.outputs.sparkplug.life import SWINGS
from tests.gateway.outputs.sparkplug.rules import proves

EDGE_TYPES = ("NBIRTH", "NDATA", "NDEATH", "DBIRTH", "DDATA", "DDEATH")
BIRTHS, DATA = ("NBIRTH", "DBIRTH"), ("NDATA", "DDATA")
MINUTE_MS = 60_000


# --- births -----------------------------------------------------------------------------------


@proves(
    "message-flow-edge-node-birth-publish-nbirth-payload",
    "message-flow-device-birth-publish-dbirth-payload", "topics-nbirth-metrics",
    "topics-dbirth-metrics", "payloads-metric-datatype-req", "payloads-metric-datatype-value",
    "payloads-metric-datatype-value-type", "payloads-name-requirement",
    "operational-behavior-data-publish-nbirth-values",
    "operational-behavior-data-publish-dbirth-values",
)  # fmt: skip
def test_births_give_each_metric_its_name_type_and_value(life):
    nulls = 0
    for p in life.sent(*BIRTHS):
        assert p.body.metrics
        for metric in p.body.metrics:
            assert metric.name
            assert metric.datatype in set(DataType)
            assert metric.HasField("is_historical")
            assert not metric.is_historical
            assert metric.is_null == (metric.WhichOneof("value") is None)
            nulls += metric.is_null
    assert nulls, "the first births have no readings yet: their metrics must be null"


@proves(
    "topics-nbirth-metric-reqs", "topics-dbirth-metric-reqs",
    "operational-behavior-data-publish-nbirth", "operational-behavior-data-publish-dbirth",
)  # fmt: skip
def test_data_holds_only_metrics_of_the_birth_before(life):
    for p in life.sent(*DATA):
        assert life.named(p)  # raises KeyError for an alias that no birth gave


@proves("case-sensitivity-metric-names")
def test_no_two_metric_names_differ_by_case_only(life):
    for p in life.sent(*BIRTHS):
        names = [metric.name.lower() for metric in p.body.metrics]
        assert len(set(names)) == len(names)


@proves(
    "operational-behavior-data-publish-nbirth-order",
    "operational-behavior-data-publish-dbirth-order",
)
def test_live_metrics_are_in_the_order_of_their_time(life):
    for p in life.sent(*BIRTHS, *DATA):
        times = [m.timestamp for m in p.body.metrics if not m.is_historical]
        assert times == sorted(times)


@proves(
    "topics-nbirth-rebirth-metric", "payloads-nbirth-rebirth-req",
    "operational-behavior-data-commands-rebirth-name",
    "operational-behavior-data-commands-rebirth-name-aliases",
    "operational-behavior-data-commands-rebirth-datatype",
    "operational-behavior-data-commands-rebirth-value",
)  # fmt: skip
def test_nbirth_offers_the_rebirth(life):
    for p in life.sent("NBIRTH"):
        metric = p.metrics()["Node Control/Rebirth"]
        assert metric.datatype == DataType.BOOLEAN
        assert metric.HasField("boolean_value")
        assert metric.boolean_value is False
        assert not metric.HasField("alias")


@proves("payloads-alias-uniqueness", "payloads-alias-birth-requirement")
def test_aliases_are_unique_over_node_and_devices(life):
    births = life.sent(*BIRTHS)
    for at, p in enumerate(births):
        if p.type != "NBIRTH":
            continue
        group = [m for q in births[at : at + 3] for m in q.body.metrics]
        aliases = [m.alias for m in group if m.HasField("alias")]
        assert len(set(aliases)) == len(aliases) > 20
        without = {m.name for m in group if not m.HasField("alias")}
        assert without == {"bdSeq", "Node Control/Rebirth"}
        assert all(m.name for m in group)


# --- data -------------------------------------------------------------------------------------


@proves(
    "payloads-alias-data-cmd-requirement", "payloads-metric-datatype-not-req",
    "payloads-name-requirement",
)  # fmt: skip
def test_data_gives_aliases_and_no_names_or_types(life):
    for p in life.sent(*DATA):
        for metric in p.body.metrics:
            assert metric.HasField("alias")
            assert not metric.HasField("name")
            assert not metric.HasField("datatype")
            assert not metric.is_null


@proves("topics-ddata-payload", "topics-ndata-payload")
def test_data_holds_what_changed_and_only_that(life):
    swings = [p for p in life.between("swings", "quality") if p.type == "DDATA"]
    assert len(swings) == SWINGS
    for i, p in enumerate(swings):
        metrics = life.named(p)
        assert set(metrics) == {"Points/DE/Levels/velocity_rms"}
        value = metrics["Points/DE/Levels/velocity_rms"].float_value
        assert value == (5.0 if i % 2 == 0 else 2.0)
    ndata = [p for p in life.between("swings", "quality") if p.type == "NDATA"]
    assert [set(life.named(p)) for p in ndata] == [{"Health/Windows"}]


@proves(
    "principles-rbe-recommended", "operational-behavior-data-publish-nbirth-change",
    "operational-behavior-data-publish-dbirth-change",
)  # fmt: skip
def test_nothing_is_sent_while_nothing_changes(life):
    steady = life.between("steady", "swings")
    # 60 messages without a change were offered, then one with a change.
    assert [p.type for p in steady] == ["NDATA"]


# --- qualities, properties, data sets, templates -----------------------------------------------


@proves(
    "payloads-propertyset-quality-value-type",
    "payloads-propertyset-quality-value-value",
)
def test_quality_is_an_int32_of_0_192_or_500(life):
    seen = []
    for p in life.sent(*BIRTHS, *DATA):
        for metric in p.body.metrics:
            keys = list(metric.properties.keys)
            if "Quality" in keys:
                value = metric.properties.values[keys.index("Quality")]
                assert value.type == 3
                assert value.HasField("int_value")
                seen.append(value.int_value)
    assert {0, 192} <= set(seen) <= {0, 192, 500}


def test_quality_goes_along_where_it_is_not_good_or_changes(life):
    bad, good = life.between("quality", "lost")[:2]

    def quality(packet):
        metric = life.named(packet)["Points/DE/Levels/velocity_rms"]
        keys = list(metric.properties.keys)
        return metric.properties.values[keys.index("Quality")].int_value if keys else None

    assert quality(bad) == 0
    assert quality(good) == 192
    assert all(quality(p) is None for p in life.between("swings", "quality")[:10])


@proves(
    "payloads-propertyset-keys-array-size", "payloads-propertyset-values-array-size",
    "payloads-metric-propertyvalue-type-type", "payloads-metric-propertyvalue-type-value",
    "payloads-metric-propertyvalue-type-req",
)  # fmt: skip
def test_properties_have_keys_types_and_values(life):
    units = set()
    for p in life.sent(*BIRTHS, *DATA):
        for metric in p.body.metrics:
            keys, values = metric.properties.keys, metric.properties.values
            assert len(keys) == len(values)
            for key, value in zip(keys, values, strict=True):
                assert value.HasField("type")
                assert value.type in set(DataType)
                assert value.WhichOneof("value") is not None
                if key == "engUnit":
                    units.add(value.string_value)
    assert {"mm/s", "r/min", "%", "kW"} <= units


@proves(
    "payloads-dataset-column-size", "payloads-dataset-column-num-headers",
    "payloads-dataset-types-def", "payloads-dataset-types-num", "payloads-dataset-types-type",
    "payloads-dataset-types-value", "payloads-dataset-parameter-type-req",
    "payloads-template-dataset-value",
)  # fmt: skip
def test_a_spectrum_is_a_data_set_that_fits_itself(life):
    tables = [
        metric.dataset_value
        for p in life.sent(*BIRTHS, *DATA)
        for metric in p.body.metrics
        if metric.HasField("dataset_value")
    ]
    for table in tables:
        assert table.num_of_columns == len(table.columns) == len(table.types) == 2
        assert list(table.types) == [DataType.DOUBLE, DataType.FLOAT]
        for row in table.rows:
            kinds = [cell.WhichOneof("value") for cell in row.elements]
            assert kinds == ["double_value", "float_value"]
    assert [len(t.rows) for t in tables if t.rows] == [400]


def _templates(packet):
    return {m.name: m.template_value for m in packet.body.metrics if m.HasField("template_value")}


@proves(
    "topics-nbirth-templates", "payloads-template-definition-nbirth",
    "payloads-template-definition-nbirth-only", "payloads-template-definition-is-definition",
    "payloads-template-definition-ref", "payloads-template-ref-definition",
    "payloads-template-is-definition", "payloads-template-is-definition-definition",
    "payloads-template-is-definition-instance", "payloads-template-instance-is-definition",
    "payloads-template-instance-ref", "payloads-template-ref-instance",
    "payloads-template-definition-members", "payloads-template-instance-members",
    "payloads-template-instance-members-birth", "payloads-template-definition-parameters",
    "payloads-template-instance-parameters", "payloads-template-version",
)  # fmt: skip
def test_name_plates_are_instances_of_the_defined_type(life):
    plates = 0
    for p in life.sent("NBIRTH"):
        (name, definition) = next(iter(_templates(p).items()))
        assert list(_templates(p)) == ["Auscult Point"]
        assert definition.HasField("is_definition")
        assert definition.is_definition
        assert not definition.HasField("template_ref")
        assert definition.version == "1"
        members = {m.name: m.datatype for m in definition.metrics}
        parameters = {m.name: m.type for m in definition.parameters}
        after = life.packets[life.packets.index(p) :]
        for birth in [q for q in after if q.up and q.type == "DBIRTH"][:2]:
            for instance in _templates(birth).values():
                plates += 1
                assert instance.HasField("is_definition")
                assert not instance.is_definition
                assert instance.template_ref == name
                assert {m.name: m.datatype for m in instance.metrics} == members
                assert {m.name: m.type for m in instance.parameters} == parameters
    assert plates == 4 * 3
    for p in life.sent(*DATA):
        assert not _templates(p)


@proves(
    "payloads-template-parameter-name-required", "payloads-template-parameter-name-type",
    "payloads-template-parameter-value-type", "payloads-template-parameter-type-value",
    "payloads-template-parameter-type-req", "payloads-template-parameter-value",
    "payloads-template-definition-parameters-default",
)  # fmt: skip
def test_template_parameters_have_name_type_and_value(life):
    count = 0
    for p in life.sent(*BIRTHS):
        for template in _templates(p).values():
            for parameter in template.parameters:
                count += 1
                assert parameter.name in {"Machine", "Point"}
                assert parameter.type == DataType.STRING
                assert parameter.WhichOneof("value") == "string_value"
    assert count
