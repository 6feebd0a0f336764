/** Alarms, clips and baselines, as auscult/models/phrases/machines.py has them. */
export const machinesDe = {};
