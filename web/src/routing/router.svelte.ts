import { matchRoute, type Route } from './match';

/** The address bar as state: a component that reads `router.route` follows every navigation. */
class Router {
  #pathname = $state(location.pathname);
  #search = $state(location.search);

  readonly route: Route = $derived(matchRoute(this.#pathname));
  readonly query: URLSearchParams = $derived(new URLSearchParams(this.#search));
  readonly pathname: string = $derived(this.#pathname);

  #toFocus = false;

  /** Goes to an address; the page's heading takes the focus, as after a real page load. */
  go(href: string): void {
    history.pushState(null, '', href);
    this.#read();
    scrollTo(0, 0);
    this.#toFocus = true;
    this.focus();
  }

  /** Focuses the heading of the page that one went to, once it is there: a page may load first. */
  readonly focus = (): void => {
    requestAnimationFrame(() => {
      const heading = this.#toFocus && document.querySelector<HTMLElement>('h1');
      if (!heading) return;
      this.#toFocus = false;
      heading.focus();
    });
  };

  /**
   * Changes the query: the view of a page is part of its address. With `push`, the back button leads
   * to the query before.
   */
  setQuery(changes: Record<string, string | null>, push = false): void {
    const query = new URLSearchParams(this.#search);
    for (const [key, value] of Object.entries(changes)) {
      if (value === null) query.delete(key);
      else query.set(key, value);
    }
    const search = query.toString();
    const href = search ? `?${search}` : this.#pathname;
    if (push) history.pushState(null, '', href);
    else history.replaceState(null, '', href);
    this.#read();
  }

  /** Listens for the back button and for clicks on links within the site. */
  start(): () => void {
    const onPop = () => {
      this.#read();
    };
    const onClick = (click: MouseEvent) => {
      const href = ownLink(click);
      if (href === null) return;
      click.preventDefault();
      this.go(href);
    };
    addEventListener('popstate', onPop);
    document.addEventListener('click', onClick);
    return () => {
      removeEventListener('popstate', onPop);
      document.removeEventListener('click', onClick);
    };
  }

  #read(): void {
    this.#pathname = location.pathname;
    this.#search = location.search;
  }
}

/** The address of a plainly clicked link within the site; null = the browser handles the click. */
function ownLink(click: MouseEvent): string | null {
  if (click.defaultPrevented || click.button !== 0) return null;
  if (click.metaKey || click.ctrlKey || click.shiftKey || click.altKey) return null;
  const link = (click.target as Element | null)?.closest('a');
  if (!link || link.target || link.hasAttribute('download')) return null;
  const url = new URL(link.href, location.href);
  if (url.origin !== location.origin || url.pathname.startsWith('/api/')) return null;
  if (url.pathname === location.pathname && url.hash) return null;
  return url.pathname + url.search;
}

export const router = new Router();
