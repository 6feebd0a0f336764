"""Problems of commissioned machines and of tables of machines."""

from typing import Final

COMMISSIONING: Final[dict[str, str]] = {
    # tables of machines
    "table_unreadable": "the table is not CSV: {problem}",
    "table_empty": "the table is empty",
    "table_too_long": "more than {most} rows; import the table in parts",
    "column_missing": "this column is missing",
    "cells_beyond_head": "more cells than columns: put cells that hold {separator} in quotes",
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
    "cell_bearing_form": "{cell}: write a designation, NAME=BPFO/BPFI/BSF/FTF in orders, or "
    "NAME=balls x diameter/pitch diameter/angle; @2 at the end for shaft 2",
    "cell_shaft_form": "{cell}: write shaft=ratio, e.g. 2=0.568",
    "cell_gear_form": "{cell}: write driving/driven teeth and their shafts, e.g. 21/37@1>2",
    "cell_belt_form": "{cell}: write pulley/belt length in mm, e.g. 200/2000",
    "source_kinds_mixed": "this machine plays recordings already; a machine has one kind of source",
    "source_groups_mixed": "the points of a machine are in one Sparkplug group, here {group}",
    "tags_without_topic": "needs a point with a topic",
    # the command `configure`
    "machines_changed": "someone else changed the machines meanwhile; load them again",
    "machines_checked": "{count:# machine|# machines} checked; nothing was changed",
    "machines_unchanged": "{count:# machine|# machines}; nothing changed",
    "machines_stored": "{count:# machine|# machines} stored",
    "machine_in_file": "machine {machine} is in the gateway's own file; change it there, or choose "
    "another id",
    "machine_id_twice": "machine id {machine} is used twice",
    "source_machine_unlisted": "it delivers to machine {machine}, which is not in the list",
    "source_twice": "machine {machine} has a source already",
    "point_fed_twice": "two sources feed point {point}: source {number} ({kind}) and source "
    "{second} ({second_kind}); remove it from one of them, or give it a point of its own",
    "source_other_broker": "name another broker in the gateway's own file",
    "source_outside_folder": "{manifest} is outside the gateway's recordings_dir {folder}",
    "and_more": "{first} (and {more} more)",
}
