import type { Address } from '@dexfeed/dex'
import type { SwapRow } from '@dexfeed/store'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { RowRenderer } from './row-renderer.ts'

const TOKENS = 12
const tokenOf = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`
/** A token that the database does not have. */
const UNKNOWN = tokenOf(TOKENS)
/** A token of unknown decimals. */
const ODD = tokenOf(TOKENS - 1)

const row = (block: number, position: number, [sell, buy]: readonly [number, number]): SwapRow => ({
  ...{ network: 'bsc', blockNumber: block, time: 1_000 + block, transactionIndex: 0, position },
  ...{ txHash: `0x${block.toString(16).padStart(64, '0')}`, sellToken: tokenOf(sell), sellNative: false },
  ...{ sellAmount: '1', buyToken: tokenOf(buy), buyNative: false, buyAmount: '2', volumeUsd: null, flagged: false },
})

const read = (_network: unknown, addresses: readonly Address[]) =>
  Promise.resolve(
    addresses
      .filter((address) => address !== UNKNOWN)
      .map((address) => ({ address, symbol: 'T', name: 'token', decimals: address === ODD ? null : 18 })),
  )

async function rendered(rows: readonly SwapRow[], pageLength: number, maxTokens: number) {
  const texts = []
  const renderer = new RowRenderer('bsc', maxTokens)
  for (let from = 0; from < rows.length; from += pageLength) {
    const page = rows.slice(from, from + pageLength)
    const missing = await renderer.learn(page, read)
    expect([...missing]).toEqual(page.some(hasUnknown) ? [UNKNOWN] : [])
    for (const each of page) texts.push(renderer.render(each)?.json)
  }
  return texts
}

const hasUnknown = ({ sellToken, buyToken }: SwapRow) => sellToken === UNKNOWN || buyToken === UNKNOWN

const pair = fc.tuple(fc.integer({ min: 1, max: TOKENS }), fc.integer({ min: 1, max: TOKENS }))
const rowsOfBlocks = fc
  .array(fc.array(pair, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 6 })
  .map((blocks) => blocks.flatMap((pairs, number) => pairs.map((each, position) => row(number, position, each))))

it('rows are the same for any page size, and however few tokens are held', async () => {
  await fc.assert(
    fc.asyncProperty(rowsOfBlocks, fc.integer({ min: 1, max: 5 }), fc.nat(TOKENS), async (rows, length, maxTokens) => {
      const whole = await rendered(rows, rows.length, TOKENS)
      expect(await rendered(rows, length, maxTokens)).toEqual(whole)
    }),
  )
})

it('a row is listed if both of its tokens can be stated', async () => {
  const rows = [row(7, 0, [2, 3]), row(7, 1, [2, TOKENS]), row(7, 2, [TOKENS - 1, 3]), row(8, 0, [TOKENS, 2])]
  expect(await rendered(rows, 1, 0)).toEqual([expect.any(String), undefined, undefined, undefined])
})
