import { validityText } from '../i18n/topics/validity';

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const isField = (target: unknown): target is Field =>
  target instanceof HTMLInputElement ||
  target instanceof HTMLSelectElement ||
  target instanceof HTMLTextAreaElement;

/** Unfolds what a field is in, so that it can be seen and take the focus. */
export function reveal(field: Element): void {
  const folded = field.closest('details');
  if (folded) folded.open = true;
}

/** Says in the page's language why a form does not accept a field: browsers use their own. */
export function sayValidity(): void {
  addEventListener(
    'invalid',
    ({ target }) => {
      if (!isField(target)) return;
      reveal(target);
      target.setCustomValidity('');
      if (!target.validity.valid) target.setCustomValidity(textOf(target));
    },
    true,
  );
  addEventListener('input', ({ target }) => isField(target) && target.setCustomValidity(''), true);
  // the page, too, changes fields: a form that is sent is checked without what was said before
  addEventListener(
    'click',
    ({ target }) => {
      const button = target instanceof Element ? target.closest('button') : null;
      for (const field of button?.form?.elements ?? [])
        if (isField(field)) field.setCustomValidity('');
    },
    true,
  );
}

function textOf(field: Field): string {
  const words = validityText();
  const { validity, type } = field;
  const of = (name: string) => field.getAttribute(name) ?? '';
  if (validity.badInput) return words.number;
  if (validity.valueMissing)
    return /checkbox|radio|select/.test(type) ? words.unchosen : words.missing;
  if (validity.typeMismatch) return type === 'email' ? words.email : words.url;
  if (validity.patternMismatch) return words.pattern(field.title);
  if (validity.rangeUnderflow) return words.least(of('min'));
  if (validity.rangeOverflow) return words.most(of('max'));
  if (validity.stepMismatch) return words.step(of('step') || '1');
  if (validity.tooShort) return words.short(Number(of('minlength')));
  if (validity.tooLong) return words.long(Number(of('maxlength')));
  return field.validationMessage;
}
