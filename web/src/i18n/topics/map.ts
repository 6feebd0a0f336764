import { ofLanguage } from '../i18n.svelte';

/** The plant's map. */
const en = {
  label: 'Map of the plant',
  arrange: 'Arrange',
  done: 'Done',
  hint: 'Drag a machine to its place, or choose it and press the arrow keys (with Shift: small steps). Delete takes it off the map.',
  picture: 'Set picture',
  pictureHint:
    'A plan or a photo of the plant: JPEG, PNG or WebP. It becomes at most 1,600 px wide.',
  noPicture: 'Remove picture',
  unplaced: 'Not on the map',
  place: 'Place',
  at: (name: string, x: string, y: string) => `${name}: ${x} from the left, ${y} from the top`,
  off: (name: string) => `${name} is off the map`,
};

const de: typeof en = {
  label: 'Plan der Anlage',
  arrange: 'Anordnen',
  done: 'Fertig',
  hint: 'Eine Maschine an ihren Ort ziehen, oder sie wählen und die Pfeiltasten drücken (mit Umschalt: kleine Schritte). Entf nimmt sie vom Plan.',
  picture: 'Bild setzen',
  pictureHint:
    'Ein Plan oder ein Foto der Anlage: JPEG, PNG oder WebP. Es wird höchstens 1600 px breit.',
  noPicture: 'Bild entfernen',
  unplaced: 'Nicht auf dem Plan',
  place: 'Auf den Plan',
  at: (name, x, y) => `${name}: ${x} von links, ${y} von oben`,
  off: (name) => `${name} ist nicht mehr auf dem Plan`,
};

export const mapText = ofLanguage({ en, de });
