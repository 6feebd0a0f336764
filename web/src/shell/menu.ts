import type { Attachment } from 'svelte/attachments';

/** Closes an open `<details>` at a touch elsewhere and at Escape, which returns the focus. */
export const menu: Attachment<HTMLDetailsElement> = (details) => {
  const onClick = (event: Event) => {
    if (!details.contains(event.target as Node)) details.open = false;
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !details.open) return;
    details.open = false;
    details.querySelector('summary')?.focus();
  };
  document.addEventListener('click', onClick);
  document.addEventListener('keydown', onKey);
  return () => {
    document.removeEventListener('click', onClick);
    document.removeEventListener('keydown', onKey);
  };
};
