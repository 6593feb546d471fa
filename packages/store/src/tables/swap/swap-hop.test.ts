import { FLAG_CAPPED, FLAG_PARTIAL, type Hop, type PricedTrade } from '@dexfeed/dex'
import { tableContents } from '@dexfeed/test-setup/table-dump'
import { expect, it } from 'vitest'
import { emptyStore, following, headers, hop, MIDNIGHT, POOL, trade } from '../../../test/rows/sample.ts'
import { database, fill, lease, store, useStore } from '../../../test/rows/scene.ts'
import { hopsOfMinutes } from './swap-hop.ts'

useStore('polygon', 4)

const hopRows = async () => (await tableContents(database.pool, ['swap_hop'])).swap_hop
/** Two hops, one of which has no known value. */
const TWO = trade(7, MIDNIGHT + 7, { hops: [hop(POOL, 3), hop(POOL, 5)], hopsUsdE8: [150_000_000n, null] })
const KEY = BigInt(`0x${POOL.address.slice(-16)}`)

it('each hop of a trade is a row, in history and at the head alike, and is deleted with the trade', async () => {
  await fill(7, 7, [TWO])
  const filled = await hopRows()
  const tokens = [POOL.token0, POOL.token1].map((token) => token.slice(2))
  const row = (log: number, usd: string) =>
    `(137,7,0,${log},0,"2026-11-20 00:00:07+00",${KEY},"\\\\x${tokens[0]}",10,"\\\\x${tokens[1]}",20,${usd},0)`
  expect(filled).toEqual([row(3, '1.50000000'), row(5, '')])
  await lease.release()
  const { epoch } = (await emptyStore(database, 'polygon')).lease
  await store.commitHead(following(epoch, headers(7), [TWO]))
  expect(await hopRows()).toEqual(filled)
  await store.commitHead(following(epoch, headers(8), [{ ...TWO, blockNumber: 8 }]))
  expect(await hopRows()).toHaveLength(4)
  await store.commitHead(following(epoch, headers(8, 8, 1), [], { rollbackTo: 7 }))
  expect(await hopRows()).toEqual(filled)
})

const [FIRST, OTHER_TOKEN] = [hop(POOL, 3), `0x${'9'.repeat(40)}` as const]
const ALONE = { hops: [FIRST], hopsUsdE8: [150_000_000n], usdE8: 150_000_000n } satisfies Partial<PricedTrade>
const withHop = (changed: Partial<Hop>): Partial<PricedTrade> => ({ hops: [{ ...FIRST, ...changed }] })

it.each<[string, number, Partial<PricedTrade>]>([
  ['the same as its trade', 0, {}],
  ['the same, without a value', 0, { hopsUsdE8: [null], usdE8: null, source: null }],
  ['flagged as its trade', 0, { flags: FLAG_CAPPED | FLAG_PARTIAL, hopsFlags: [FLAG_CAPPED] }],
  ['flagged otherwise', 1, { flags: FLAG_CAPPED }],
  ['flagged alone', 1, { hopsFlags: [FLAG_CAPPED] }],
  ['of another value', 1, { hopsUsdE8: [149_000_000n] }],
  ['of a value that its trade waits for', 1, { awaited: { usdE8: 150_000_000n, source: 'stablecoin', flags: 0 } }],
  ['of another sold amount', 1, withHop({ amountIn: 11n })],
  ['of another bought amount', 1, withHop({ amountOut: 19n })],
  ['of another sold token', 1, withHop({ tokenIn: OTHER_TOKEN })],
  ['of another bought token', 1, withHop({ tokenOut: OTHER_TOKEN })],
  ['one of two', 2, { hops: [FIRST, hop(POOL, 5)], hopsUsdE8: [150_000_000n, 150_000_000n] }],
])('a hop %s is read back, whether its trade holds it or not', async (_, rows, changed) => {
  const pricedTrade = trade(7, MIDNIGHT + 7, { ...ALONE, ...changed })
  await fill(7, 7, [pricedTrade])
  const { rows: counted } = await database.pool.query('SELECT count(*)::int AS count FROM swap_hop')
  expect(counted).toEqual([{ count: rows }])
  const read = await hopRows()
  const asText = pricedTrade.hops.map(({ logIndex, tokenIn, amountIn, tokenOut, amountOut }, at) => {
    const usdE8 = pricedTrade.hopsUsdE8[at] ?? null
    const usd = usdE8 === null ? '' : `${usdE8 / 10n ** 8n}.${String(usdE8 % 10n ** 8n).padStart(8, '0')}`
    const [sold, bought] = [tokenIn, tokenOut].map((token) => `"\\\\x${token.slice(2)}"`)
    return `(137,7,0,${logIndex},0,"2026-11-20 00:00:07+00",${KEY},${sold},${amountIn},${bought},${amountOut},${usd},${pricedTrade.hopsFlags?.[at] ?? 0})`
  })
  expect(read).toEqual(asText)
})

it('the ends of some minutes are found along the keys of both tables, without sorting', async () => {
  const many = Array.from({ length: 400 }, (_, n) => trade(n + 1, MIDNIGHT + n * 10, n % 2 === 0 ? ALONE : {}))
  await fill(1, 400, many)
  const { text, values } = hopsOfMinutes(137, MIDNIGHT + 600, MIDNIGHT + 660, { from: 60, to: 66 })
  const client = await database.pool.connect()
  await client.query('ANALYZE swap, swap_hop; BEGIN; SET LOCAL enable_seqscan = off')
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values)
  await client.query('ROLLBACK')
  client.release()
  const plan = rows.map((row) => row['QUERY PLAN'])
  expect(plan.filter((line) => /-> +(Sort|Subquery Scan) /.test(line))).toEqual([])
  expect(plan.filter((line) => /Scan .*(using|on) swap(_hop)?_20261120_pkey/.test(line))).toHaveLength(6)
})
