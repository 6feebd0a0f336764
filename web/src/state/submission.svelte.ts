import { problemText } from '../i18n/phrases.svelte';

/** The request of a form: one at a time, with the text of a failure. */
export class Submission {
  busy = $state(false);
  failure = $state<string | null>(null);

  /** Runs `work` unless it is running; true on success. */
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
