"""One monitored machine: baseline, decision, event, alarms, limits."""
