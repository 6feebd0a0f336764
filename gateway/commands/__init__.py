"""The commands of people and SCADA: checked, stored, done once, answered and audited."""
