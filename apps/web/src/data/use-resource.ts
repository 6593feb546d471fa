import { DexfeedError } from '@dexfeed/client'
import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** A read from the API. After a failure, the last data stays next to the error. */
export interface Resource<T> {
  data: T | null
  error: DexfeedError | null
  loading: boolean
  /** When the data arrived, in milliseconds; null without data. */
  at: number | null
}

interface ResourceOptions {
  refreshMs?: number
  /** Shows the data of the previous key until the new data arrives. */
  keepPrevious?: boolean
}

const UNREAD: Resource<never> = { data: null, error: null, loading: true, at: null }

/** The last results by key, oldest first, so that a page that is opened again shows at once what it showed before. */
const kept = new Map<string, { data: unknown; at: number }>()
const MAX_KEPT = 40
const KEPT_MS = 60_000

function keep(key: string, data: unknown, at: number): void {
  kept.delete(key)
  kept.set(key, { data, at })
  for (const oldest of kept.keys()) {
    if (kept.size <= MAX_KEPT) return
    kept.delete(oldest)
  }
}

function keptOf<T>(key: string): Resource<T> | null {
  const found = kept.get(key)
  if (found === undefined || Date.now() - found.at > KEPT_MS) return null
  return { data: found.data as T, error: null, loading: true, at: found.at }
}

/**
 * Reads from the API, and again after each interval. A new key cancels the previous read; null reads nothing.
 *
 * @param key must change whenever the result of `load` would, and be of no other resource
 */
export function useResource<T>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<T>,
  { refreshMs, keepPrevious = false }: ResourceOptions = {},
): { state: Signal<Resource<T>>; reload: () => void } {
  const state = useSignal<Resource<T>>(UNREAD)
  const round = useSignal(0)
  const turn = round.value
  useEffect(() => {
    if (key === null) {
      state.value = { ...UNREAD, loading: false }
      return
    }
    const ended = new AbortController()
    const before = keepPrevious || turn > 0 ? { ...state.peek(), loading: true } : UNREAD
    state.value = (turn === 0 ? keptOf<T>(key) : null) ?? before
    void keepRead({ state, key, load, refreshMs: refreshMs ?? null, signal: ended.signal })
    return () => ended.abort()
  }, [key, turn])
  return { state, reload: () => void round.value++ }
}

interface Reading<T> {
  state: Signal<Resource<T>>
  key: string
  load: (signal: AbortSignal) => Promise<T>
  refreshMs: number | null
  signal: AbortSignal
}

async function keepRead<T>({ state, key, load, refreshMs, signal }: Reading<T>): Promise<void> {
  while (!signal.aborted) {
    let result: Partial<Resource<T>>
    try {
      const data = await load(signal)
      if (signal.aborted) return
      result = { data, error: null, at: Date.now() }
      keep(key, data, Date.now())
    } catch (error) {
      result = { error: failureOf(error) }
    }
    if (signal.aborted) return
    state.value = { ...state.peek(), ...result, loading: false }
    if (refreshMs === null) return
    await visiblePause(refreshMs, signal)
    if (!signal.aborted) state.value = { ...state.peek(), loading: true }
  }
}

function failureOf(error: unknown): DexfeedError {
  return error instanceof DexfeedError ? error : new DexfeedError('the page has failed', { status: null, cause: error })
}

/** Waits for this time, and then until the page is visible. Ends early if the signal aborts. */
export function visiblePause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', check)
      signal.removeEventListener('abort', end)
      resolve()
    }
    let due = false
    const check = () => {
      if (due && !document.hidden) end()
    }
    const timer = setTimeout(() => {
      due = true
      check()
    }, ms)
    document.addEventListener('visibilitychange', check)
    signal.addEventListener('abort', end)
  })
}
