import { featureName } from '../i18n/features';
import type { Words } from '../i18n/words';
import maps from './register-maps.json';
import type { Source } from './sources';

/** Sources of overall values beside MQTT. A machine has at most one of each kind in the page. */
export const MODBUS = 'modbus';
export const OPCUA = 'opcua';
export const HTTP = 'http';
export const CONNECTED = [MODBUS, OPCUA, HTTP] as const;
export type Connected = (typeof CONNECTED)[number];
export const isConnected = (kind: unknown): kind is Connected =>
  CONNECTED.some((one) => one === kind);

/** Settings that a source has beside its machine and its values. */
export type Connection = Record<string, unknown>;
export type Connections = Record<Connected, Connection>;

export const newConnections = (): Connections => ({
  modbus: { host: '', port: 502, unit_id: 1, register_map: '' },
  opcua: { url: 'opc.tcp://', user: '' },
  http: { host: '0.0.0.0', port: 8430, token_sha256: '' },
});

export interface Register {
  name: string;
  quantity: string;
  unit: string;
}

export interface RegisterMap {
  title: string;
  unit_id: number;
  baud_rate: number;
  parity: string;
  registers: Register[];
}
/** A register in words: its quantity, the axis or phase that its name begins or ends with, its unit. */
export function registerName({ name, quantity, unit }: Register, words: Words): string {
  const [, axis, phase] = /^(?:([xyz])_)?.*?(?:_(\d))?$/.exec(name) ?? [];
  const place = axis?.toUpperCase() ?? (phase ? `L${phase}` : '');
  const named = featureName(quantity === 'other' ? name : quantity, '', words);
  return [named, place, unit === '1' ? '' : unit].filter(Boolean).join(' · ');
}

/** Register maps that the gateway ships, by name. */
export const REGISTER_MAPS: Readonly<Record<string, RegisterMap>> = maps;

/** Keys of a source that a connection does not hold. */
const OWN = ['type', 'machine', 'values'];
const ADDRESS = { modbus: 'register_name', opcua: 'node', http: '' } as const;

interface ValuePoint {
  id: string;
  path: string;
  more: Record<string, unknown>;
}

/** Empty texts of a connection stand for their defaults. */
const given = (connection: Connection): Connection =>
  Object.fromEntries(
    Object.entries(connection)
      .map(([key, value]) => [key, typeof value === 'string' ? value.trim() : value] as const)
      .filter(([, value]) => value !== '' && value !== null && value !== undefined),
  );

/** The source of the points that it delivers. */
export function connectedSource(
  kind: Connected,
  machine: string,
  connection: Connection,
  points: readonly ValuePoint[],
): Source {
  const key = ADDRESS[kind];
  const values = points.map(({ id, path, more }) => ({
    ...more,
    point: id.trim(),
    ...(key && path.trim() ? { [key]: path.trim() } : {}),
  }));
  return { ...given(connection), type: kind, machine, values };
}

/** The settings of a machine's sources of these kinds; the usual ones where it has none. */
export function connectionsOf(sources: readonly Source[]): Connections {
  const made = newConnections();
  for (const kind of CONNECTED) {
    const source = sources.find((one) => one['type'] === kind);
    if (source) {
      const own = Object.entries(source).filter(([key]) => !OWN.includes(key));
      made[kind] = { ...made[kind], ...Object.fromEntries(own) };
    }
  }
  return made;
}

/** Address and other settings of a point in such a source; null if it is not one of its points. */
export function connectedPoint(kind: Connected, source: Source | undefined, point: string) {
  const values = (source?.['values'] as Record<string, unknown>[] | undefined) ?? [];
  const found = values.find((one) => one['point'] === point);
  if (!found) return null;
  const { [ADDRESS[kind]]: address, ...more } = found;
  delete more['point'];
  return { path: typeof address === 'string' ? address : '', more };
}

/** A new token of the HTTP source, and its hash; null where the browser makes none. */
export async function newToken(): Promise<{ token: string; sha256: string } | null> {
  // Browsers hash only on pages over HTTPS or of this computer.
  if (!globalThis.isSecureContext) return null;
  const token = hex(crypto.getRandomValues(new Uint8Array(32)));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return { token, sha256: hex(new Uint8Array(digest)) };
}

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (one) => one.toString(16).padStart(2, '0')).join('');
