"""The `[learning]` table: when labels are learned, what has to agree, and what it may cost."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from auscult.contract.said import Rejection
from auscult.contract.section import Section
from auscult.models.learning.budget import BudgetSettings
from auscult.models.learning.settings import LearningSettings

KEY_HEX = 64


def check_key(value: str) -> str:
    """Return a public key in lower case; reject what is no 64 hexadecimal digits."""
    if len(value) != KEY_HEX or not all(c in "0123456789abcdefABCDEF" for c in value):
        raise Rejection("key_malformed", digits=KEY_HEX)
    return value.lower()


class LearningSection(Section):
    """How technicians' labels are learned on the gateway."""

    min_new_labels: int = Field(
        default=1,
        ge=1,
        le=1000,
        description="Labels that must wait before they are learned together; 1 = each at once",
    )
    cooldown_s: float = Field(
        default=1, ge=0, le=86_400, description="Shortest time between trainings of a machine, s"
    )
    novel_windows: int = Field(
        default=32,
        ge=0,
        le=100_000,
        description="Later windows of labelled events until they are learned too; 0 = never",
    )
    loss_min: float = Field(
        default=0.2,
        ge=0,
        le=1,
        description="Share of those windows that must contradict their label before they are "
        "learned",
    )
    gate: bool = Field(
        default=True,
        description="Accept only heads that lose no confirmed fault and add no false alarms; "
        "`false` is for experiments only",
    )
    shadow_windows: int = Field(
        default=0,
        ge=0,
        le=10_000_000,
        description="Live windows that a candidate scores beside the active checkpoint before it "
        "replaces it; 0 with `shadow_hours` 0 = it replaces it at once",
    )
    shadow_hours: float = Field(
        default=0, ge=0, le=8760, description="Shortest duration of this shadow run, hours"
    )
    keep_checkpoints: int = Field(
        default=50,
        ge=2,
        le=10_000,
        description="Checkpoints of a machine that can be restored; of older ones only the record "
        "is kept",
    )
    keep_baselines: int = Field(
        default=3, ge=1, le=100, description="Baselines of a machine that can be restored"
    )
    cpu_share_max: float = Field(
        default=0.9,
        gt=0,
        le=1,
        description="Share of all cores used by other work above which the training of a baseline "
        "pauses",
    )
    temperature_c_max: float = Field(
        default=80,
        ge=20,
        le=150,
        description="Temperature of the hottest sensor above which training waits, °C",
    )
    battery_share_min: float = Field(
        default=0.3, ge=0, le=1, description="Charge below which training waits on battery"
    )
    trusted_keys: tuple[Annotated[str, AfterValidator(check_key)], ...] = Field(
        default=(),
        description="Public keys of gateways whose deltas may be applied here; `auscult delta key` "
        "shows a gateway's own",
    )

    def head_updates(self) -> LearningSettings:
        """Give the settings of learning from labels."""
        return LearningSettings(
            gate=self.gate,
            min_new_labels=self.min_new_labels,
            cooldown_s=self.cooldown_s,
            novel_windows=self.novel_windows,
            loss_min=self.loss_min,
            shadow_windows=self.shadow_windows,
            shadow_hours=self.shadow_hours,
            keep=self.keep_checkpoints,
            keep_replays=self.keep_baselines,
        )

    def budget(self) -> BudgetSettings:
        """Give the budget of trainings."""
        return BudgetSettings(
            cpu_share_max=self.cpu_share_max,
            temperature_c_max=self.temperature_c_max,
            battery_share_min=self.battery_share_min,
        )
