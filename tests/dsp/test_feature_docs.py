"""The list of features names every feature."""

from __future__ import annotations

from lab.documents.features import features_markdown, reference_specs


def test_every_feature_is_named_or_inside_a_family():
    page = features_markdown()
    for spec in reference_specs():
        names = list(spec.names)
        for name, before, after in zip(names, ["", *names], [*names[1:], ""], strict=False):
            family = name.rsplit("_", 1)[0]
            inside = before.startswith(family) and after.startswith(family)
            assert inside or f"`{name}`" in page
