import { createClient, type StreamSwap, type Streams } from '@dexfeed/client'
import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { api } from './api.ts'
import { visiblePause } from './use-resource.ts'

type Filter = Streams['stream']['parameters']
type Event = Streams['stream']['event']

export interface LiveTrade {
  key: string
  swap: StreamSwap
  /** Whether a reorg removed the trade's block. */
  removed: boolean
}

export interface LiveTrades {
  /** Newest first. */
  trades: readonly LiveTrade[]
  /** `waiting` means disconnected, with a retry to come. */
  status: 'connecting' | 'live' | 'waiting'
  reason: string | null
}

/** Retry forever, because the page stays open while an API restarts. */
const RETRY_MS = 2_000
/** A page of a filter that few trades match may be short, or even empty. */
const MAX_PAGES = 5

const patient = createClient({ baseUrl: location.origin, attempts: 2, maxPauseMs: 10_000 })

export function useLiveTrades(filter: Filter, limit: number): Signal<LiveTrades> {
  const state = useSignal<LiveTrades>({ trades: [], status: 'connecting', reason: null })
  const key = JSON.stringify(filter)
  const shown = useRef(key)
  useEffect(() => {
    const ended = new AbortController()
    // More trades of the same filter appear below those that are shown.
    const trades = shown.current === key ? state.peek().trades : []
    shown.current = key
    state.value = { trades, status: 'connecting', reason: null }
    void follow({ state, filter, limit, signal: ended.signal })
    return () => ended.abort()
  }, [key, limit])
  return state
}

interface Following {
  state: Signal<LiveTrades>
  filter: Filter
  limit: number
  signal: AbortSignal
}

async function follow({ state, filter, limit, signal }: Following): Promise<void> {
  let lastId: string | undefined
  const set = (change: Partial<LiveTrades>) => {
    if (!signal.aborted) state.value = { ...state.peek(), ...change }
  }
  const readNewest = async () => {
    const found: LiveTrade[] = []
    let left = MAX_PAGES
    for await (const { data } of api.pages('searchSwaps', { ...listFilter(filter), limit }, { signal })) {
      found.push(...data.map(asLive))
      left--
      if (found.length >= limit || left === 0) break
    }
    set({ trades: kept(found, limit) })
  }
  while (!signal.aborted) {
    try {
      if (lastId === undefined) await readNewest()
      const options = { signal, ...(lastId !== undefined && { lastEventId: lastId }) }
      for await (const event of patient.stream(filter, options)) {
        if ('id' in event && event.id !== undefined) lastId = event.id
        if (event.event === 'reset') await readNewest()
        else set({ trades: applied(state.peek().trades, event, limit) })
        set({ status: 'live', reason: null })
      }
    } catch (error) {
      set({ status: 'waiting', reason: error instanceof Error ? error.message : null })
    }
    await visiblePause(RETRY_MS, signal)
  }
}

/** Returns the trades after an event. Applying an event twice changes nothing. */
function applied(trades: readonly LiveTrade[], event: Event, limit: number): readonly LiveTrade[] {
  if (event.event === 'swap') {
    const added = asLive(event.data)
    return kept([added, ...trades.filter(({ key }) => key !== added.key)], limit)
  }
  if (event.event !== 'removed') return trades
  const { network, from_block: from, to_block: to } = event.data
  const isRemoved = ({ swap }: LiveTrade) =>
    swap.network === network && BigInt(swap.block_number) >= BigInt(from) && BigInt(swap.block_number) <= BigInt(to)
  return trades.map((trade) => (isRemoved(trade) ? { ...trade, removed: true } : trade))
}

function kept(trades: readonly LiveTrade[], limit: number): readonly LiveTrade[] {
  return [...trades].sort(newestFirst).slice(0, limit)
}

function newestFirst({ swap: one }: LiveTrade, { swap: other }: LiveTrade): number {
  if (one.time !== other.time) return one.time < other.time ? 1 : -1
  if (one.network !== other.network) return one.network < other.network ? -1 : 1
  return other.transaction_index - one.transaction_index || other.position - one.position
}

function asLive(swap: StreamSwap): LiveTrade {
  const { network, tx_hash: hash, position, block_number: block } = swap
  return { key: `${network} ${block} ${hash} ${position}`, swap, removed: false }
}

/** The list endpoint takes the stream's filters, but not its other parameters. */
function listFilter({ events: _events, last_event_id: _id, ...filter }: Filter) {
  return filter
}
