/** Fields of a way to reach people, by its kind; the address that the dashboard's sender reads. */
export const KINDS = ['email', 'teams', 'slack', 'sms', 'webhook', 'other'] as const;
export type Kind = (typeof KINDS)[number];

export interface Fields {
  server: string;
  port: string;
  secure: boolean;
  from: string;
  to: string;
  user: string;
  password: string;
  url: string;
}

export const newFields = (): Fields => ({
  server: '',
  port: '',
  secure: true,
  from: '',
  to: '',
  user: '',
  password: '',
  url: '',
});

const escaped = encodeURIComponent;
const several = (text: string) => text.split(/[\s,;]+/).filter(Boolean);

/** The address of a way; empty where it has none, so that a stored one stays. */
export function addressOf(kind: Kind, fields: Fields): string {
  const { server, port, secure, from, to, user, password } = fields;
  const url = fields.url.trim();
  const host = server.trim() + (port.trim() && `:${port.trim()}`);
  switch (kind) {
    case 'email': {
      if (!host) return '';
      const who = user.trim() && `${escaped(user.trim())}:${escaped(password)}@`;
      const receivers = several(to).map(escaped).join(',');
      return `mailto${secure ? 's' : ''}://${who}${host}?from=${escaped(from.trim())}&to=${receivers}`;
    }
    case 'sms':
      if (!host) return '';
      return `smseagle${secure ? 's' : ''}://${escaped(password)}@${host}/${several(to).map(escaped).join('/')}`;
    case 'webhook':
      return url.replace(/^http/i, 'json');
    default:
      return url;
  }
}
