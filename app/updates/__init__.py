"""Staged updates of gateways: bundles, rollouts, and the thread that carries them on."""
