"""From replayed windows to a new head: its places, and the training of its gate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from auscult.models.baseline.kind_model import Rescore
from auscult.models.learning.head import WIDTH, AtPlace, Head
from auscult.models.learning.replay import ReplayRows, RowClass
from auscult.models.learning.settings import SETTINGS, LearningSettings
from auscult.models.network.guard import Model
from auscult.models.network.training import Adam, micro_batches, plateau

Float32 = NDArray[np.float32]

COMMON = 0.25
"""Share of an event's windows that gives a state a place of its own, so an event takes at most four
of the places (`docs/decisions/0061-a-place-for-each-state.md`)."""


@dataclass(frozen=True, slots=True)
class EventPlace:
    """Mean of windows of events in whitened coordinates, and their mean squared distance.

    ``at`` [shape=(n,)] are the windows' rows in the replay.
    """

    centre: Float32
    spread: float
    at: NDArray[np.intp]

    @property
    def n(self) -> int:
        """Count its windows."""
        return len(self.at)

    @classmethod
    def from_windows(cls, rows: ReplayRows) -> EventPlace:
        """Describe windows of an event."""
        positions = rows.positions
        centre = positions.mean(0)
        spread = float(((positions - centre) ** 2).sum(1).mean())
        return cls(centre, spread, rows.at)

    def joined(self, other: EventPlace) -> EventPlace:
        """Describe both together."""
        n = self.n + other.n
        a, b = self.n / n, other.n / n
        apart = float(((self.centre - other.centre) ** 2).sum())
        return EventPlace(
            a * self.centre + b * other.centre,
            a * self.spread + b * other.spread + a * b * apart,
            np.concatenate([self.at, other.at]),
        )


@dataclass(frozen=True, slots=True)
class TrainingRows:
    """Input of one training of a gate: rows of features, each 1 = healthy or 0 = fault.

    ``features`` is [shape=(n, 64)], ``label`` and ``weight`` [shape=(n,)], all float32; the
    weights sum to 1, the same for each class.
    """

    features: Float32
    label: Float32
    weight: Float32


PARTS = (
    (RowClass.HEALTHY, 1.0, False),
    (RowClass.FALSE_ALARM, 1.0, False),
    (RowClass.CONFIRMED_FAULT, 0.0, False),
    (RowClass.CONFIRMED_FAULT, 0.0, True),
)
"""Training rows: class, label, and whether they are moved to the places."""


def find_places(rows: ReplayRows, most: int, merge_distance: float) -> list[EventPlace]:
    """Join the parts of the rows' events into at most so many places, nearest ones first."""
    return gathered(map(EventPlace.from_windows, _parts(rows)), most, merge_distance)


def _parts(rows: ReplayRows) -> Iterator[ReplayRows]:
    """Yield the windows of each event, by state: of states that have `COMMON` of them or more.

    Windows are measured from the location of their state: those of two states have no common place.
    An event whose states all have less is one part.
    """
    for event in rows.groups:
        own = rows.select_event(event)
        state = own.info["state"]
        common = [one for one in set(state.tolist()) if (state == one).mean() >= COMMON]
        yield from (own.where(state == one) for one in sorted(common)) if common else [own]


def gathered(places: Iterable[EventPlace], most: int, merge_distance: float) -> list[EventPlace]:
    """Join places that lie nearer than the distance, and the nearest ones until few enough."""
    found = list(places) if most > 0 else []
    centres = np.stack([place.centre for place in found]) if found else np.zeros((0, 0))
    apart = np.full((len(found), len(found)), np.inf)
    kept: list[int] = []

    def measure(i: int) -> None:
        """Set the squared distances of place i; only those of i < j are finite."""
        squares = ((centres[kept] - centres[i]) ** 2).sum(-1)
        for j, square in zip(kept, squares.tolist(), strict=True):
            if i != j:
                apart[min(i, j), max(i, j)] = square

    for new in range(len(found)):
        kept.append(new)
        measure(new)
        while len(kept) > 1:
            i, j = divmod(int(apart.argmin()), len(found))
            if apart[i, j] >= merge_distance and len(kept) <= most:
                break
            kept.remove(j)
            apart[j], apart[:, j] = np.inf, np.inf
            found[i] = found[i].joined(found[j])
            centres[i] = found[i].centre
            measure(i)
    return [found[i] for i in kept]


def places_wanted(rows: ReplayRows, settings: LearningSettings = SETTINGS) -> int:
    """Count the places that the false alarms among these rows would take if there were room."""
    false_alarms = rows.select_classes(RowClass.FALSE_ALARM)
    return len(find_places(false_alarms, len(rows), settings.merge_distance))


def fit_head(
    before: Head,
    rows: ReplayRows,
    model: Model,
    settings: LearningSettings = SETTINGS,
    *,
    rescore: Rescore | None = None,
) -> Head:
    """Place and train a head on the labelled rows of a replay, from the weights before.

    Parameters
    ----------
    before : Head
        Its weights are where training starts and what the anchor pulls towards.
    rows : ReplayRows
        Of all classes; places come from false alarms and confirmed faults.
    model : Model
        With the signature ``train_head``.
    rescore : callable, optional
        Scores windows from a place; without it places are positions.
    """
    head = with_places(before, rows, settings, rescore)
    if not len(head.places):
        return head
    training = training_rows_of(head, rows, rescore)
    weights = _train(head, training, model, settings)
    return replace(head, weights=weights, importance=head.importance + _fisher(weights, training))


def with_places(
    before: Head,
    rows: ReplayRows,
    settings: LearningSettings = SETTINGS,
    rescore: Rescore | None = None,
) -> Head:
    """Place a head on the labelled rows of a replay; its gate is that of the head before."""
    normal = find_places(
        rows.select_classes(RowClass.FALSE_ALARM), settings.places, settings.merge_distance
    )
    faults = find_places(
        rows.select_classes(RowClass.CONFIRMED_FAULT),
        settings.fault_places,
        settings.merge_distance,
    )
    head = replace(
        before,
        places=_stack([p.centre for p in normal], before.places),
        spread=np.array([_believed_spread(p, settings) for p in normal], np.float32),
        faults=_stack([p.centre for p in faults], before.faults),
        centres=np.full((len(normal), rows.stored.z.shape[1]), np.nan, np.float16),
        own_scores=np.zeros(len(normal), np.float32),
        offset=0.0,
    )
    return head if rescore is None else _with_states(head, normal, rows, rescore)


def _with_states(head: Head, places: list[EventPlace], rows: ReplayRows, rescore: Rescore) -> Head:
    """Add the location of each place and the score of its own windows, by rows with z-scores."""
    centres, own_scores = head.centres.copy(), head.own_scores.copy()
    for k, place in enumerate(places):
        z = rows.where(np.isin(rows.at, place.at)).z
        z = z[np.isfinite(z).all(1)]
        if len(z):
            centres[k] = np.median(z, axis=0)
            at = (z - centres[k].astype(np.float32)) / np.sqrt(head.spread[k])
            own_scores[k] = max(0.0, float(np.median(rescore(at).log_score)))
    return replace(head, centres=centres, own_scores=own_scores)


def with_offset(
    head: Head,
    rows: ReplayRows,
    limit: float,
    settings: LearningSettings = SETTINGS,
    rescore: Rescore | None = None,
) -> Head:
    """Raise the limit to cover the rest of the false alarms, but never near a confirmed fault.

    It rises at most half of the way to the weaker windows of the weakest confirmed fault, and at
    most by ``settings.offset_max``.
    """
    false_alarms, faults = (
        rows.select_classes(RowClass.FALSE_ALARM),
        rows.select_classes(RowClass.CONFIRMED_FAULT),
    )
    if len(false_alarms) == 0:
        return head
    excess = float(np.quantile(head.adjusted(false_alarms, rescore), 0.8)) - limit
    if excess <= 0:
        return replace(head, offset=0.0)
    shown, events = head.adjusted(faults, rescore), faults.info["group"]
    room = min(
        (float(np.quantile(shown[events == event], 0.2)) for event in faults.groups),
        default=np.inf,
    )
    offset = min(excess, (room - limit) / 2, float(np.log(settings.offset_max)))
    return replace(head, offset=max(0.0, offset))


def training_rows_of(head: Head, rows: ReplayRows, rescore: Rescore | None = None) -> TrainingRows:
    """Return training rows: healthy windows and false alarms against confirmed faults.

    Each confirmed fault appears twice: where it was measured, and moved to a known-normal place, as
    the same fault would look in that condition. So the head learns that the new condition is
    healthy, and still detects faults in it.
    """
    parts = [
        (some, is_healthy, moved)
        for row_class, is_healthy, moved in PARTS
        if len(some := rows.select_classes(row_class))
    ]
    n = sum(len(some) for some, _, _ in parts)
    features = np.empty((n, WIDTH), np.float32)
    label, weight = np.empty(n, np.float32), np.empty(n, np.float32)
    start = 0
    for some, is_healthy, moved in parts:
        own_scores = head.own_scores[np.arange(len(some)) % len(head.places)]
        label[start : start + len(some)] = is_healthy
        weight[start : start + len(some)] = 1 / len(some) / len(parts)
        for block in some.blocks():
            positions, log_scores = block.positions, block.log_scores
            at = (
                AtPlace(positions, log_scores, log_scores - own_scores[: len(block)])
                if moved
                else head.from_places(positions, block.z, rescore)
            )
            own_scores = own_scores[len(block) :]
            features[start : start + len(block)] = head.features(positions, at)
            start += len(block)
    return TrainingRows(features, label, weight)


def _train(head: Head, training: TrainingRows, model: Model, settings: LearningSettings) -> Float32:
    adam = Adam(model, "train_head", head.weights)
    importance = np.maximum(head.importance, settings.importance_floor)
    batches = micro_batches(
        {"features": training.features, "label": training.label, "weight": training.weight},
        settings.micro_batch,
    )
    losses: list[float] = []
    while adam.steps < settings.max_steps:
        finite = adam.accumulated_step(
            settings.lr,
            batches,
            anchor=head.weights,
            importance=importance,
            penalty=settings.anchor,
        )
        losses.append(adam.loss)
        settled = plateau(losses, settings.plateau_steps, settings.plateau)
        if not finite or adam.loss < settings.enough or settled:
            break
    return adam.theta


def _fisher(weights: Float32, training: TrainingRows) -> Float32:
    """Diagonal Fisher information of the gate: mean squared gradient of the log likelihood."""
    logit = training.features @ weights[:-1] + weights[-1]
    p = 0.5 * (1 + np.tanh(logit / 2))
    per_row = training.weight * p * (1 - p)
    features = training.features
    of_features = np.einsum("i,ij,ij->j", per_row, features, features)
    return np.append(of_features, per_row.sum()).astype(np.float32)


def _believed_spread(place: EventPlace, settings: LearningSettings) -> float:
    """Return the width of a place: drawn to the baseline's where windows are few, and bounded."""
    trust = place.n / (place.n + settings.spread_rows)
    own = place.spread * place.n / max(1, place.n - 1)
    # A mean of n windows is itself off by 1/n of their spread.
    believed = (trust * own + (1 - trust)) * (1 + 1 / place.n)
    return float(np.clip(believed, 1.0, settings.spread_max))


def _stack(vectors: list[Float32], like: NDArray[np.float16]) -> NDArray[np.float16]:
    return np.array(vectors, np.float16).reshape(-1, like.shape[1])
