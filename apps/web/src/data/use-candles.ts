import type { Candle, Operations } from '@dexfeed/client'
import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { api } from './api.ts'
import { type Resource, useResource } from './use-resource.ts'

const CANDLES = 300
const REFRESH_MS = 10_000
/** An older page may be empty, where a pool was not traded in. */
const MAX_PAGES = 5

const NONE: readonly Candle[] = []

type Selection = Omit<Operations['listCandles']['parameters'], 'limit' | 'order' | 'cursor' | 'from' | 'to'>

interface Older {
  /** What the candles belong to. */
  key: string
  candles: readonly Candle[]
  isComplete: boolean
}

interface Candles {
  state: Signal<Resource<{ data: readonly Candle[]; next: string | null }>>
  reload: () => void
  /** Newest first. They may overlap with the candles of `state`. */
  older: readonly Candle[]
  readOlder: () => void
}

/** Reads the newest candles, and again after each interval; older ones when they are asked for. */
export function useCandles(selection: Selection): Candles {
  const key = JSON.stringify(selection)
  const { state, reload } = useResource(
    `candles ${key}`,
    (signal) => api.call('listCandles', { ...selection, limit: CANDLES }, { signal }),
    { refreshMs: REFRESH_MS },
  )
  const kept = useSignal<Older>({ key, candles: NONE, isComplete: false })
  const isReading = useRef(false)
  const ended = useRef(new AbortController())
  useEffect(() => {
    ended.current = new AbortController()
    return () => ended.current.abort()
  }, [key])
  const newest = state.value.data
  // On a page that stays open, the newest candles move on, until a gap is between them and the older ones.
  const isJoined = (kept.value.candles[0]?.time ?? '') >= (newest?.data.at(-1)?.time ?? '')
  const older = kept.value.key === key && isJoined ? kept.value : { key, candles: NONE, isComplete: false }
  const readOlder = async () => {
    const oldest = older.candles.at(-1) ?? newest?.data.at(-1)
    const isComplete = older.isComplete || (older.candles.length === 0 && newest?.next === null)
    if (isReading.current || isComplete || oldest === undefined) return
    isReading.current = true
    try {
      // Together with the newest candles of now, so that none is missing when the newest page has moved on.
      const candles = [...(older.candles.length > 0 ? older.candles : (newest?.data ?? []))]
      let left = MAX_PAGES
      let isLast = true
      const before = { ...selection, to: oldest.time, limit: CANDLES }
      for await (const { data, next } of api.pages('listCandles', before, { signal: ended.current.signal })) {
        candles.push(...data)
        left--
        isLast = next === null
        if (data.length > 0 || left === 0) break
      }
      kept.value = { key, candles, isComplete: isLast || left === 0 }
    } catch {
      // The next move of the chart tries again.
    } finally {
      isReading.current = false
    }
  }
  return { state, reload, older: older.candles, readOlder: () => void readOlder() }
}
