"""Features of samples at hand, as a table with names and units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from auscult.contract.records import OperatingState
from auscult.dsp.bearing import Bearing
from auscult.dsp.pipeline import FeaturePipeline
from auscult.dsp.settings import MIN_SAMPLES
from auscult.dsp.spec import FeatureSpec
from auscult.dsp.units import SampledKind
from auscult.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from pandas import DataFrame

WINDOW_S = 0.4
"""Default window: fine enough for a first warning, long enough for bearing lines of slow motors."""
OVERLAP = 0.5


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """Features of one measuring point: a row a window, a column a feature.

    ``len(table)`` counts the windows, ``table.column("rms")`` is a feature, ``table[10:20]`` some
    windows, ``table[3]`` one, ``table[table.health == 0]`` those that a mask selects, and a loop
    over it gives tables of one window.

    Attributes
    ----------
    spec : FeatureSpec
        Names, units, definitions and sources of the features; tables fit together if it is equal.
    values : np.ndarray [shape=(w, d), dtype=float32]
        Physical values, always finite.
    t_ns : np.ndarray [shape=(w,), dtype=int64]
        When each window begins, in ns.
    health : np.ndarray [shape=(w,), dtype=uint16]
        Bits of `SensorHealth`; 0 = the window is a good measurement.
    states : tuple of OperatingState or None
        Operating state of each window.
    """

    spec: FeatureSpec
    values: NDArray[np.float32]
    t_ns: NDArray[np.int64]
    health: NDArray[np.uint16]
    states: tuple[OperatingState | None, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return self.spec.names

    @property
    def units(self) -> dict[str, str]:
        """Return the physical unit of each column; ``1`` for ratios."""
        return {feature.name: feature.unit for feature in self.spec.features}

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return (
            f"<FeatureTable: {len(self)} windows of {self.spec.n_samples / self.spec.fs_hz:g} s, "
            f"{len(self.spec)} features, {self.spec.kind} in {self.spec.unit}, "
            f"{np.count_nonzero(self.health)} with a sensor fault>"
        )

    @property
    def shape(self) -> tuple[int, int]:
        """Return the number of windows and of features, as scikit-learn asks for it."""
        return len(self.values), len(self.spec)

    def __getitem__(self, windows: slice | SupportsIndex | ArrayLike | tuple[Any, ...]) -> Self:
        """Give some of the windows: a slice, one number, numbers, or a mask [shape=(w,)].

        Scikit-learn's splits ask for ``table[numbers, ...]``.

        Raises
        ------
        InputError
            If a number is beyond the table, or a mask has another length.
        """
        if isinstance(windows, tuple) and windows[1:] == (...,):
            windows = windows[0]
        try:
            rows = np.atleast_1d(np.arange(len(self))[windows])  # type: ignore[index]
        except (IndexError, TypeError, ValueError) as error:
            raise InputError(
                f"{windows!r} selects no windows of {len(self)}: {error}; "
                f"give a slice, numbers below {len(self)} or a mask of that length"
            ) from error
        if isinstance(windows, slice):  # views, not copies
            values, t_ns, health = self.values[windows], self.t_ns[windows], self.health[windows]
        else:
            values, t_ns, health = self.values[rows], self.t_ns[rows], self.health[rows]
        states = tuple([self.states[row] for row in rows])
        return type(self)(self.spec, values, t_ns, health, states)

    def __iter__(self) -> Iterator[Self]:
        return (self[i : i + 1] for i in range(len(self)))

    def column(self, name: str) -> NDArray[np.float32]:
        """Return the values of one feature [shape=(w,)], in ``units[name]``.

        Raises
        ------
        InputError
            If there is no such feature; the message names similar ones.
        """
        if name not in self.spec.index:
            from difflib import get_close_matches

            near = get_close_matches(name, self.names, 3) or self.names[:3]
            raise InputError(f"there is no feature {name!r}; similar: {', '.join(near)}")
        column: NDArray[np.float32] = self.values[:, self.spec.index[name]]
        return column

    def to_pandas(self) -> DataFrame:
        """Give a DataFrame: a column a feature, indexed by seconds, ``attrs["units"]`` set.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        try:
            from pandas import DataFrame, Index
        except ModuleNotFoundError as error:
            raise MissingExtraError("to_pandas needs pandas: pip install pandas") from error
        index = Index(self.t_ns / 1e9, name="t_s")
        frame = DataFrame(self.values, index=index, columns=list(self.names))
        frame.attrs["units"] = self.units
        return frame

    @classmethod
    def from_pandas(
        cls, frame: DataFrame, spec: FeatureSpec, states: Sequence[OperatingState | None] = ()
    ) -> FeatureTable:
        """Take a DataFrame as `to_pandas` gives it, for example with rows chosen or joined.

        Parameters
        ----------
        frame : DataFrame
            A column for each feature of `spec`, in any order; its index is seconds. Each row counts
            as a good measurement.
        spec : FeatureSpec
            Of the table it came from.
        states : sequence of OperatingState, optional
            One a row; none where there are none.

        Raises
        ------
        InputError
            If a column is missing, a value is no number, or `states` has another length.
        """
        if missing := sorted(set(spec.names) - set(frame.columns)):
            raise InputError(
                f"the table has no column {', '.join(missing[:5])}; spec.names lists them"
            )
        try:
            values = frame[list(spec.names)].to_numpy(np.float32)
            t_ns = np.round(frame.index.to_numpy(np.float64) * 1e9).astype(np.int64)
        except (TypeError, ValueError) as error:
            raise InputError(f"columns and index must be numbers: {error}") from error
        if not np.isfinite(values).all():
            raise InputError("the table holds NaN or infinity; leave these rows out (dropna)")
        if states and len(states) != len(values):
            raise InputError(f"{len(states)} states for {len(values)} rows; give one a row")
        health = np.zeros(len(values), np.uint16)
        return cls(spec, values, t_ns, health, tuple(states) or (None,) * len(values))


def features(
    samples: ArrayLike,
    fs_hz: float,
    *,
    unit: str = "as_delivered",
    kind: SampledKind = "vibration",
    window_s: float = WINDOW_S,
    overlap: float = OVERLAP,
    nominal_speed_rpm: float | None = None,
    speed_rpm: float | None = None,
    load: float | None = None,
    tags: Mapping[str, str] | None = None,
    bearings: Sequence[Bearing] = (),
    gear_teeth: Sequence[int] = (),
    t0_s: float = 0.0,
) -> FeatureTable:
    """Compute the features of a signal, window by window.

    Parameters
    ----------
    samples : array_like [shape=(n,)]
        One channel in `unit`. At least one window long.
    fs_hz : float
        Sampling rate, 200..200,000 Hz.
    unit : str
        Vibration: ``g``, ``m/s2``, ``mm/s``; sound: ``Pa``. The undeclared ``as_delivered`` and
        ``FS`` (−1..1) give every feature but those in mm/s, µm and dB re 20 µPa.
    kind : {"vibration", "sound"}
    window_s : float
        Length of a window, > 0.
    overlap : float
        Share that a window has in common with the next one, 0 ≤ overlap < 1.
    nominal_speed_rpm : float, optional
        Rated shaft speed, > 0: adds the features at orders of it. Give the same for all signals
        of a point, so that their tables have the same columns.
    speed_rpm, load, tags : optional
        Operating state while these samples were taken: shaft speed in r/min, load in the unit
        of the plant, further names. The detector learns each state apart.
    bearings : sequence of Bearing
        Adds the features at their fault frequencies; needs `nominal_speed_rpm`.
    gear_teeth : sequence of int
        Teeth of the gears on this shaft: adds gear-mesh features.
    t0_s : float
        When the first sample was taken, in s.

    Returns
    -------
    FeatureTable

    Raises
    ------
    InputError
        If a value is outside its limits or the samples are shorter than a window.

    References
    ----------
    docs/features.md gives definition, unit and source of each feature.

    Examples
    --------
    A tone of 1 g at 159.155 Hz has 9806.65 / √2 / (2π · 159.155) = 6.93 mm/s r.m.s.:

    >>> import numpy as np
    >>> t_s = np.arange(2 * 25600) / 25600
    >>> table = features(np.sin(2 * np.pi * 159.155 * t_s), 25600, unit="g")
    >>> len(table), table.units["velocity_rms_mm_s"]
    (9, 'mm/s')
    >>> table.column("velocity_rms_mm_s").round(1)[:3]
    array([6.9, 6.9, 6.9], dtype=float32)
    """
    x = np.asarray(samples, np.float32)
    if x.ndim != 1:
        raise InputError(f"samples have shape {x.shape}; give one channel (n,) at a time")
    if not 0 <= overlap < 1:
        raise InputError(f"overlap = {overlap} is outside 0 ≤ overlap < 1")
    if not 0 < window_s < 1e6:
        raise InputError(f"window_s = {window_s} is not a length in s; the default is {WINDOW_S}")
    n = max(MIN_SAMPLES, round(window_s * fs_hz))
    if kind == "sound":
        spec = FeatureSpec.sound(fs_hz, n, unit)
    else:
        spec = FeatureSpec.vibration(
            fs_hz,
            n,
            unit,
            nominal_speed_rpm=nominal_speed_rpm,
            bearings=tuple(bearings),
            gear_teeth=tuple(gear_teeth),
        )
    state = None
    if speed_rpm is not None or load is not None or tags:
        state = OperatingState(speed_rpm, load, dict(tags or {}))
    windows = x[:0].reshape(0, n)
    hop = max(1, round(n * (1 - overlap)))
    if len(x) >= n:
        windows = np.lib.stride_tricks.sliding_window_view(x, n)[::hop]
    return table_of(spec, windows, t0_s + np.arange(len(windows)) * hop / spec.fs_hz, state)


def table_of(
    spec: FeatureSpec,
    windows: NDArray[np.float32],
    offset_s: NDArray[np.float64],
    state: OperatingState | None,
) -> FeatureTable:
    """Extract the features of windows [shape=(c, n)] that begin at these times in s [shape=(c,)].

    Raises
    ------
    InputError
        If there are none.
    """
    if not len(windows):
        raise InputError(
            f"the samples are shorter than a window of {spec.n_samples}; "
            f"give a longer signal or a shorter window_s"
        )
    block = FeaturePipeline(spec).extract(windows, None if state is None else state.speed_rpm)
    t_ns = np.round(offset_s * 1e9).astype(np.int64)
    return FeatureTable(spec, block.values, t_ns, block.health, (state,) * len(windows))


def concat(tables: Sequence[FeatureTable]) -> FeatureTable:
    """Lay tables of one point end to end in time, for example its recordings at several loads.

    Parameters
    ----------
    tables : sequence of FeatureTable
        At least one; all with the same feature set.

    Returns
    -------
    FeatureTable
        Each table begins one window after the one before it.

    Raises
    ------
    InputError
        If there is no table, or their feature sets differ.

    Examples
    --------
    >>> import numpy as np
    >>> noise = np.random.default_rng(0).standard_normal(16000)
    >>> half = features(noise, 16000, load=50)
    >>> full = features(noise, 16000, load=100)
    >>> both = concat([half, full])
    >>> len(both), both.states[-1].load
    (8, 100)
    """
    if not tables:
        raise InputError("there is no table to join; give at least one")
    spec = tables[0].spec
    shifted, end_ns = [], int(tables[0].t_ns[0])
    for number, table in enumerate(tables):
        if table.spec != spec:
            raise InputError(
                f"table {number} has another feature set than table 0: give the same fs_hz, unit, "
                f"kind, window_s, nominal_speed_rpm, bearings and gear_teeth"
            )
        t_ns = table.t_ns - table.t_ns[0] + end_ns
        end_ns = int(t_ns[-1]) + round(spec.n_samples / spec.fs_hz * 1e9)
        shifted.append(replace(table, t_ns=t_ns))
    return FeatureTable(
        spec,
        np.concatenate([table.values for table in shifted]),
        np.concatenate([table.t_ns for table in shifted]),
        np.concatenate([table.health for table in shifted]),
        tuple(state for table in shifted for state in table.states),
    )
