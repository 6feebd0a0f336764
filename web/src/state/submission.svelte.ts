import { problemText } from '../i18n/phrases.svelte';

/** Something that a form does: once at a time, with what went wrong in words. */
export class Submission {
  busy = $state(false);
  failure = $state<string | null>(null);

  /** Does it unless it is being done; true if it went well. */
  async run(work: () => Promise<unknown>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    this.failure = null;
    try {
      await work();
      return true;
    } catch (error) {
      this.failure = problemText(error);
      return false;
    } finally {
      this.busy = false;
    }
  }
}
