import { api, dataOf, type MachineDetail } from '../api/client';
import { resource, type Resource } from './resource.svelte';

/** A machine with its points; undefined while its id is not known. */
export const machineOf = (id: () => string | undefined): Resource<MachineDetail | undefined> =>
  resource<MachineDetail | undefined>(
    async () => {
      const machine_id = id();
      return machine_id === undefined
        ? undefined
        : dataOf(api.GET('/api/v1/machines/{machine_id}', { params: { path: { machine_id } } }));
    },
    // a closed case has no news of its own, and shows the check of its repair
    {
      machine: (known, changed) =>
        known?.id === changed.id ? ({ ...known, ...changed } as MachineDetail) : known,
    },
  );
