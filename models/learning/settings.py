"""The design numbers of learning from labels, in one place, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass

from auscult.models.settings import SHIPPED


@dataclass(frozen=True, slots=True)
class LearningSettings:
    """Size of the replay, training of a head, and conditions of the gate.

    Parameters
    ----------
    healthy_rows, open_rows, false_alarm_rows, fault_rows : int
        Windows of a point kept in the replay by class: healthy, of events without a verdict, of
        false alarms, of confirmed faults. 576 in all, 316 kB a point. Each class has its own room,
        so healthy windows cannot push a confirmed fault out.
    replay : bool
        Train on the whole replay; False: on the labelled event alone (for ablation only).
    gate : bool
        Accept only better heads; False: accept all (for ablation only).
    places, fault_places : int
        Known-normal and confirmed-fault places that a head holds at most: 24 of 288 bytes each
        keep a delta below 8 kB. Without places (0) only the limit learns.
    reach : float
        A place covers windows up to this beyond the median of its own windows, in the logarithm
        of the score from there: e² = 7 times a healthy distance. What lies farther never occurred
        there.
    reach_fade : float
        Beyond its reach a place counts less and less over this much.
    directions : int
        Kinds of confirmed faults along which a head raises scores, at most; 4 of 288 bytes.
        0 = none.
    direction_signal : float
        A fault gives a direction if its mean departure, squared, is this many times what its own
        scatter explains.
    report_rows : int
        Windows of a reported stretch that the replay takes of a point, evenly over the stretch.
    merge_distance : float
        False alarms whose mean windows lie closer than this (in units where a healthy window
        lies at 1) share one place.
    spread_max : float
        A known-normal place may be at most this much wider than the baseline.
    spread_rows : float
        Windows at which a place's own width counts as much as the baseline's.
    max_steps, lr : int, float
        Of Adam over the head's 65 weights; full batches.
    plateau_steps, plateau : int, float
        Training stops when the loss fell by less than this share in so many steps.
    enough : float
        Training also stops below this loss: all rows are separated.
    micro_batch : int
        Rows that go through the runtime at once; gradients of more are added up. Bounds the
        memory of a training: half a megabyte. The training half of a full replay is one batch: the
        runtime takes new memory whenever the number of rows changes.
    anchor : float
        Weight of the pull towards the weights before, times each weight's importance (EWC);
        0 = none.
    importance_floor : float
        Importance of a weight that no label has used yet: unused weights stay unchanged.
    offset_max : float
        How far labels may raise a point's limit, as a ratio of distances. A change of the limit
        acts in all conditions, so it only covers what the places leave. 1 = never.
    allowance : float
        An event alarms when its windows' mean normal score is above this, the allowance of the
        warning chart: only then does evidence accumulate.
    alarm_allowance : float
        The same of the alarm chart: a confirmed fault must stay above it.
    score_cap, unseen_discount_sigma, predicted_discount_sigma, p_limit : float
        The detector's values.
    resembles : float
        Cosine 0..1 between a departure and a confirmed fault, in whitened coordinates, from which
        they count as alike. The same broken tooth at two loads: 0.77 to 0.98 (gearbox_gfd);
        faults of different parts of a bearing: 4 % above 0.8 on cwru, half on hit_sm.
    doubtful : float
        Cosine from which a false alarm that resembles a confirmed fault is rejected until it is
        labelled again. Wrong labels on uestc, M1 and gearbox_gfd: 0.78 to 0.99
        (lab/results/labels.md).
    wide : float
        Share of features beyond the limit of z-scores from which a false alarm is rejected until
        it is labelled again. New conditions of five rigs: at most 0.16; faults of uestc and hit_sm:
        0.38 or more, of the two others 0 to 0.44 (lab/results/labels.md).
    min_new_labels : int
        Labels that are learned together; 1 = each at once, as people expect.
    cooldown_s : float
        Least time between trainings, s.
    novel_windows, loss_min : int, float
        Training runs again from so many windows that came to labelled events since the last
        training, if the heads decide this share of them against their label; then from twice as
        many each time. 0 = never.
    shadow_windows, shadow_hours : int, float
        Length of the shadow run of an accepted candidate beside the active heads; both must be
        reached. 0 and 0 = it replaces them at once.
    keep : int
        Checkpoints of a machine whose weights are kept; of older ones only the record stays.
    keep_replays : int
        Baselines whose replay is kept, for a return to them.
    """

    healthy_rows: int = 192
    open_rows: int = 128
    false_alarm_rows: int = 128
    fault_rows: int = 128
    replay: bool = True
    gate: bool = True
    places: int = 16
    fault_places: int = 8
    reach: float = 2.0
    reach_fade: float = 0.5
    directions: int = 4
    direction_signal: float = 4.0
    report_rows: int = 96
    merge_distance: float = 0.5
    spread_max: float = 2.0
    spread_rows: float = 20.0
    max_steps: int = 150
    lr: float = 0.05
    plateau_steps: int = 10
    plateau: float = 1e-2
    enough: float = 1e-2
    micro_batch: int = 320
    anchor: float = 0.1
    importance_floor: float = 0.01
    offset_max: float = 1.2
    allowance: float = SHIPPED.warning_sigma / 2
    alarm_allowance: float = SHIPPED.alarm_sigma / 2
    score_cap: float = SHIPPED.score_cap
    unseen_discount_sigma: float = SHIPPED.unseen_discount_sigma
    predicted_discount_sigma: float = SHIPPED.predicted_discount_sigma
    p_limit: float = SHIPPED.p_limit
    resembles: float = 0.8
    doubtful: float = 0.75
    wide: float = 0.25
    min_new_labels: int = 1
    cooldown_s: float = 1.0
    novel_windows: int = 32
    loss_min: float = 0.2
    shadow_windows: int = 0
    shadow_hours: float = 0.0
    keep: int = 50
    keep_replays: int = 3

    def least_evidence(self, sigma: float) -> float:
        """Evidence at which a confirmed fault counts as lost: at most the alarm's allowance."""
        return max(self.allowance, min(sigma, self.alarm_allowance))

    def discount_sigma(self, predicted: bool) -> float:
        """Return the reduction of the normal scores of windows in unseen states, in σ."""
        return self.predicted_discount_sigma if predicted else self.unseen_discount_sigma

    @property
    def shadow(self) -> bool:
        """Return whether candidates run in the shadow first."""
        return self.shadow_windows > 0 or self.shadow_hours > 0


SETTINGS = LearningSettings()
