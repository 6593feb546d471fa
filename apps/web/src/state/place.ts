import { computed, signal } from '@preact/signals'

interface Place {
  path: string
  query: string
}

export type PathParts = Readonly<Record<string, string>>

const read = (): Place => ({ path: location.pathname, query: location.search })

const current = signal(read())
export const path = computed(() => current.value.path)
export const query = computed(() => new URLSearchParams(current.value.query))

/** Where the user left the step of the history that is shown; 0 for a new step. */
let leftAt = 0

/** With `replace`, adds no step to the history. */
export function go(href: string, { replace = false } = {}): void {
  if (href === location.pathname + location.search) return
  if (replace) history.replaceState(history.state, '', href)
  else {
    keepScroll()
    history.pushState(null, '', href)
    leftAt = 0
  }
  current.value = read()
}

function keepScroll(): void {
  history.replaceState({ scroll: scrollY }, '')
}

const SCROLL_PATIENCE_MS = 3_000

/** Scrolls to where the user left this step of the history, once its content is tall enough; else to its anchor or top. */
export function restoreScroll(): void {
  const top = leftAt
  if (top === 0 && location.hash !== '') {
    document.getElementById(location.hash.slice(1))?.scrollIntoView()
    return
  }
  scrollTo(0, top)
  if (scrollY >= top) return
  const ended = new AbortController()
  const observer = new ResizeObserver(() => {
    scrollTo(0, top)
    if (scrollY >= top) ended.abort()
  })
  ended.signal.addEventListener('abort', () => observer.disconnect())
  for (const moved of ['wheel', 'touchstart', 'keydown', 'popstate', 'click']) {
    addEventListener(moved, () => ended.abort(), { signal: ended.signal, passive: true })
  }
  setTimeout(() => ended.abort(), SCROLL_PATIENCE_MS)
  observer.observe(document.body)
}

/** Sets parameters in the address bar; null removes one. Adds no step to the history. */
export function setQuery(values: Readonly<Record<string, string | null>>): void {
  const next = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(values)) {
    if (value === null) next.delete(name)
    else next.set(name, value)
  }
  const text = next.toString()
  go(location.pathname + (text === '' ? '' : `?${text}`), { replace: true })
}

/** Handles the browser's back and forward buttons, and links for which `isOwn` returns true. */
export function followLinks(isOwn: (path: string) => boolean): void {
  history.scrollRestoration = 'manual'
  leftAt = scrollOf(history.state)
  addEventListener('pagehide', keepScroll)
  addEventListener('popstate', ({ state }) => {
    const before = path.peek()
    leftAt = scrollOf(state)
    current.value = read()
    // A page that stays draws nothing to wait for.
    if (path.peek() === before) setTimeout(restoreScroll)
  })
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    if (link === null || !isPlain || event.defaultPrevented || link.target !== '') return
    if (link.origin !== location.origin || !isOwn(link.pathname)) return
    if (link.hash !== '') {
      if (link.pathname + link.search === location.pathname + location.search) keepScroll()
      return
    }
    event.preventDefault()
    go(link.pathname + link.search)
  })
}

function scrollOf(state: unknown): number {
  const scroll = typeof state === 'object' && state !== null && 'scroll' in state ? state.scroll : null
  return typeof scroll === 'number' ? scroll : 0
}
