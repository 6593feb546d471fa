import { type Hex, type PricedTrade, present } from '@dexfeed/dex'
import { hexNumber } from '@dexfeed/test-setup/seed'
import fc from 'fast-check'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import type { ApiFixture } from '../../test/api-fixture.ts'
import { all, DECIMALS, iso, ONE, openWithHops, POOLS, THREE, TRADES, TWO, tradeOf } from '../../test/made-hops.ts'
import { expectTradesToAddUp, type PoolTrade } from '../../test/pool-trades.ts'

/** The base token of each pool: ONE is the coin's wrapper, TWO a stablecoin. */
const BASES = [ONE, THREE, THREE] as const
const [PAIR] = POOLS
const PATH = `/v1/pools/bsc/${PAIR.address}/trades`

/** For each block, the hops of one or two trades of a transaction; a pool may occur several times in one. */
const blocks = fc.array(
  fc.record({
    trades: fc.array(fc.array(fc.integer({ min: 1, max: 999 }), { minLength: 1, maxLength: 5 }), {
      minLength: 1,
      maxLength: 2,
    }),
    order: fc.shuffledSubarray([...Array(10).keys()], { minLength: 10, maxLength: 10 }),
  }),
  { minLength: TRADES.length, maxLength: TRADES.length, size: 'max' },
)

function madeTrades(): PricedTrade[] {
  const [drawn = []] = fc.sample(blocks, { numRuns: 1, seed: inject('seed') })
  return drawn.flatMap(({ trades, order }, at) => {
    const logs = [...order]
    return trades.map((hops, position): PricedTrade => {
      const made = hops.map((n) => tradeOf(n))
      const first = { ...tradeOf(at + 1), position }
      return {
        ...first,
        hops: made.map((trade) => ({ ...present(trade.hops[0]), logIndex: logs.pop() ?? 0 })),
        hopsUsdE8: made.map((trade) => trade.hopsUsdE8[0] ?? null),
        hopsFlags: made.map((trade) => trade.hopsFlags?.[0] ?? 0),
      }
    })
  })
}

const MADE = madeTrades()

let api: ApiFixture

beforeAll(async () => {
  api = await openWithHops(MADE)
})

const hopsOf = (pool: Hex) =>
  MADE.flatMap(({ hops, ...trade }) => hops.filter((hop) => hop.pool.address === pool).map((hop) => ({ trade, hop })))

/** Whether a text is numerator / denominator, rounded down to 18 digits. */
function isRatio(text: string, numerator: bigint, denominator: bigint): boolean {
  const [whole = '', fraction = ''] = text.split('.')
  const value = BigInt(whole + fraction)
  const missing = numerator * 10n ** BigInt(fraction.length) - value * denominator
  return missing >= 0n && missing * 10n ** 17n <= value * denominator
}

describe("a pool's trades", () => {
  it.each(POOLS.map((pool, n) => [pool.address, BASES[n] ?? ONE] as const))(
    'of %s are its hops, and add up to its candles and its volume',
    async (pool, base) => {
      const trades = await expectTradesToAddUp(api, pool, base)
      expect(trades.length).toBeGreaterThan(300)
      const expected = hopsOf(pool).map(({ trade, hop }) => `${trade.blockNumber} ${trade.position} ${hop.logIndex}`)
      const listed = trades.map(({ block_number, position, log_index }) => `${block_number} ${position} ${log_index}`)
      expect(listed.toSorted()).toEqual(expected.toSorted())
      for (const { trade, hop } of hopsOf(pool)) {
        const { blockNumber, position, txHash } = trade
        const row = present(
          trades.find((each) => Number(each.block_number) === blockNumber && each.log_index === hop.logIndex),
        )
        const isBuy = row.side === 'buy'
        const [baseToken, quoteToken] = isBuy ? [hop.tokenOut, hop.tokenIn] : [hop.tokenIn, hop.tokenOut]
        expect(row).toMatchObject({ position, tx_hash: txHash, time: iso(trade.timestamp), final: true })
        expect([row.base_token.address, row.quote_token.address]).toEqual([baseToken, quoteToken])
        expect(quoteToken === TWO || (baseToken === THREE && quoteToken === ONE)).toBe(true)
        const [baseAmount, quoteAmount] = isBuy ? [hop.amountOut, hop.amountIn] : [hop.amountIn, hop.amountOut]
        expect([row.base_token.amount, row.quote_token.amount]).toEqual([String(baseAmount), String(quoteAmount)])
        const [numerator, denominator] = [
          quoteAmount * 10n ** BigInt(DECIMALS[baseToken] ?? 0),
          baseAmount * 10n ** BigInt(DECIMALS[quoteToken] ?? 0),
        ]
        expect(isRatio(row.price_quote ?? '', numerator, denominator), row.price_quote ?? '').toBe(true)
      }
    },
  )

  it('are the same in pages of any size, in both orders, there and back, and within a span', async () => {
    const whole = (await all(api, `${PATH}?order=asc&limit=1000`)) as PoolTrade[]
    expect(await all(api, `${PATH}?order=asc&limit=11`)).toEqual(whole)
    expect(await all(api, `${PATH}?limit=5`)).toEqual(whole.toReversed())
    const pages: PoolTrade[][] = []
    let last = `${PATH}?limit=7`
    for (let next: string | undefined = last; next !== undefined; ) {
      const { body, headers } = await api.get(next)
      pages.push(body.data)
      last = next
      next = headers.get('link')?.match(/<([^>]+)>; rel="next"/)?.[1]
    }
    const back: PoolTrade[] = []
    for (let prev: string | undefined = last; prev !== undefined; ) {
      const { body, headers } = await api.get(prev)
      back.unshift(...body.data)
      prev = headers.get('link')?.match(/<([^>]+)>; rel="prev"/)?.[1]
    }
    expect(back).toEqual(whole.toReversed())
    const [from, to] = [present(whole[20]).time, present(whole[90]).time]
    expect(await all(api, `${PATH}?order=asc&limit=9&from=${from}&to=${to}`)).toEqual(
      whole.filter(({ time }) => time >= from && time < to),
    )
  })

  it('of an unknown pool are 404', async () => {
    const { status, body } = await api.get(`/v1/pools/bsc/${hexNumber(0x404)}/trades`)
    expect([status, body.code]).toEqual([404, 'not_found'])
  })
})
