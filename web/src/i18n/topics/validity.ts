import { ofLanguage } from '../i18n.svelte';

/** What is wrong with a field that a form does not accept. */
const en = {
  missing: 'Please fill in this field.',
  unchosen: 'Please choose.',
  email: 'Please enter an e-mail address, such as name@plant.example.',
  url: 'Please enter an address that begins with https:// or http://.',
  pattern: (hint: string) => hint || 'This field does not accept these characters.',
  least: (min: string) => `Please enter at least ${min}.`,
  most: (max: string) => `Please enter at most ${max}.`,
  step: (step: string) => `Please enter a multiple of ${step}.`,
  number: 'Please enter a number.',
  short: (min: number) => `Please enter at least ${min} characters.`,
  long: (max: number) => `Please enter at most ${max} characters.`,
};

const de: typeof en = {
  missing: 'Bitte dieses Feld ausfüllen.',
  unchosen: 'Bitte auswählen.',
  email: 'Bitte eine E-Mail-Adresse eingeben, zum Beispiel name@werk.example.',
  url: 'Bitte eine Adresse eingeben, die mit https:// oder http:// beginnt.',
  pattern: (hint) => hint || 'Dieses Feld nimmt diese Zeichen nicht an.',
  least: (min) => `Bitte mindestens ${min} eingeben.`,
  most: (max) => `Bitte höchstens ${max} eingeben.`,
  step: (step) => `Bitte ein Vielfaches von ${step} eingeben.`,
  number: 'Bitte eine Zahl eingeben.',
  short: (min) => `Bitte mindestens ${min} Zeichen eingeben.`,
  long: (max) => `Bitte höchstens ${max} Zeichen eingeben.`,
};

export const validityText = ofLanguage({ en, de });
