"""What the product shows of a machine, drawn in a notebook: spectrum, evidence, reasons.

matplotlib is asked for when a plot is drawn; each plot draws on the axes it is given and returns
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from auscult.contract.records import Condition
from auscult.dsp.spectrum import AmplitudeSpectrum, amplitude_spectrum
from auscult.errors import InputError, MissingExtraError
from auscult.models.records import Decision

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS: Final = {Condition.WARNING: "tab:orange", Condition.ALARM: "tab:red"}
NAMED: Final = 10
"""Features that `plot_reasons` draws."""
YEAR_NS: Final = 366 * 86_400 * 10**9
"""Times beyond the first year after 1970 are dates, not seconds since the first sample."""


def plot_spectrum(
    samples: ArrayLike,
    fs_hz: float,
    healthy: ArrayLike | None = None,
    *,
    unit: str = "",
    window_s: float = 1.0,
    ax: Axes | None = None,
) -> Axes:
    """Draw the averaged amplitude spectrum of a signal over that of the healthy machine.

    Parameters
    ----------
    samples, healthy : array_like [shape=(n,)]
        One channel each, both at `fs_hz` and in `unit`, at least one window long.
    fs_hz : float
        Sampling rate, > 0.
    unit : str
        Names the axis.
    window_s : float
        Length of a Hann window in s; windows overlap by half. The lines are ``1 / window_s`` apart.
    ax : matplotlib Axes, optional
        By default those of a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        If a signal is shorter than a window, or not one channel.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> t_s = np.arange(8000) / 1000
    >>> tone, noise = np.sin(2 * np.pi * 50 * t_s), np.random.default_rng(0).standard_normal(8000)
    >>> axes = plot_spectrum(tone + noise, 1000, noise, unit="g", ax=Figure().subplots())
    >>> now = axes.get_lines()[1]
    >>> float(now.get_xdata()[now.get_ydata().argmax()])
    50.0
    """
    axes = _axes(ax)
    if healthy is not None:
        before = _spectrum(healthy, "healthy", fs_hz, unit, window_s)
        axes.plot(before.frequencies_hz, before.values, color="tab:gray", lw=0.8, label="healthy")
    now = _spectrum(samples, "samples", fs_hz, unit, window_s)
    axes.plot(now.frequencies_hz, now.values, color="tab:blue", lw=0.8, label="now")
    axes.set(xlabel="Frequency, Hz", ylabel=f"Amplitude, {unit or 'as delivered'} r.m.s.")
    axes.set_yscale("log")
    axes.legend()
    return axes


def plot_decisions(decisions: Sequence[Decision], *, ax: Axes | None = None) -> Axes:
    """Draw the evidence over time with the levels of warning and alarm, and the events.

    Parameters
    ----------
    decisions : sequence of Decision
        At least one, as `Detector.decide` returns them.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        Evidence above the level of alarm by more than a half is drawn at that height.

    Raises
    ------
    InputError
        If there is no decision.
    MissingExtraError
        If matplotlib is not installed.
    """
    if not decisions:
        raise InputError("there is no decision to draw; give what Detector.decide returned")
    axes = _axes(ax)
    times = _times(np.array([one.t_ns for one in decisions], np.int64))
    alarm = max((one.alarm_level or 0.0 for one in decisions), default=0.0)
    evidence = np.array([one.evidence if one.evidence is not None else np.nan for one in decisions])
    axes.plot(times, np.minimum(evidence, 1.5 * alarm), color="tab:blue", lw=1, label="evidence")
    for name, colour in COLOURS.items():
        level = [getattr(one, f"{name.value}_level") or np.nan for one in decisions]
        axes.plot(times, level, color=colour, lw=0.8, ls="--", label=name.value)
        there = np.array([one.condition is name for one in decisions])
        axes.fill_between(
            times, 0, 1, where=there, transform=axes.get_xaxis_transform(), color=colour, alpha=0.15
        )
    dated = np.issubdtype(times.dtype, np.datetime64)
    axes.set(xlabel="Time, UTC" if dated else "Time, s", ylabel="Evidence")
    axes.legend()
    return axes


def plot_reasons(decision: Decision, *, ax: Axes | None = None) -> Axes:
    """Draw which features moved, in robust standard deviations of the healthy machine.

    Parameters
    ----------
    decision : Decision
        With a learned reason; of others (ISO zone, limit, sensor) the text says all.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The strongest at the top, each with its change in dB or its values.

    Raises
    ------
    InputError
        If no reason of the decision names a feature.
    MissingExtraError
        If matplotlib is not installed.
    """
    moved = [
        (f"{reason.point}: {one.change}" if reason.point else one.change, one.sigma)
        for reason in decision.reasons
        for one in reason.contributions
    ]
    if not moved:
        raise InputError("no reason of this decision names a feature; its text says why")
    moved = sorted(moved, key=lambda one: -abs(one[1]))[:NAMED]
    axes = _axes(ax)
    names, sigmas = zip(*reversed(moved), strict=True)
    axes.barh(names, sigmas, color=["tab:red" if one > 0 else "tab:blue" for one in sigmas])
    axes.axvline(0, color="black", lw=0.8)
    axes.set_xlabel("Change in robust standard deviations")
    return axes


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError as error:
        raise MissingExtraError("plots need matplotlib: pip install matplotlib") from error
    made: Axes = pyplot.subplots(layout="constrained")[1]
    return made


def _spectrum(
    samples: ArrayLike, name: str, fs_hz: float, unit: str, window_s: float
) -> AmplitudeSpectrum:
    x = np.asarray(samples, np.float32)
    if x.ndim != 1:
        raise InputError(f"{name} have shape {x.shape}; give one channel (n,) at a time")
    if not 0 < fs_hz < np.inf:
        raise InputError(f"fs_hz = {fs_hz} is no sampling rate in Hz")
    n = round(window_s * fs_hz)
    if not 2 <= n <= x.size:
        raise InputError(
            f"{name} last {x.size / fs_hz:g} s, a window {window_s:g} s: give a longer signal or "
            "another window_s"
        )
    windows = np.lib.stride_tricks.sliding_window_view(x, n)[:: n - n // 2]
    return amplitude_spectrum(windows, fs_hz, unit, overlap=0.5)


def _times(t_ns: NDArray[np.int64]) -> NDArray[np.generic]:
    return t_ns.astype("datetime64[ns]") if t_ns[0] > YEAR_NS else (t_ns - t_ns[0]) / 1e9
