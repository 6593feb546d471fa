import { checksumAddress } from '@dexfeed/contract'
import { type Address, isoTime, MINUTE_S, SECOND } from '@dexfeed/dex'
import type { EdgeSnapshot, ListedNetwork, SwapWithHops } from '@dexfeed/store'
import { candleSums } from '../candles.ts'
import { NO_SUMS } from '../fill-candles.ts'
import { type EdgeEvent, tokenEvent } from './edge-event.ts'

export type KnownPrices = ReadonlyMap<Address, string | null>

export async function rollUpEvents(
  snapshot: EdgeSnapshot,
  standing: ListedNetwork,
  { rows, added }: { rows: readonly SwapWithHops[]; added: readonly SwapWithHops[] },
  known: KnownPrices,
): Promise<{ events: EdgeEvent[]; prices: Map<Address, string | null> }> {
  const { network, head } = standing
  const minutes = minutesOf(rows)
  const tokens = await snapshot.tokens(network, [...new Set(minutes.map(({ token }) => token))])
  const found = new Map(
    (await snapshot.candles(standing, minutes, tokens)).map((candle) => [nameOf(candle.token, candle.time), candle]),
  )
  const candles = minutes.map(({ token, minute }) => {
    const own = found.get(nameOf(token, minute)) ?? GONE
    const { open, high, low, close, isWeighted: weighted } = own
    const time = new Date(minute * SECOND).toISOString()
    const prices = { open, high, low, close, weighted }
    const candle = { network, token: checksumAddress(token), time, ...prices, ...candleSums(own) }
    return tokenEvent('candle', token, candle)
  })
  const current = [...(await snapshot.prices(standing, tokens))].map(
    ([token, { priceUsd }]) => [token, priceUsd] as const,
  )
  const moved = current.filter(([token, price]) => known.get(token) !== price)
  if (head === null) return { events: candles, prices: new Map(moved) }
  const symbols = new Map(tokens.map(({ address, symbol }) => [address, symbol]))
  const sides = lastSides(added)
  const at = { block_number: String(head.number), time: isoTime(head.timestamp) }
  const prices = moved.map(([token, price_usd]) => {
    const what = { network, token: checksumAddress(token), symbol: symbols.get(token) ?? null }
    return tokenEvent('price', token, { ...what, price_usd, side: sides.get(token) ?? null, ...at })
  })
  return { events: [...candles, ...prices], prices: new Map(moved) }
}

const GONE = { open: null, high: null, low: null, close: null, isWeighted: null, ...NO_SUMS }

function minutesOf(swaps: readonly SwapWithHops[]): { token: Address; minute: number }[] {
  const minutes = new Map<string, { token: Address; minute: number }>()
  for (const { time, hops } of swaps) {
    const minute = time - (time % MINUTE_S)
    for (const { tokenIn, tokenOut } of hops) {
      for (const token of [tokenIn, tokenOut]) minutes.set(nameOf(token, minute), { token, minute })
    }
  }
  return [...minutes.values()]
}

function lastSides(swaps: readonly SwapWithHops[]): Map<Address, 'buy' | 'sell'> {
  const hops = swaps.flatMap((swap) => swap.hops)
  hops.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
  return new Map(hops.flatMap(({ tokenIn, tokenOut }) => [[tokenIn, 'sell'] as const, [tokenOut, 'buy'] as const]))
}

function nameOf(token: Address, minute: number): string {
  return `${token} ${minute}`
}
