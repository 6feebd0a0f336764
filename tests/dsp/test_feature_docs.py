"""`docs/features.md` is current."""

from __future__ import annotations

from pathlib import Path

from auscult.dsp.feature_docs import features_markdown, reference_specs

PAGE = Path(__file__).parents[2] / "docs" / "features.md"


def test_the_list_is_generated_from_the_code():
    assert PAGE.read_text() == features_markdown(), (
        "run: python -m auscult.dsp.feature_docs > docs/features.md"
    )


def test_every_feature_is_named_or_inside_a_family():
    page = features_markdown()
    for spec in reference_specs():
        names = list(spec.names)
        for name, before, after in zip(names, ["", *names], [*names[1:], ""], strict=False):
            family = name.rsplit("_", 1)[0]
            inside = before.startswith(family) and after.startswith(family)
            assert inside or f"`{name}`" in page
