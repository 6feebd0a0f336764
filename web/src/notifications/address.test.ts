import { expect, it } from 'vitest';
import { addressOf, newFields } from './address';

it('makes the address of each kind of way from its own fields', () => {
  const mail = {
    ...newFields(),
    server: 'mail.plant',
    from: 'auscult@plant',
    to: 'a@plant, b@plant',
  };
  expect(addressOf('email', { ...mail, secure: false, port: '25' })).toBe(
    'mailto://mail.plant:25?from=auscult%40plant&to=a%40plant,b%40plant',
  );
  expect(addressOf('email', { ...mail, user: 'eva', password: 'a/b' })).toBe(
    'mailtos://eva:a%2Fb@mail.plant?from=auscult%40plant&to=a%40plant,b%40plant',
  );
  const sms = { ...newFields(), server: 'sms.plant', password: 'token', to: '+491701 +491702' };
  expect(addressOf('sms', sms)).toBe('smseagles://token@sms.plant/%2B491701/%2B491702');
  const url = 'https://hooks.slack.com/services/T/B/C';
  expect(addressOf('slack', { ...newFields(), url })).toBe(url);
  expect(addressOf('webhook', { ...newFields(), url: 'https://mes.plant/hook' })).toBe(
    'jsons://mes.plant/hook',
  );
});

it('keeps a stored address where nothing is filled in', () => {
  expect(addressOf('email', newFields())).toBe('');
  expect(addressOf('other', newFields())).toBe('');
});
