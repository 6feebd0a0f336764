"""Problems of commissioned machines and of tables of machines."""

from typing import Final

COMMISSIONING: Final[dict[str, str]] = {
    # tables of machines
    "table_unreadable": "the table is not CSV: {problem}",
    "table_empty": "the table is empty",
    "table_too_long": "more than {most} rows; import the table in parts",
    "column_missing": "this column is missing",
    "column_unknown": "there is no such column; see the template",
    "cell_empty": "must not be empty",
    "cell_not_number": "{cell} is not a number",
    "cell_not_whole": "{cell} is not a whole number",
    "cell_not_yes_or_no": "{cell}: write yes or no",
    "cell_contradicts": "differs from row {first}{other:?, which has #}; write the value "
    "once, or the same in both rows",
    "cell_limit_form": "{cell}: write feature>warning/alarm, e.g. kurtosis>4/8",
    "cell_tag_form": "{cell}: write name=topic#/pointer *scale +offset, e.g. "
    "speed_rpm=plc/pump-1#/speed *60",
    "cell_address_form": "{cell}: write sparkplug:group/edge node/device#metric; the device may be "
    "left out",
    "cell_metric_tag_form": "{cell}: write name=sparkplug:… *scale +offset",
    "bearing_unknown": "no bearing {name} in the catalogue; add it there first",
    "source_kinds_mixed": "this machine plays recordings already; a machine has one kind of source",
    "source_groups_mixed": "the points of a machine are in one Sparkplug group, here {group}",
    "tags_without_topic": "needs a point with a topic",
}
