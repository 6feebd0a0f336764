"""Why one value of a request, a table or a configuration is rejected."""

from typing import Final

VALUES: Final[dict[str, str]] = {
    "value_missing": "a value is required",
    "value_unknown_key": "there is no field of this name",
    "value_not_text": "must be text",
    "value_not_number": "must be a number",
    "value_not_whole": "must be a whole number",
    "value_not_truth": "must be true or false",
    "value_not_list": "must be a list",
    "value_not_object": "must be an object with named fields",
    "value_too_short": "use at least {least:# character|# characters}",
    "value_too_long": "use at most {most:# character|# characters}",
    "text_control": "holds a control character, such as NUL: remove it",
    "unit_characters": "a unit holds none of < > & \" ' and no line end: remove it",
    "client_id_characters": "a client id holds no spaces and none of / \\ + #: use letters, digits "
    "and '_ . : -'",
    "value_pattern": "must match the pattern {pattern}",
    "value_more_than": "must be more than {limit}",
    "value_at_least": "must be at least {limit}",
    "value_less_than": "must be less than {limit}",
    "value_at_most": "must be at most {limit}",
    "value_one_of": "must be one of: {expected}",
    "list_too_short": "give at least {least:# entry|# entries}",
    "list_too_long": "give at most {most:# entry|# entries}",
    "value_not_json": "is not valid JSON",
    "value_other": "{problem}",
}
