import { hexNumber, seedPool, seedTokens } from '@dexfeed/test-setup/seed'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ApiFixture } from '../../../test/api-fixture.ts'
import { ONE, openWithHops, POOLS, THREE, TWO } from '../../../test/made-hops.ts'

const [FAKE, ODD] = [hexNumber(0xfa4e), hexNumber(0x0dd)]
const MANAGED = `0x${'4'.repeat(40)}${'5'.repeat(64)}` as const
const [A0, A1, A2] = POOLS
const bytes = (hex: string) => Buffer.from(hex.slice(2), 'hex')
let api: ApiFixture

beforeAll(async () => {
  api = await openWithHops()
  const name = (address: string, symbol: string, text: string) =>
    api.owner.query('UPDATE token SET symbol = $2, name = $3 WHERE address = $1', [bytes(address), symbol, text])
  await name(ONE, 'WCOIN', 'Wrapped')
  await name(TWO, 'USDX', 'Dollar')
  // An unlisted token with volume that takes the names of others.
  await name(THREE, 'usdx', '<script>alert(1)</script>')
  await seedTokens(api.owner, 'bsc', [
    { address: FAKE, symbol: 'USDX%', name: '\u202eUSD_', decimals: 6 },
    { address: ODD, symbol: 'Dollars/X', name: "'; DROP TABLE token; --", decimals: null },
  ])
  for (const [address, symbol] of [
    [ONE, 'WCOIN'],
    [TWO, 'USDX'],
    [ODD, 'ALIAS'],
  ] as const) {
    await api.owner.query('INSERT INTO listed_symbol VALUES (56, $1, $2)', [symbol, bytes(address)])
  }
  await seedPool(api.owner, { network: 'bsc', address: MANAGED, token0: TWO, token1: FAKE })
  await api.committed()
})

const lower = (rows: { address: string }[]) => rows.map(({ address }) => address.toLowerCase())

async function found(query: string): Promise<{ tokens: string[]; pools: string[] }> {
  const { status, body } = await api.get(`/v1/search?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return { tokens: lower(body.tokens), pools: lower(body.pools) }
}

/** Returns all tokens or pools by volume, as the lists have them. */
async function byVolume(kind: 'tokens' | 'pools', of: readonly string[]): Promise<string[]> {
  const all = lower((await api.get(`/v1/${kind}?network=bsc&order_by=volume&limit=1000`)).body.data)
  return all.filter((address) => of.includes(address))
}

describe('/v1/search', () => {
  it('puts the curated list first, then volume, and shows pools of the best tokens', async () => {
    const { tokens, pools } = await found('q=usd')
    expect(tokens).toEqual([TWO, ...(await byVolume('tokens', [THREE, FAKE]))])
    // Every token of A0 is listed.
    const others = await byVolume('pools', [A1.address, A2.address, MANAGED])
    expect(pools).toEqual([A0.address, ...others])
    expect(await found('q=usd&limit=1')).toEqual({ tokens: [TWO], pools: [A0.address] })
  })

  it.each([
    ['a symbol of the curated list, before what begins with it', 'q=USDX', TWO],
    ['an alias', 'q=alias', ODD],
    ['the coin, as its wrapper', 'q=bnb', ONE],
    ['a placeholder of the coin', 'q=0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', ONE],
    ['a name', 'q=%20%20wrapp', ONE],
    ['a hostile name', 'q=%3Cscript%3E', THREE],
    ['a name with a slash at its end', 'q=dollars%2F', ODD],
    ['a name with SQL', 'q=%27%3B%20drop', ODD],
    ['a special character of patterns, as itself', 'q=usdx%25', FAKE],
  ])('finds %s', async (_, query, token) => {
    expect((await found(query)).tokens[0]).toBe(token)
  })

  it('finds a pair of tokens in any order and any kind of pool', async () => {
    const both = await byVolume('pools', [A1.address, A2.address])
    const pools = [A0.address, ...both.filter((address) => address !== A1.address)]
    for (const q of ['wcoin/dollar', 'Dollar / WCOIN']) {
      expect((await found(`q=${encodeURIComponent(q)}`)).pools).toEqual(pools)
    }
  })

  it('finds tokens and pools by their addresses and ids', async () => {
    expect(await found(`q=${ONE.toUpperCase().replace('0X', '0x')}`)).toMatchObject({ tokens: [ONE] })
    expect((await found(`q=${THREE}`)).pools.toSorted()).toEqual([A1.address, A2.address])
    expect(await found(`q=${A1.address}`)).toEqual({ tokens: [], pools: [A1.address] })
    expect(await found(`q=${MANAGED}`)).toEqual({ tokens: [], pools: [MANAGED] })
    expect(await found(`q=0x${'5'.repeat(64)}`)).toEqual({ tokens: [], pools: [MANAGED] })
    expect(await found(`q=0x${'6'.repeat(64)}`)).toEqual({ tokens: [], pools: [] })
  })

  it.each(['%', '_', '%25', '/', '//', 'nothing', '%F0%9F%98%80', 'a%2Fb%2Fc', '0x1'])(
    'finds nothing for %s',
    async (q) => {
      expect(await found(`q=${q === '%' ? '%25' : q}`)).toEqual({ tokens: [], pools: [] })
    },
  )

  it.each(['', 'q=', 'q=%20', 'q=a%00', `q=${'a'.repeat(129)}`, 'q=a&q=b', 'q=a&limit=51', 'q=a&limit=0', 'q=a&x=1'])(
    '?%s is 400',
    async (query) => {
      const { status, body } = await api.get(`/v1/search?${query}`)
      expect([status, Object.keys(body)]).toEqual([400, ['error', 'code']])
    },
  )

  it('finds what is listed or has volume among any number of matches', async () => {
    await api.owner.query(
      `INSERT INTO token SELECT 56, decode(lpad(to_hex(n), 40, '0'), 'hex'), 'usd' || n, '', 0
       FROM generate_series(x'1000'::int, x'1400'::int) AS n`,
    )
    // Above the others by address, so that a list by address does not reach it.
    const high = `0x${'f'.repeat(40)}`
    await api.owner.query('UPDATE token SET address = $2 WHERE address = $1', [bytes(FAKE), bytes(high)])
    await api.owner.query(`INSERT INTO listed_symbol VALUES (56, 'OTHER', $1)`, [bytes(high)])
    await api.committed()
    const { tokens } = await found('q=usd')
    expect(tokens.slice(0, 3)).toEqual([TWO, high, THREE])
    expect(tokens).toHaveLength(10)
  })

  it('is 404 for a network that is not indexed', async () => {
    expect((await api.get('/v1/search?q=usd&network=eth')).body).toMatchObject({ code: 'network_not_indexed' })
  })
})

describe('/v1/pools of two tokens', () => {
  it.each([
    [`token=${ONE}&other_token=${TWO}`, [A0.address, A2.address]],
    [`token=${TWO}&other_token=${ONE}&protocol=curve`, [A2.address]],
    [`token=${THREE}&other_token=${ONE}&order_by=volume&order=asc`, null],
    [`token=${TWO}&other_token=${FAKE}`, []],
  ])('?%s', async (query, expected) => {
    const { body } = await api.get(`/v1/pools?network=bsc&${query.replace(FAKE, `0x${'f'.repeat(40)}`)}`)
    const wanted = expected ?? (await byVolume('pools', [A1.address, A2.address])).toReversed()
    expect(lower(body.data)).toEqual(wanted)
  })

  it.each([`other_token=${ONE}`, `token=${ONE}&other_token=${ONE}`, `token=${ONE}&other_token=0x1`])(
    '?%s is 400',
    async (query) => {
      expect((await api.get(`/v1/pools?network=bsc&${query}`)).status).toBe(400)
    },
  )
})
