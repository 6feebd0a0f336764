"""What pydantic rejects is said in codes of the catalogue."""

from __future__ import annotations

from typing import Literal, Self

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from auscult.contract.invalid import said_of
from auscult.contract.said import Rejection


class Limits(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    name: str = Field(default="a", min_length=1, max_length=3, pattern="^[a-z]*$")
    unit: Literal["g", "mm/s"] = "g"
    low: float = Field(default=0.5, gt=0, lt=1)
    count: int = Field(default=1, ge=1, le=5)
    parts: tuple[int, ...] = Field(default=(1,), min_length=1, max_length=2)
    sure: bool = True

    @model_validator(mode="after")
    def _not_five(self) -> Self:
        if self.count == 5:
            raise Rejection("old_password_wrong")
        if self.count == 4:
            raise ValueError("four is unlucky")
        return self


@pytest.mark.parametrize(
    ("values", "code", "text"),
    [
        ({"name": ""}, "value_too_short", "use at least 1 character"),
        ({"name": "abcd"}, "value_too_long", "use at most 3 characters"),
        ({"name": "A"}, "value_pattern", "must match the pattern ^[a-z]*$"),
        ({"name": 1}, "value_not_text", "must be text"),
        ({"unit": "kg"}, "value_one_of", "must be one of: g, mm/s"),
        ({"low": 0}, "value_more_than", "must be more than 0"),
        ({"low": 1}, "value_less_than", "must be less than 1"),
        ({"low": "x"}, "value_not_number", "must be a number"),
        ({"low": float("nan")}, "value_not_number", "must be a number"),
        ({"count": 0}, "value_at_least", "must be at least 1"),
        ({"count": 6}, "value_at_most", "must be at most 5"),
        ({"count": 1.5}, "value_not_whole", "must be a whole number"),
        ({"parts": ()}, "list_too_short", "give at least 1 entry"),
        ({"parts": (1, 2, 3)}, "list_too_long", "give at most 2 entries"),
        ({"parts": 1}, "value_not_list", "must be a list"),
        ({"sure": "perhaps"}, "value_not_truth", "must be true or false"),
        ({"colour": 1}, "value_unknown_key", "there is no field of this name"),
        ({"count": 5}, "old_password_wrong", "the old password is wrong"),
        ({"count": 4}, "value_other", "four is unlucky"),
    ],
)
def test_a_rejected_value_has_a_code(values, code, text):
    with pytest.raises(ValidationError) as caught:
        Limits.model_validate(values)
    said = said_of(caught.value.errors()[0])
    assert (said.code, said.text) == (code, text)
