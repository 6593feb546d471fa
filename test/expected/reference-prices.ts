import type { DevnetChain } from '@dexfeed/devnet'
import { DAY_S, NETWORKS, type NetworkName } from '@dexfeed/dex'
import type { RecordedBlock } from './chain-record.ts'
import { type PoolUpdate, parseUpdate, type VerifiedPool } from './pool-events.ts'
import { type Moment, momentAfter } from './pool-money.ts'
import type { TokenFacts } from './tokens.ts'

export const ONE_USD = 10n ** 18n
const [LOWEST_PEG, HIGHEST_PEG] = [(97n * ONE_USD) / 100n, (103n * ONE_USD) / 100n]

export interface ReferencePrices {
  /** Returns an anchor's price at the end of the previous block. Null if unknown. */
  usd(token: string, block: { number: number; timestamp: number }): bigint | null
}

export interface ReferenceOptions {
  network: NetworkName
  deployment: Pick<DevnetChain['deployment'], 'stablecoins' | 'wrappedNative'>
  tokens: ReadonlyMap<string, TokenFacts>
  pools: ReadonlyMap<string, VerifiedPool>
  blocks: readonly RecordedBlock[]
}

type At = { number: number; timestamp: number }

interface Offer {
  coin: string
  price: bigint
  usd: bigint
  tokens: bigint
}

/** Computes the anchors' prices from the logs of their pools with stablecoins (docs/internals/usd.md). */
export function referencePrices({ network, deployment, tokens, pools, blocks }: ReferenceOptions): ReferencePrices {
  const { minBlockTimeS } = NETWORKS[network]
  const ends = Math.max(9, Math.ceil(30 / minBlockTimeS))
  const histories = historiesOf(pools, blocks, Math.ceil(3_600 / minBlockTimeS))
  const stablecoins: readonly string[] = deployment.stablecoins
  const unit = (token: string) => 10n ** BigInt(tokens.get(token)?.decimals ?? 18)

  const offerOf = (pool: VerifiedPool, { price, near0, near1 }: Moment, token: string): Offer | null => {
    const isToken0 = pool.token0 === token
    const coin = isToken0 ? pool.token1 : pool.token0
    const [over, under] = isToken0 ? price : [price[1], price[0]]
    const [own, other] = isToken0 ? [near0, near1] : [near1, near0]
    const rate = under === 0n ? 0n : (over * unit(token) * ONE_USD) / (under * unit(coin))
    if (rate === 0n) return null
    return { coin, price: rate, usd: (other * ONE_USD) / unit(coin), tokens: (own * ONE_USD) / unit(token) }
  }

  const settledOffer = (pool: VerifiedPool, token: string, at: At) => {
    const standing = Array.from({ length: ends }, (_, index) => {
      const moment = histories.get(pool.address)?.(at.number - ends + index) ?? null
      return moment !== null && moment.timestamp >= at.timestamp - DAY_S ? moment : null
    })
    const count = endsThatCount(standing.find((moment) => moment !== null) ?? null, at, ends)
    const counted = standing.slice(ends - count).filter((moment) => moment !== null)
    return middleOffer(
      counted.map((moment) => offerOf(pool, moment, token)),
      count,
    )
  }

  const offersOf = (token: string, coins: readonly string[], at: At, worth: (coin: string) => bigint): Offer[] => {
    const all = [...pools.values()].flatMap((pool) => {
      const coin = pool.token0 === token ? pool.token1 : pool.token1 === token ? pool.token0 : null
      const offer = coin !== null && coins.includes(coin) ? settledOffer(pool, token, at) : null
      if (offer === null) return []
      const value = worth(offer.coin)
      return [{ ...offer, price: (offer.price * value) / ONE_USD, usd: (offer.usd * value) / ONE_USD }]
    })
    const settled = all.filter((offer) => offer.isSettled && (offer.usd > 0n || offer.tokens > 0n))
    return settled.length > 0 ? settled : all.filter(({ isSettled }) => !isSettled)
  }

  /** Returns the prices of stablecoins that disagree with the others. */
  const agreement = (at: At, steady: readonly string[], last: ReadonlyMap<string, bigint>): Map<string, bigint> => {
    const among = (coin: string) => {
      const others = steady.filter((text) => text !== coin)
      return offersOf(coin, others, at, () => ONE_USD)
    }
    const native = (coins: readonly string[]) => offersOf(deployment.wrappedNative, coins, at, () => ONE_USD)
    const isKept = (coin: string, offers: readonly Offer[]) => {
      const others = steady.filter((text) => text !== coin)
      return isRefuted(offers, native([coin]), native(others))
    }
    const [guilty] = steady
      .map((coin) => ({ coin, offers: among(coin), rate: priceOf(among(coin)) ?? ONE_USD }))
      .filter(({ coin, rate, offers }) => isOff(rate) && !isKept(coin, offers))
      .map((each) => ({ ...each, votes: votesIn(each.offers) }))
      .toSorted((a, b) => compare(b.votes, a.votes) || compare(a.rate, b.rate) || (a.coin < b.coin ? -1 : 1))
    if (guilty) {
      const left = steady.filter((coin) => coin !== guilty.coin)
      return agreement(at, left, new Map([...last, [guilty.coin, guilty.rate]]))
    }
    return new Map([...last].map(([coin, rate]) => [coin, priceOf(among(coin)) ?? rate]))
  }

  const usd = (token: string, at: At) => {
    const fallen = agreement(at, stablecoins, new Map())
    const worth = (coin: string) => {
      const rate = fallen.get(coin) ?? ONE_USD
      return isOff(rate) ? rate : ONE_USD
    }
    return stablecoins.includes(token) ? worth(token) : priceOf(offersOf(token, stablecoins, at, worth))
  }
  return { usd: remembered(usd) }
}

function remembered(compute: (token: string, at: At) => bigint | null): ReferencePrices['usd'] {
  const known = new Map<string, bigint | null>()
  return (token, at) => {
    const key = `${token} ${at.number}`
    const price = known.has(key) ? (known.get(key) ?? null) : compute(token, at)
    known.set(key, price)
    return price
  }
}

/**
 * Returns how many block ends count: four minutes at the mean block time since the oldest price, and at least three.
 */
function endsThatCount(oldest: Moment | null, at: At, most: number): number {
  if (oldest === null || at.timestamp === oldest.timestamp) return most
  const inFourMinutes = Math.floor((240 * (at.number - oldest.block)) / (at.timestamp - oldest.timestamp))
  return Math.min(most, Math.max(3, inFourMinutes))
}

function middleOffer(offers: readonly (Offer | null)[], ends: number): (Offer & { isSettled: boolean }) | null {
  const isSettled = 2 * offers.length > ends
  const present = offers.flatMap((offer) => offer ?? [])
  const [first] = present
  if (first === undefined) return null
  const zeros = Array.from({ length: (isSettled ? ends : offers.length) - present.length }, () => 0n)
  return {
    isSettled,
    coin: first.coin,
    price: middleOf(present.map(({ price }) => price)),
    usd: middleOf([...present.map(({ usd }) => usd), ...zeros]),
    tokens: middleOf([...present.map(({ tokens }) => tokens), ...zeros]),
  }
}

/** Returns the mean price over the middle fifth of the money, rounded down. */
function priceOf(offers: readonly Offer[]): bigint | null {
  const { sorted, moneys, total } = weighed(offers)
  if (total === 0n) return null
  let [sum, before] = [0n, 0n]
  for (const [at, { price }] of sorted.entries()) {
    const after = before + 5n * (moneys[at] ?? 0n)
    const [from, to] = [before > 2n * total ? before : 2n * total, after < 3n * total ? after : 3n * total]
    if (to > from) sum += price * (to - from)
    before = after
  }
  return sum / total
}

/**
 * Returns whether the wrapped coin shows that a stablecoin kept its peg after all: its prices in this stablecoin and in
 * the others must be close, each with over twice the money of the pools that disagree.
 */
function isRefuted(offers: readonly Offer[], own: readonly Offer[], others: readonly Offer[]): boolean {
  const [ownPrice, price] = [priceOf(own), priceOf(others)]
  if (ownPrice === null || price === null || isOff((price * ONE_USD) / ownPrice)) return false
  const against = offers
    .filter((offer) => isOff(offer.price))
    .reduce((sum, offer) => sum + offer.usd + offer.tokens, 0n)
  const [ownMoney, money] = [totalOf(own), totalOf(others)]
  return 2n * against < (ownMoney < money ? ownMoney : money)
}

function totalOf(offers: readonly Offer[]): bigint {
  return weighed(offers).total
}

function weighed(offers: readonly Offer[]): { sorted: readonly Offer[]; moneys: readonly bigint[]; total: bigint } {
  const sorted = offers
    .filter(({ usd, tokens }) => usd > 0n || tokens > 0n)
    .toSorted((a, b) => compare(a.price, b.price))
  const market = marketOf(sorted) ?? 0n
  const moneys = sorted.map((offer) => moneyAt(offer, offer.price < market ? offer.price : market))
  return { sorted, moneys, total: moneys.reduce((sum, money) => sum + money, 0n) }
}

/** Returns the lowest price with at least as much money up to it as above it, where tokens count at that price. */
function marketOf(ascending: readonly Offer[]): bigint | undefined {
  return ascending.find(({ price }, at) => {
    const below = ascending.slice(0, at + 1).reduce((sum, offer) => sum + moneyAt(offer, offer.price), 0n)
    const above = ascending.slice(at + 1)
    const tokens = above.reduce((sum, offer) => sum + offer.tokens, 0n)
    return below >= above.reduce((sum, offer) => sum + offer.usd, 0n) + (tokens * price) / ONE_USD
  })?.price
}

function moneyAt({ usd, tokens }: Offer, price: bigint): bigint {
  return usd + (tokens * price) / ONE_USD
}

/**
 * Returns the money of the pools with a price outside the band, minus the money of those inside. Both coins count as 1
 * USD.
 */
function votesIn(offers: readonly Offer[]): bigint {
  return offers.reduce((sum, { price, usd, tokens }) => (isOff(price) ? sum + usd + tokens : sum - usd - tokens), 0n)
}

function isOff(rate: bigint): boolean {
  return rate < LOWEST_PEG || rate > HIGHEST_PEG
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function middleOf(values: readonly bigint[]): bigint {
  return values.toSorted(compare)[(values.length - 1) >> 1] ?? 0n
}

function historiesOf(
  pools: ReadonlyMap<string, VerifiedPool>,
  blocks: readonly RecordedBlock[],
  hourBlocks: number,
): Map<string, (end: number) => Moment | null> {
  const updates = new Map<string, PoolUpdate[]>()
  for (const { number: block, timestamp, transactions } of blocks) {
    for (const log of transactions.flatMap(({ logs }) => logs)) {
      const pool = pools.get(log.address)
      const each = pool && parseUpdate(pool, log, { block, timestamp })
      if (each) updates.set(log.address, [...(updates.get(log.address) ?? []), each])
    }
  }
  return new Map(
    [...updates].map(([address, events]) => {
      const moments = new Map<number, Moment | null>()
      return [
        address,
        (end: number) => {
          const pool = pools.get(address)
          const count = events.findLastIndex(({ block }) => block <= end) + 1
          const known = moments.get(count)
          if (known !== undefined || pool === undefined) return known ?? null
          const moment = momentAfter(pool, events.slice(0, count), hourBlocks)
          moments.set(count, moment)
          return moment
        },
      ] as const
    }),
  )
}
