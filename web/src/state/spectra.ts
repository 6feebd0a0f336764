import { api, ApiError, dataOf, type Spectrum, type SpectrumBand } from '../api/client';

/** The healthy band of a point's spectra; null while too few were measured. */
export async function healthyBand(
  machineId: string,
  point: string,
  kind: Spectrum['kind'] = 'spectrum',
): Promise<SpectrumBand | null> {
  try {
    return await dataOf(
      api.GET('/api/v1/machines/{machine_id}/points/{point}/spectra/band', {
        params: { path: { machine_id: machineId, point }, query: { kind } },
      }),
    );
  } catch (error) {
    if (error instanceof ApiError && error.notFound) return null;
    throw error;
  }
}
