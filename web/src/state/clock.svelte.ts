import { untrack } from 'svelte';

const TICK_MS = 1000;

/** The server's time: ages must be right on a tablet with a wrong clock. */
class Clock {
  #own = $state(Date.now());
  #ahead = $state(0);

  /** Now by the server's clock, UTC milliseconds; changes each second. */
  get now(): number {
    return this.#own + this.#ahead;
  }

  /** The same without reactivity. */
  peek(): number {
    return Date.now() + untrack(() => this.#ahead);
  }

  /** Sets the offset between the server's clock and the device's. */
  setServerTime(serverNow: number): void {
    this.#own = Date.now();
    this.#ahead = serverNow - this.#own;
  }

  start(): () => void {
    const timer = setInterval(() => {
      if (!document.hidden) this.#own = Date.now();
    }, TICK_MS);
    const onShow = () => {
      this.#own = Date.now();
    };
    document.addEventListener('visibilitychange', onShow);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', onShow);
    };
  }
}

export const clock = new Clock();
