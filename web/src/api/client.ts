import createClient from 'openapi-fetch';
import type { Said } from '../i18n/words';
import type { paths, Problem, Spectrum as SpectrumSchema } from './schema';

/** Types of the API under their own names; generated from the server's OpenAPI document. */
export type * from './schema';
/** As openapi-fetch returns it: the pair `band_hz` becomes a list. */
export type Spectrum = Omit<SpectrumSchema, 'band_hz'> & { band_hz: number[] | null };

/** An error response with a text to show; status 0 = no response. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** What the message says, to be put in the page's language. */
    readonly said?: Said,
  ) {
    super(message);
    this.name = 'ApiError';
  }

  get notFound(): boolean {
    return this.status === 404;
  }
}

/** The API of the page's own server; the page sends no request elsewhere. */
export const api = createClient<paths>({ baseUrl: location.origin });

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/**
 * The data of a response.
 *
 * @throws ApiError with the server's explanation (RFC 9457), or its status.
 */
export async function dataOf<T>(answer: Promise<Answer<T>>): Promise<T> {
  const settled = await reached(answer);
  if (settled.data !== undefined) return settled.data;
  throw problemOf(settled);
}

/** Waits for a response without data; throws as `dataOf`. */
export async function done(answer: Promise<Answer<unknown>>): Promise<void> {
  const settled = await reached(answer);
  if (!settled.response.ok) throw problemOf(settled);
}

async function reached<T>(answer: Promise<Answer<T>>): Promise<Answer<T>> {
  try {
    return await answer;
  } catch (cause) {
    throw new ApiError(0, cause instanceof Error ? cause.message : String(cause));
  }
}

/** The problem that the server answered with (RFC 9457), or its status. */
export function problemOf({ error, response }: Answer<unknown>): ApiError {
  const { detail, code, values } = (error ?? {}) as Partial<Problem>;
  const text = detail ?? `${String(response.status)} ${response.statusText}`.trim();
  return new ApiError(response.status, text, code ? { code, values } : undefined);
}
