"""From sample blocks to windows of equal rate and length, to features."""
