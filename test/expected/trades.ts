import type { RecordedBlock, RecordedTransaction } from './chain-record.ts'
import { type Hop, hopsOf } from './hops.ts'
import { parseWrapping, type VerifiedPool } from './pool-events.ts'

export interface Leg {
  token: string
  amount: bigint
  /** The coin itself, not its wrapper. */
  native: boolean
}

/** What somebody did in one transaction: a row of the list. */
export interface ExpectedTrade {
  block: RecordedBlock
  transaction: RecordedTransaction
  sell: Leg
  buy: Leg
  hops: readonly Hop[]
  /** How the row came to be. */
  shape: 'one hop' | 'route' | 'hop of many'
}

/** The trades of a block, in the order of its transactions and within them. */
export function tradesOf(
  block: RecordedBlock,
  pools: ReadonlyMap<string, VerifiedPool>,
  wrappedNative: string,
): ExpectedTrade[] {
  return block.transactions.flatMap((transaction) => {
    const coins = coinsOf(transaction, wrappedNative)
    return routesOf(hopsOf(transaction, pools)).flatMap((route) =>
      rowsOf(route).map(({ hops, sold, bought }): ExpectedTrade => {
        const sell = { ...sold, native: sold.token === wrappedNative && coins.paid(sold.amount) }
        const buy = { ...bought, native: bought.token === wrappedNative && coins.received(bought.amount) }
        const shape = route.length === 1 ? 'one hop' : hops.length > 1 ? 'route' : 'hop of many'
        return { block, transaction, sell, buy, hops, shape }
      }),
    )
  })
}

/** Hops that share a token, directly or over others, belong together. */
function routesOf(hops: readonly Hop[]): Hop[][] {
  let routes: { hops: Hop[]; tokens: Set<string> }[] = []
  for (const hop of hops) {
    const touches = ({ tokens }: { tokens: Set<string> }) => tokens.has(hop.tokenIn) || tokens.has(hop.tokenOut)
    const joined = routes.filter(touches)
    routes = routes.filter((route) => !touches(route))
    routes.push({
      hops: [...joined.flatMap((route) => route.hops), hop],
      tokens: new Set([hop.tokenIn, hop.tokenOut, ...joined.flatMap(({ tokens }) => [...tokens])]),
    })
  }
  const sorted = routes.map((route) => route.hops.toSorted((a, b) => a.logIndex - b.logIndex))
  return sorted.sort(([a], [b]) => (a?.logIndex ?? 0) - (b?.logIndex ?? 0))
}

interface Row {
  hops: readonly Hop[]
  sold: { token: string; amount: bigint }
  bought: { token: string; amount: bigint }
}

/** One row where exactly one token is sold and one is bought over the whole route, else a row per hop. */
function rowsOf(route: readonly Hop[]): Row[] {
  const tokens = new Set(route.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]))
  const sold: Row['sold'][] = []
  const bought: Row['bought'][] = []
  for (const token of tokens) {
    const paid = sum(route.filter(({ tokenIn }) => tokenIn === token).map(({ amountIn }) => amountIn))
    const received = sum(route.filter(({ tokenOut }) => tokenOut === token).map(({ amountOut }) => amountOut))
    const rest = paid - received
    const passed = paid < received ? paid : received
    if (passed > 0n && 20n * (rest < 0n ? -rest : rest) <= passed) continue
    if (rest > 0n) sold.push({ token, amount: rest })
    if (rest < 0n) bought.push({ token, amount: -rest })
  }
  const [oneSold, oneBought] = [sold[0], bought[0]]
  if (oneSold && oneBought && sold.length + bought.length === 2) {
    return [{ hops: route, sold: oneSold, bought: oneBought }]
  }
  return route.map((hop) => ({
    hops: [hop],
    sold: { token: hop.tokenIn, amount: hop.amountIn },
    bought: { token: hop.tokenOut, amount: hop.amountOut },
  }))
}

/** Whether so many coins were wrapped to pay, or at least nine tenths of them unwrapped to be received. */
function coinsOf({ value, logs }: RecordedTransaction, wrappedNative: string) {
  const amounts = (name: string) =>
    logs.flatMap((log) => {
      const event = log.address === wrappedNative ? parseWrapping(log) : null
      return event?.name === name ? [event.amount] : []
    })
  const [wrapped, unwrapped] = [sum(amounts('Deposit')), sum(amounts('Withdrawal'))]
  return {
    paid: (amount: bigint) => value > 0n && wrapped >= amount,
    received: (amount: bigint) => unwrapped > 0n && 10n * unwrapped >= 9n * amount,
  }
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}
