import type { V1Body } from '@dexfeed/contract'
import {
  type Address,
  collapseHops,
  FLAG_SETTLEMENT,
  flagsOf,
  NETWORKS,
  type NetSwap,
  type RoutedHop,
  routesOf,
  type Token,
  USD_SOURCE_TEXTS,
  USD_SOURCES,
} from '@dexfeed/dex'
import type { SwapWithHops } from '@dexfeed/store'

// Receipts are not stored, so notes state only what the columns show. No note contains text from a contract.

type Note = V1Body<'getTransaction'>['trades'][number]['notes'][number]
type StoredHop = SwapWithHops['hops'][number]

export type NetPools = Omit<NetSwap, 'hops'>

/** Returns the net of a trade's hops; null if they do not net to one token sold and one bought. */
export function netOfPools(hops: readonly StoredHop[]): NetPools | null {
  const [net = null, ...others] = collapseHops(hops.map(routed))
  return others.length === 0 ? net : null
}

/** Recipients are not stored. */
function routed({ pool, logIndex, tokenIn, amountIn, tokenOut, amountOut }: StoredHop): RoutedHop {
  const amounts = { amountIn: BigInt(amountIn), amountOut: BigInt(amountOut) }
  return { logIndex, tokenIn, tokenOut, ...amounts, recipient: null, pool: { address: pool?.address ?? '' } }
}

export function tradeNotes(
  trade: SwapWithHops,
  all: readonly SwapWithHops[],
  pools: NetPools | null,
  tokens: ReadonlyMap<Address, Token>,
): Note[] {
  return [
    rowNote(trade, all, pools),
    ...settlementNotes(trade),
    ...endNotes('sell', trade, pools),
    ...endNotes('buy', trade, pools),
    ...valueNotes(trade, tokens),
    ...flagsOf(trade.flags).map(({ name, text }): Note => ({ about: 'value', code: name, text: sentence(text) })),
  ]
}

function rowNote(trade: SwapWithHops, all: readonly SwapWithHops[], pools: NetPools | null): Note {
  const count = trade.hops.length
  const note = (code: string, text: string): Note => ({ about: 'row', code, text })
  if (count === 0 && (trade.flags & FLAG_SETTLEMENT) !== 0) {
    return note(
      'settlement',
      'No hop: the event of a settlement tells this order. A stock, another order or a venue that is not read filled it.',
    )
  }
  if (count === 0) {
    return note(
      'no-hop',
      all.length > 1
        ? 'No hop is stored with this trade: another trade of the transaction has the larger part of its hops.'
        : 'No hop is stored with this trade: it is older than the record of hops.',
    )
  }
  if (count > 1) {
    return pools === null
      ? note(
          'one-for-one',
          `One row for ${count} hops: the transfers of the transaction show one token given and one got.`,
        )
      : note('route', `One row for ${count} hops: they share tokens, and net to one token sold and one bought.`)
  }
  return isPartOfRoute(trade, all)
    ? note(
        'hop-of-route',
        'A row for this hop alone: together with the hops that share its tokens it does not net to one token sold and one bought.',
      )
    : note('hop', 'One row for one hop.')
}

function isPartOfRoute(trade: SwapWithHops, all: readonly SwapWithHops[]): boolean {
  const [own] = trade.hops
  const hops = all
    .filter((swapWithHops) => swapWithHops.hops.length === 1 && swapWithHops.settledFor === trade.settledFor)
    .flatMap((swapWithHops) => swapWithHops.hops.map(routed))
  return routesOf(hops).some((route) => route.length > 1 && route.some((hop) => hop.logIndex === own?.logIndex))
}

function settlementNotes({ settledFor }: SwapWithHops): Note[] {
  const text = 'An event of a settlement names the account that it acted for: the amounts are those of that account.'
  return settledFor === null ? [] : [{ about: 'row', code: 'settled', text }]
}

function endNotes(about: 'sell' | 'buy', trade: SwapWithHops, pools: NetPools | null): Note[] {
  const isSale = about === 'sell'
  const token = isSale ? trade.sellToken : trade.buyToken
  const amount = BigInt(isSale ? trade.sellAmount : trade.buyAmount)
  const notes: Note[] = []
  if (isSale ? trade.sellNative : trade.buyNative) {
    const { symbol } = NETWORKS[trade.network].native
    notes.push({ about, code: 'coin', text: `${symbol} itself was ${isSale ? 'paid' : 'received'}, not its wrapper.` })
  }
  if (pools === null) return notes
  const through = isSale
    ? { token: pools.sold, amount: pools.soldAmount }
    : { token: pools.bought, amount: pools.boughtAmount }
  const [verb, passed] = isSale ? ['gave', 'entered'] : ['got', 'left']
  if (token !== through.token) {
    const text = `The account ${verb} another token than ${passed} the pools: the rest of the route went over something that is not read.`
    return [...notes, { about, code: 'unread-venue', text }]
  }
  if (amount === through.amount) {
    return [...notes, { about, code: 'as-pools', text: `The account ${verb} what ${passed} the pools.` }]
  }
  // No more than was given can have entered, and no less than was received can have left.
  const isMoreThanPossible = isSale ? amount < through.amount : amount > through.amount
  const more = amount > through.amount ? 'more' : 'less'
  const why = isMoreThanPossible ? FURTHER : KEPT
  const text = `The account ${verb} ${more} than ${passed} the pools: ${why}. Its own amount counts; the receipt shows which.`
  return [...notes, { about, code: isMoreThanPossible ? 'further-source' : 'kept', text }]
}

const FURTHER =
  'something that is not read took part, the token moves balances by itself, or other accounts share these hops'
const KEPT = 'a fee, a tax on the transfer, another recipient, or something that is not read has the difference'

function valueNotes(
  { usdSource, volumeUsd, sellToken, buyToken, ...trade }: SwapWithHops,
  tokens: ReadonlyMap<Address, Token>,
): Note[] {
  const isUnknown = (token: Address, native: boolean) => !native && (tokens.get(token)?.decimals ?? null) === null
  if (isUnknown(sellToken, trade.sellNative) || isUnknown(buyToken, trade.buyNative)) {
    const text = 'The decimals of a token are unknown: the trade has no value, and /api/swaps_24h does not list it.'
    return [{ about: 'value', code: 'decimals-unknown', text }]
  }
  const source = usdSource === null ? undefined : USD_SOURCES[usdSource]
  if (volumeUsd === null || source === undefined) {
    const text = 'No USD value: no token of the trade or of its whole route has a trusted price.'
    return [{ about: 'value', code: 'unpriced', text }]
  }
  const text = `The value is ${USD_SOURCE_TEXTS[source]}, by what went through the pools.`
  return [{ about: 'value', code: `usd-${source}`, text }]
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
