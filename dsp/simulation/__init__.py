"""Signals of simulated machines with known faults, for tests, studies and demonstrations.

A machine is a list of sources (`shaft`, `bearings`, `gears`, `flow`, `drive`), a housing with
resonances (`housing`), and sensors with noise and faults (`sensors`). `machine.SimulatedMachine`
records them over a `rotation.Rotation`. The same seed gives the same samples.

A machine has four bearings in a row: 1 and 2 carry the driving shaft, 3 and 4 the driven one, and
the coupling is between 2 and 3. A source sits at one bearing or at both of its shaft.

References: Randall, "Vibration-based condition monitoring" (2011); ISO 13373-1 annex C and
ISO 13373-3 for the orders, directions and phases of shaft faults; Antoni and Randall, "Differential
diagnosis of gear and bearing faults", J. Vib. Acoust. 124 (2002) for slip.
"""
