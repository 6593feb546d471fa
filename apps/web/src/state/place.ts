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

/** With `replace`, adds no step to the history. */
function go(href: string, { replace = false } = {}): void {
  if (href === location.pathname + location.search) return
  history[replace ? 'replaceState' : 'pushState'](null, '', href)
  current.value = read()
}

/** Sets parameters in the address bar; null or an empty string removes one. Adds no step to the history. */
export function setQuery(values: Readonly<Record<string, string | null>>): void {
  const next = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === '') next.delete(name)
    else next.set(name, value)
  }
  const text = next.toString()
  go(location.pathname + (text === '' ? '' : `?${text}`), { replace: true })
}

/** Handles the browser's back and forward buttons, and links for which `isOwn` returns true. */
export function followLinks(isOwn: (path: string) => boolean): void {
  addEventListener('popstate', () => {
    current.value = read()
  })
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    if (link === null || !isPlain || event.defaultPrevented || link.target !== '') return
    if (link.origin !== location.origin || link.hash !== '' || !isOwn(link.pathname)) return
    event.preventDefault()
    go(link.pathname + link.search)
  })
}
