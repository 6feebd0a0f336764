import { expect, it } from 'vitest';
import openapi from '../../openapi.json?raw';
import { LabelRequest, PointSettings } from './limits';

it('holds the limits of the API', () => {
  const { schemas } = (
    JSON.parse(openapi) as {
      components: {
        schemas: Record<string, { properties: Record<string, { maxLength: number }> }>;
      };
    }
  ).components;
  expect(LabelRequest.actor.maxlength).toBe(
    schemas['LabelRequest']?.properties['actor']?.maxLength,
  );
  expect(PointSettings.fs_hz).toEqual({ min: 0, max: 200_000 });
});

it('is the one place of the page that names them', () => {
  const files = import.meta.glob<string>('../**/*.svelte', {
    query: '?raw',
    import: 'default',
    eager: true,
  });
  const typed = Object.entries(files).filter(([, text]) => /\b(max|min)length="?\{?\d/.test(text));
  expect(typed.map(([file]) => file)).toEqual([]);
});
