"""Reports for managers: figures by the month, and pages as PDF for the plant and each machine."""
