import { DAY_S } from '@dexfeed/dex'
import { hexNumber, seedNetwork, seedTokens } from '@dexfeed/test-setup/seed'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { type ApiFixture, NOON, openFixture } from './api-fixture.ts'
import { LISTED, seedPair, USDT, WBNB } from './seed-market.ts'

const POOL = hexNumber(0x9001)

let api: ApiFixture

beforeAll(async () => {
  api = await openFixture({
    fill: async (owner) => {
      await seedNetwork(owner, {
        network: 'bsc',
        wrapped: WBNB,
        start: { number: 1, time: NOON - 8 * DAY_S },
        head: { number: 100, time: NOON },
        covered: [[1, 100, NOON - 8 * DAY_S, NOON]],
      })
      await seedTokens(owner, 'bsc', [LISTED.WBNB, LISTED.USDT])
      await seedPair(owner, { address: POOL }, [USDT, 10n ** 24n], [WBNB, 10n ** 22n])
    },
  })
})

const LONG = 'x'.repeat(129)
const INJECTIONS = [
  `' OR '1'='1`,
  `'; DROP TABLE swap; --`,
  `" UNION SELECT version() --`,
  '#{7*7}',
  '%s%n',
  '{{7*7}}',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '$(id)',
  '\\x00',
  '%27%3B--',
]

// packages/contract/src/requests.test.ts has every malformed value.
describe('parameters of /api/quote', () => {
  it.each([
    ['nothing', '', 400],
    ['a repeated token', 'sellToken=WBNB&sellToken=WBNB&buyToken=USDT', 400],
    ['a token as a list', 'sellToken[]=WBNB&buyToken=USDT', 400],
    ['a token as an object', 'sellToken[a]=WBNB&buyToken=USDT', 400],
    ['a token of 128 characters', `sellToken=${LONG.slice(1)}&buyToken=USDT`, 404],
    ['half a percent sign', 'sellToken=%zz&buyToken=USDT', 404],
    ['invalid UTF-8', 'sellToken=%ff%fe&buyToken=USDT', 404],
    ['a wrong checksum', 'sellToken=0xBb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c&buyToken=USDT', 400],
    ['an unknown address', 'sellToken=0x00000000000000000000000000000000deadbeef&buyToken=USDT', 404],
    ['an unknown symbol', 'sellToken=NOSUCH&buyToken=USDT', 404],
    ['a symbol with a space', 'sellToken=WBNB%20&buyToken=USDT', 404],
    ['an unknown network', 'sellToken=WBNB&buyToken=USDT&network=solana', 400],
    ['a network that is not indexed', 'sellToken=WBNB&buyToken=USDT&network=eth', 404],
    ['the same token', 'sellToken=WBNB&buyToken=wbnb', 400],
    ['the same token by symbol and address', `sellToken=WBNB&buyToken=${WBNB}`, 400],
    ['the coin twice', 'sellToken=BNB&buyToken=0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', 400],
    ['prototype names', 'sellToken=WBNB&buyToken=USDT&__proto__[x]=1&constructor=1&__proto__=2', 200],
    ['prototype names as tokens', 'sellToken=__proto__&buyToken=constructor', 404],
    ['1200 parameters', `${'a=1&'.repeat(600)}sellToken=WBNB&buyToken=USDT`, 200],
    ['upper and lower case', 'sellToken=wBnB&buyToken=uSdT&network=BSC', 200],
  ])('%s', async (_, query, status) => {
    const reply = await api.get(`/api/quote?${query}`)
    expect(reply.status, reply.text).toBe(status)
    if (status === 200) expect(Object.keys(reply.body)).toEqual(['result'])
    else expectFailure(reply)
  })

  it('points to the contract address if a symbol is not supported', async () => {
    const { body } = await api.get('/api/quote?sellToken=NOSUCH&buyToken=USDT')
    expect(body.error).toMatch(/contract address/)
  })

  it.each(INJECTIONS)('treats %s as an unknown symbol', async (text) => {
    const reply = await api.get(`/api/quote?sellToken=${encodeURIComponent(text)}&buyToken=USDT`)
    expect([400, 404]).toContain(reply.status)
    expectFailure(reply)
    expect(reply.text).not.toContain(text)
  })

  it('sends no query for a malformed request', async () => {
    // Postgres counts scans late: those of earlier requests may appear between the two counts.
    await vi.waitFor(async () => {
      const before = await statementsOfApi()
      await Promise.all(
        ['sellToken=0x1&buyToken=USDT', `sellToken=${LONG}&buyToken=A`, 'network=x', ''].map((query) =>
          api.get(`/api/quote?${query}`),
        ),
      )
      await api.get('/api/swaps_24h?limit=0')
      expect(await statementsOfApi()).toBe(before)
    }, 30_000)
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })
})

describe('parameters of /api/swaps_24h', () => {
  it.each([
    ['nothing', '', 200],
    ['unknown ones', 'a=1&sellToken=WBNB', 200],
    ['a limit', 'limit=10', 200],
    ['the largest limit', 'limit=10000', 200],
    ['a cursor', 'cursor=12-bsc-0-0', 200],
    ['a cursor beyond everything', 'cursor=999999999999999-polygon-999999999-999999999&limit=1', 200],
    ['a limit too large', 'limit=10001', 400],
    ['an unknown network', 'network=nowhere', 400],
    ['a network that is not indexed', 'network=polygon', 404],
  ])('%s', async (_, query, status) => {
    const reply = await api.get(`/api/swaps_24h?${query}`)
    expect(reply.status, reply.text).toBe(status)
    if (status === 200) expect(reply.body).toEqual([])
    else expectFailure(reply)
  })
})

function expectFailure({ text, body, headers }: Awaited<ReturnType<ApiFixture['get']>>): void {
  expect(Object.keys(body)).toEqual(['error'])
  expect(body.error.length).toBeGreaterThan(0)
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(text).not.toMatch(/node_modules|\bat \/|SELECT|postgres/i)
}

/** Returns the number of token and symbol look-ups so far. Polling the pools does not touch these tables. */
async function statementsOfApi(): Promise<number> {
  await api.owner.query('SELECT pg_stat_clear_snapshot()')
  const { rows } = await api.owner.query(
    `SELECT coalesce(sum(seq_scan + coalesce(idx_scan, 0)), 0)::int AS scans FROM pg_stat_user_tables
     WHERE relname IN ('token', 'listed_symbol')`,
  )
  return rows[0].scans
}
