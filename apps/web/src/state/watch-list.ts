import { signal } from '@preact/signals'
import { type NetworkName, networkOf } from '../format/networks.ts'

export interface Watched {
  kind: 'token' | 'pool'
  network: NetworkName
  address: string
}

const KEY = 'watched'
const MAX_WATCHED = 50

/** What the user watches, newest first. It is kept in this browser only. */
export const watched = signal<readonly Watched[]>(readWatched())

/** Follows changes that the user makes in another window. */
export function startWatchList(): void {
  addEventListener('storage', ({ key }) => {
    if (key === KEY) watched.value = readWatched()
  })
}

export function isWatched(item: Watched): boolean {
  return watched.value.some((other) => isSame(other, item))
}

export function toggleWatched(item: Watched): void {
  const others = watched.value.filter((other) => !isSame(other, item))
  watched.value = isWatched(item) ? others : [item, ...others].slice(0, MAX_WATCHED)
  try {
    localStorage.setItem(KEY, JSON.stringify(watched.value))
  } catch {
    // Without storage, the list lasts until the page is closed.
  }
}

function isSame(one: Watched, other: Watched): boolean {
  return one.kind === other.kind && one.network === other.network && one.address === other.address
}

function readWatched(): Watched[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isItem).slice(0, MAX_WATCHED) : []
  } catch {
    return []
  }
}

/** An older or newer version of the page may have stored something else. */
function isItem(item: Partial<Watched> | null): item is Watched {
  return (
    (item?.kind === 'token' || item?.kind === 'pool') &&
    networkOf(item.network) !== null &&
    typeof item.address === 'string'
  )
}
