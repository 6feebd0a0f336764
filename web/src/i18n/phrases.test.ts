import { expect, it } from 'vitest';
import { phrasesDe } from './topics/phrases.de';
import { sentenceDe } from './topics/sentences.de';

it('says symptoms and standards in German', () => {
  expect(phrasesDe.symptom('2× rose')).toBe('Anstieg bei 2× Drehfrequenz');
  expect(phrasesDe.symptom('BPFO sidebands rose')).toBe('Anstieg der BPFO-Seitenbänder');
  expect(phrasesDe.symptom('BPFO 3×')).toBe('BPFO 3×');
  expect(phrasesDe.standard('ISO 20816-3 group 2, rigid')).toBe('ISO 20816-3 Gruppe 2, starr');
});

it('says known sentences in German, part by part, and keeps the others', () => {
  expect(
    sentenceDe(
      '2 of 3 labelled false alarms are silent, 1 of 1 confirmed faults still alarm; ' +
        'runs in the shadow of the active heads first',
    ),
  ).toBe(
    '2 von 3 gemeldeten Fehlalarmen sind still, 1 von 1 bestätigten Fehlern alarmieren weiter; ' +
      'läuft zunächst auf Probe',
  );
  expect(sentenceDe('false alarms on healthy windows would rise from 0.5% to 1.2%')).toBe(
    'Fehlalarme auf gesunden Fenstern stiegen von 0,5\u202f% auf 1,2\u202f%',
  );
  expect(sentenceDe('this needs the role engineer; Eva is viewer')).toBe(
    'dafür braucht es die Rolle Ingenieur; Eva ist Betrachter',
  );
  expect(sentenceDe("limit on 'rms': warning 7.1 must be reached before alarm 4.5")).toBe(
    'Grenze auf rms: Die Warnung bei 7,1 muss vor dem Alarm bei 4,5 erreicht werden',
  );
  expect(
    sentenceDe(
      'delta of motor at demo/gateway1 (b06d94d7): 1 of 2 labelled false alarms are silent, ' +
        '0 of 0 confirmed faults still alarm; replaces the answer of Eva',
    ),
  ).toBe(
    'Delta von motor an Gerät demo/gateway1 (b06d94d7): 1 von 2 gemeldeten Fehlalarmen sind still, ' +
      '0 von 0 bestätigten Fehlern alarmieren weiter; ersetzt die Antwort von Eva',
  );
  expect(
    sentenceDe('the delta is not applied: 1250 bytes that are no delta of this version: choose a'),
  ).toContain('1250 Byte, die kein Delta dieser Version sind');
  expect(sentenceDe('something new')).toBe('something new');
});
