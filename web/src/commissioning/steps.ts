/** The steps of the wizard. */
export const STEPS = ['machine', 'points', 'bearings', 'limits', 'apply'] as const;

/** With those after it: signal check and baseline. */
export const ALL_STEPS = STEPS.length + 2;
