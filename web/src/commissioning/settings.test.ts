import { expect, it, vi } from 'vitest';
import * as schemas from '../api/settings';
import { fieldOf } from '../forms/schema';
import { fieldsDe, fieldsEn } from '../i18n/topics/commissioning-fields';
import { limitsText } from '../i18n/topics/limits';

vi.mock('../i18n/i18n.svelte', () => ({
  ofLanguage:
    ({ en }: { en: unknown }) =>
    () =>
      en,
}));

const { MachineSettings } = schemas;
const properties = Object.entries(MachineSettings.properties);

it.each([
  ['en', fieldsEn],
  ['de', fieldsDe],
])('has words for each setting of a machine that the form shows, in %s', (_, { fields }) => {
  const words: Record<string, string> = fields;
  const shown = properties.map(([name]) => fieldOf(MachineSettings, name));
  expect(shown.filter(({ control }) => control).length).toBeGreaterThan(12);
  for (const { name, control, group, choices } of shown) {
    if (!control) continue;
    expect(words, name).toHaveProperty([name]);
    if (group) expect(words).toHaveProperty([`group.${group}`]);
    for (const choice of choices) {
      const known =
        choice in words || (name === 'iso_class' && choice in limitsText().zones.classes);
      expect(known, `${name}.${String(choice)}`).toBe(true);
    }
  }
});

it('shows the settings of the running state, which a template gives to other machines', () => {
  for (const name of ['running_from_signal', 'start_s', 'baseline_windows']) {
    expect(fieldOf(MachineSettings, name)).toMatchObject({ group: 'baseline', widget: '' });
  }
  expect(fieldOf(MachineSettings, 'start_s')).toMatchObject({ control: 'number', unit: 's' });
  expect(fieldOf(MachineSettings, 'baseline_windows')).toMatchObject({
    control: 'integer',
    nullable: true,
    required: false,
  });
});
