/** Groups of ISO 20816-3 and classes of ISO 10816-1, as a machine's settings name them. */
export const ISO_CLASSES = ['group1', 'group2', 'I', 'II', 'III', 'IV'] as const;
/** Foundations by ISO 20816-3. */
export const SUPPORTS = ['rigid', 'flexible'] as const;
