import { DAY_S, type Hex, HOUR_S } from '@dexfeed/dex'
import { StoreError } from '@dexfeed/store'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApiFixture, NOON, openFixture } from '../api-fixture.ts'
import {
  all,
  byInterval,
  DECIMALS,
  iso,
  ONE,
  type PlainHop,
  POOLS,
  plainFlow,
  plainHops,
  plainPrice,
  sumOf,
  THREE,
  TWO,
  tradeOf,
} from '../made-hops.ts'
import {
  A0,
  A1,
  DUST,
  FAKE,
  FAKE_ONE,
  FAKE_THREE,
  type FiguredWorld,
  follow,
  openFiguredWorld,
  RANGE,
} from './figured-world.ts'

const E18 = 10n ** 18n

let world: FiguredWorld
let api: ApiFixture
let now = NOON + HOUR_S

beforeAll(async () => {
  world = await openFiguredWorld()
  api = world.api
})

const endOfMinute = () => Math.floor(now / 60 + 1) * 60
/** Whole minutes, including the current one. */
const isWithin =
  (seconds: number) =>
  ({ time }: { time: number }) =>
    time >= Math.floor(now / 60 + 1) * 60 - seconds
const isLast = isWithin(DAY_S)
const isKnown = isWithin(2 * DAY_S)

function e42(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(42, '0'))
}

function percent(to: string, from: string): string {
  const change = ((e42(to) - e42(from)) * 1_000_000n) / e42(from)
  const digits = String(change < 0n ? -change : change).padStart(5, '0')
  return `${change < 0n ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}`
}

/** Returns a token's figures from these hops, with its price from those of `priced`. */
function plainFigures(hops: readonly PlainHop[], token: Hex, priced = hops) {
  const closes = (some: readonly PlainHop[]) =>
    byInterval(some, 60).flatMap(([, own]) => own.flatMap((hop) => plainPrice(hop, token) ?? []))
  const recent = priced.filter(isKnown)
  const last = closes(recent).at(-1)
  const changeIn = (seconds: number) => {
    const isNew = isWithin(seconds)
    const before = closes(recent.filter((hop) => !isNew(hop))).at(-1)
    return last && before ? percent(last, before) : null
  }
  const day = hops.filter(isLast)
  const first = hops[0]
  return {
    price_usd: last ?? null,
    price_change_5m: changeIn(300),
    price_change_1h: changeIn(HOUR_S),
    price_change_6h: changeIn(6 * HOUR_S),
    price_change_24h: changeIn(DAY_S),
    volume_24h_usd: sumOf(day),
    swaps_24h: day.length,
    unpriced_swaps_24h: day.filter(({ usdE8 }) => usdE8 === null).length,
    first_seen: first ? iso(Math.floor(first.time / 60) * 60) : null,
    flow: {
      '5m': plainWindow(hops.filter(isWithin(300)), token),
      '1h': plainWindow(hops.filter(isWithin(HOUR_S)), token),
      '6h': plainWindow(hops.filter(isWithin(6 * HOUR_S)), token),
      '24h': plainWindow(day, token),
    },
  }
}

function plainWindow(hops: readonly PlainHop[], token: Hex) {
  const ofToken = hops.filter(({ tokens }) => tokens.includes(token))
  const signers = (some: readonly PlainHop[]) => new Set(some.flatMap(({ trader }) => trader ?? [])).size
  return {
    swaps: hops.length,
    volume_usd: sumOf(hops),
    ...plainFlow(ofToken, token),
    buyers: signers(ofToken.filter(({ tokens }) => tokens[1] === token)),
    sellers: signers(ofToken.filter(({ tokens }) => tokens[1] !== token)),
    traders: signers(hops),
  }
}

/** Returns the prices of tokens at some ages, each read separately by packages/store. */
function pricesOf(tokens: readonly Hex[]) {
  const ages = [0, 300, HOUR_S, 6 * HOUR_S, DAY_S]
  return Promise.all(ages.map((age) => api.reader.pastPrices('bsc', tokens, endOfMinute() - age)))
}

function changesOf(token: Hex, found: Awaited<ReturnType<typeof pricesOf>>) {
  const [price_usd = null, ...before] = found.map((prices) => prices.get(token)?.priceUsd ?? null)
  const [minutes, hour, hours, day] = before.map((then) => (price_usd && then ? percent(price_usd, then) : null))
  return { price_usd, price_change_5m: minutes, price_change_1h: hour, price_change_6h: hours, price_change_24h: day }
}

async function expected() {
  const hops = (await plainHops(api)).filter(({ time }) => time < endOfMinute()).toSorted((a, b) => a.at - b.at)
  const addresses = [ONE, TWO, THREE, FAKE]
  const prices = await pricesOf(addresses)
  const tokens = addresses.map((token) => {
    const own = hops.filter((hop) => hop.tokens.includes(token))
    return { address: token, ...plainFigures(own, token), ...changesOf(token, prices) }
  })
  const pools = [...POOLS, DUST, FAKE_ONE, FAKE_THREE, RANGE].map(({ address, token0, token1 }) => {
    const own = hops.filter((hop) => hop.pool === address)
    const between = own.filter((hop) => hop.tokens.includes(token0) && hop.tokens.includes(token1))
    // As the unit of a price, the stablecoin goes before the coin, and the coin before other tokens.
    const base = [FAKE, THREE, ONE].find((token) => token === token0 || token === token1) ?? token0
    return { address, base_token: base, ...plainFigures(own, base, between) }
  })
  return { tokens, pools }
}

type Row = Record<string, unknown> & { address: string; liquidity_usd: string | null }

async function servedFigures() {
  const rows = async (kind: string, fields: readonly string[]) =>
    ((await all(api, `/v1/${kind}?network=bsc&limit=3`)) as Row[]).map((row) =>
      Object.fromEntries(fields.map((field) => [field, lower(row[field])])),
    )
  const figures = [
    ...['price_usd', 'price_change_5m', 'price_change_1h', 'price_change_6h', 'price_change_24h'],
    ...['volume_24h_usd', 'swaps_24h', 'unpriced_swaps_24h', 'first_seen', 'flow'],
  ]
  return {
    tokens: await rows('tokens', ['address', ...figures]),
    pools: await rows('pools', ['address', 'base_token', ...figures]),
  }
}

const lower = (value: unknown) => (typeof value === 'string' && value.startsWith('0x') ? value.toLowerCase() : value)

async function expectFigures(): Promise<void> {
  await api.committed()
  const { tokens, pools } = await expected()
  const byAddress = (a: { address: string }, b: { address: string }) => (a.address < b.address ? -1 : 1)
  const sorted = { tokens: tokens.toSorted(byAddress), pools: pools.toSorted(byAddress) }
  expect(await servedFigures()).toEqual(sorted)
  await expectQuotePrices()
}

/** Expects the ratio of the amounts of each pool's last hop that sets a price. */
async function expectQuotePrices(): Promise<void> {
  const hops = (await plainHops(api)).filter((hop) => hop.time < endOfMinute() && isKnown(hop))
  for (const { address, base_token, tokens, price_quote } of (await api.get('/v1/pools?network=bsc')).body.data) {
    const base = base_token.toLowerCase()
    const quote = tokens.map((token: Row) => token.address.toLowerCase()).find((token: string) => token !== base)
    const priced = hops
      .filter(({ pool, tokens }) => pool === address && tokens.includes(base) && tokens.includes(quote))
      .filter((hop) => plainPrice(hop, base) !== null)
      .toSorted((a, b) => a.at - b.at)
      .at(-1)
    const [amount = 0n, paid = 0n] = [base, quote].map((token) => priced?.amounts[priced.tokens.indexOf(token)])
    if (priced === undefined) {
      expect(price_quote).toBeNull()
      continue
    }
    const numerator = paid * 10n ** BigInt(DECIMALS[base] ?? 0)
    const denominator = amount * 10n ** BigInt(DECIMALS[quote] ?? 0)
    const error = e42(price_quote) - (numerator * 10n ** 42n) / denominator
    expect((error < 0n ? -error : error) * 10n ** 16n).toBeLessThanOrEqual((numerator * 10n ** 42n) / denominator)
  }
}

async function liquidityOf(kind: 'tokens' | 'pools', address: Hex): Promise<string | null> {
  return (await api.get(`/v1/${kind}/bsc/${address}`)).body.liquidity_usd
}

it('a token with a supply has the value of all of it', async () => {
  const bytes = Buffer.from(TWO.slice(2), 'hex')
  const read = async (limit: number) =>
    (await api.get(`/v1/tokens?network=bsc&search=${TWO}&limit=${limit}`)).body.data[0]
  expect(await read(1)).toMatchObject({ total_supply: null, fdv_usd: null })
  for (const [at, supply] of [2n ** 256n - 1n, 123_456_789n, 0n].entries()) {
    await api.owner.query('UPDATE token SET supply = $1, supply_time = now() WHERE address = $2', [
      String(supply),
      bytes,
    ])
    // Another limit, because responses are kept for some seconds.
    const { price_usd, total_supply, fdv_usd } = await read(2 + at)
    const exact = (e42(price_usd) * supply) / 10n ** BigInt((DECIMALS[TWO] ?? 0) + 42 - 8)
    expect([total_supply, BigInt(fdv_usd.replace('.', ''))]).toEqual([String(supply), exact])
    expect(fdv_usd).toMatch(/^\d+\.\d{8}$/)
  }
  await api.owner.query('UPDATE token SET supply = NULL')
})

describe('figures equal those computed from the rows', () => {
  it('after commits, a reorg, a repair, and as time passes', async () => {
    await follow(world, [401, 406], 1, null)
    await expectFigures()
    await follow(world, [404, 409], 2, 403)
    await expectFigures()
    const usd = { usdE8: 10n ** 9n, hopsUsdE8: [10n ** 9n], source: 'stablecoin' } as const
    const repaired = Array.from({ length: 60 }, (_, n) => ({ ...tradeOf(331 + n), ...usd }))
    await world.store.replaceRange({
      from: 331,
      to: 390,
      trades: repaired.map((trade) => ({ ...trade, hops: trade.hops.slice(0, 1) })),
      pools: [],
      tokens: [],
      times: new Map(),
    })
    await expectFigures()
    const minutes = new Set((await plainHops(api)).map(({ time }) => Math.floor(time / 60) * 60))
    const last = [...minutes].sort((a, b) => a - b).slice(-1)
    // In the last minute of each age, and in the first one after it.
    const times = [300, HOUR_S, 6 * HOUR_S].flatMap((age) => last.flatMap((at) => [at + age - 60, at + age]))
    for (now of times) {
      api.setTime(now)
      await expectFigures()
    }
    now = NOON + HOUR_S
    for (const hours of [5, 20, 12]) {
      now += hours * HOUR_S
      api.setTime(now)
      await expectFigures()
    }
    now = NOON + HOUR_S
    api.setTime(now)
  })
})

describe('liquidity', () => {
  it('is the value of anchors in pools, at prices of pools with much liquidity, whatever a token calls itself', async () => {
    const price = 600_002n
    const usd = (e8: bigint) => `${e8 / 10n ** 8n}.${String(e8 % 10n ** 8n).padStart(8, '0')}`
    // The coin: 600.002 USD by the one pool that has much of both.
    const each = (amount: bigint) => (amount * price * 10n ** 8n) / 1_000n / E18
    const worth = {
      [A0.address]: each(1_000n * E18) + 600_002n * 10n ** 8n,
      [A1.address]: each(5n * E18),
      [DUST.address]: each(10n ** 12n) + 10n ** 8n,
      [FAKE_ONE.address]: each(3n * E18),
    }
    await expect.poll(() => liquidityOf('pools', A0.address)).toBe(usd(worth[A0.address] ?? 0n))
    for (const [address, e8] of Object.entries(worth)) {
      expect(await liquidityOf('pools', address as Hex), address).toBe(usd(e8))
    }
    expect(await liquidityOf('pools', FAKE_THREE.address)).toBeNull()
    expect(await liquidityOf('pools', POOLS[2].address)).toBeNull()
    // 1000 * (1 - 1 / sqrt(1.0001^60)) of the coin, which is token1 at price 1.
    const held = Number(await liquidityOf('pools', RANGE.address))
    expect(held / (1_000 * (1 - 1.0001 ** -30) * 600.002)).toBeCloseTo(1, 9)
    expect(await liquidityOf('tokens', FAKE)).toBe(usd(worth[FAKE_ONE.address] ?? 0n))
    expect(await liquidityOf('tokens', TWO)).toBe(usd((worth[A0.address] ?? 0n) + (worth[DUST.address] ?? 0n)))
    const fake = await api.get(`/v1/tokens/bsc/${FAKE}`)
    expect(fake.body).toMatchObject({ symbol: 'USDC', price_usd: null, listed: false })
  })

  it('is unknown while no stablecoin is known', async () => {
    await api.owner.query("UPDATE network SET stablecoins = '{}'")
    await api.committed()
    await expect.poll(() => liquidityOf('pools', A0.address)).toBeNull()
    await api.owner.query(`UPDATE network SET stablecoins = ARRAY[decode($1, 'hex')]`, [TWO.slice(2)])
    await api.committed()
    await expect.poll(() => liquidityOf('pools', A0.address)).not.toBeNull()
  })
})

describe('figures that are being read', () => {
  const path = '/v1/tokens?network=bsc'
  let gate: Promise<void> = Promise.resolve()
  let reads = 0
  const open = (figures: { figuresRest?: number; patienceMs?: number }) =>
    openFixture({
      ownerUrl: api.ownerUrl,
      figures,
      wrapReader: (reader) => ({
        ...reader,
        async lastDay(...of) {
          reads++
          await gate
          return reader.lastDay(...of)
        },
      }),
    })
  const hold = () => {
    let release: () => void = () => undefined
    gate = new Promise((resolve) => {
      release = resolve
    })
    return () => release()
  }

  it('are read once for all requests', async () => {
    const release = hold()
    const other = await open({ figuresRest: 1_000_000, patienceMs: 60_000 })
    reads = 0
    const replies = Promise.all(Array.from({ length: 100 }, () => other.get(path)))
    await expect.poll(() => reads).toBe(1)
    release()
    expect(new Set((await replies).map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(reads).toBe(1)
    // During the pause after a read nothing is read, whatever changes.
    await other.committed()
    expect((await other.get(path)).status).toBe(200)
    expect(reads).toBe(1)
  })

  it('are the previous ones if the read takes long, and 503 before any were read', async () => {
    const release = hold()
    const other = await open({ figuresRest: 0, patienceMs: 50 })
    const none = await other.get(path)
    expect([none.status, none.body.code, none.headers.get('retry-after')]).toEqual([503, 'unavailable', '5'])
    release()
    await expect.poll(async () => (await other.get(path)).status).toBe(200)
    const again = hold()
    await other.committed()
    expect((await other.get(path)).status).toBe(200)
    again()
  })

  it('that fail are not read again immediately, and keep the known ones', async () => {
    gate = Promise.reject(new StoreError('the database is away', { retryable: true }))
    gate.catch(() => undefined)
    const other = await open({ figuresRest: 1_000_000, patienceMs: 60_000 })
    reads = 0
    expect((await other.get(path)).status).toBe(503)
    const resting = await other.get(path)
    expect([resting.status, resting.headers.get('retry-after'), reads]).toEqual([503, '5', 1])
    const failed = gate
    gate = Promise.resolve()
    const eager = await open({ figuresRest: 0, patienceMs: 60_000 })
    const known = await eager.get(path)
    expect(known.status).toBe(200)
    gate = failed
    await eager.committed()
    reads = 0
    const old = await eager.get(path)
    expect([old.status, old.text]).toEqual([200, known.text])
    expect(reads).toBe(1)
    gate = Promise.resolve()
  })
})
