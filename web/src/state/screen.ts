/** Whether the screen is a phone's, as the styles have it; what is drawn once asks for it. */
export const narrow = (): boolean => matchMedia('(max-width: 719px)').matches;
