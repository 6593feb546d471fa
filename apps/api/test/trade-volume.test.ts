import { DAY_S } from '@dexfeed/dex'
import { hexNumber, seedAddressCount, seedDay, seedNetwork, seedWashDay } from '@dexfeed/test-setup/seed'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApiFixture, NOON, openFixture } from './api-fixture.ts'

const WRAPPED = hexNumber(1)

const network = (name: 'eth' | 'bsc' | 'polygon', from: number, active = true) =>
  ({
    network: name,
    active,
    wrapped: WRAPPED,
    start: { number: 100, time: NOON - 8 * DAY_S },
    head: { number: 1000, time: NOON },
    final: 990,
    covered: [[200, 1000, from, NOON]],
  }) as const

let api: ApiFixture

beforeAll(async () => {
  api = await openFixture({
    fill: async (owner) => {
      // A database in another time zone and with another style of dates.
      const { rows } = await owner.query('SELECT current_database() AS name')
      await owner.query(`ALTER DATABASE ${rows[0].name} SET TimeZone = 'Asia/Tokyo'`)
      await owner.query(`ALTER DATABASE ${rows[0].name} SET DateStyle = 'German'`)
      await seedNetwork(owner, network('eth', NOON - 7 * DAY_S))
      await seedNetwork(owner, network('bsc', NOON - 7 * DAY_S))
      await seedNetwork(owner, network('polygon', NOON, false))
      for (const [day, volume] of [
        ['2026-11-14', '9.00000000'],
        ['2026-11-15', '100.00000001'],
        ['2026-11-20', '1.10000000'],
        ['2026-11-21', '123456789012345678901234567890.12345678'],
        ['2026-11-22', '9.00000000'],
      ] as const) {
        await seedDay(owner, { day, network: 'eth', volumeUsd: volume })
        // Some traded on several networks, others only on one that is no longer indexed.
        const all = Number(day.slice(-2))
        await seedAddressCount(owner, day, 3)
        await seedAddressCount(owner, day, all - 10, ['eth', 'polygon'])
        await seedAddressCount(owner, day, 7, ['eth', 'bsc'])
        await seedAddressCount(owner, day, 100, ['polygon'])
      }
      await seedDay(owner, { day: '2026-11-20', network: 'bsc', unpriced: 4, flagged: 3, volumeUsd: '2.20000002' })
      await seedDay(owner, { day: '2026-11-20', network: 'polygon', volumeUsd: '500.00000000' })
      const [a, b] = [hexNumber(0xa), hexNumber(0xb)]
      const judged = { day: '2026-11-20', volumeUsd: '2.00000000' }
      await seedWashDay(owner, { ...judged, network: 'eth', pools: [[a, '1.10000000', 5]] })
      await seedWashDay(owner, { ...judged, network: 'bsc', pools: [[b, '1.20000002', 2]] })
      await seedWashDay(owner, { ...judged, network: 'polygon', pools: [[b, '9.00000000', 1]] })
      await seedWashDay(owner, { ...judged, day: '2026-11-15', network: 'eth', pools: [] })
      await seedWashDay(owner, { ...judged, day: '2026-11-14', network: 'eth', pools: [[a, '7.00000000', 1]] })
    },
  })
})

describe('trade_volume_usd_7d', () => {
  it('returns seven days, newest first, with zeros for the empty ones, over the indexed networks', async () => {
    const { status, body, headers } = await api.get('/api/trade_volume_usd_7d')
    expect(status).toBe(200)
    const empty = (date: string) => ({ date, address_count: '0', trade_volume_usd: '0.00000000' })
    expect(body).toEqual([
      { date: '2026-11-21', address_count: '21', trade_volume_usd: '123456789012345678901234567890.12345678' },
      { date: '2026-11-20', address_count: '20', trade_volume_usd: '3.30000002' },
      ...['2026-11-19', '2026-11-18', '2026-11-17', '2026-11-16'].map(empty),
      { date: '2026-11-15', address_count: '15', trade_volume_usd: '100.00000001' },
    ])
    expect(headers.get('x-data-complete')).toBe('true')
    expect(headers.get('x-unpriced-swaps')).toBe('4')
    expect(headers.get('x-flagged-swaps')).toBe('3')
    expect(headers.get('x-wash-flagged-volume-usd')).toBe('2.30000002')
  })

  it('has no wash volume until each day before today is covered and judged', async () => {
    const flagged = async () => {
      await api.committed()
      return (await api.get('/api/trade_volume_usd_7d')).headers.get('x-wash-flagged-volume-usd')
    }
    const move = (chainId: number, from: string, to: string) =>
      api.owner.query('UPDATE wash_day SET day = $3 WHERE chain_id = $1 AND day = $2', [chainId, from, to])
    for (const [chainId, day] of [
      [56, '2026-11-20'],
      [1, '2026-11-15'],
    ] as const) {
      await move(chainId, day, '2026-01-01')
      expect(await flagged()).toBeNull()
      await move(chainId, '2026-01-01', day)
      expect(await flagged()).toBe('2.30000002')
    }
    await seedNetwork(api.owner, network('bsc', NOON - 2 * DAY_S))
    expect(await flagged()).toBeNull()
    await seedNetwork(api.owner, network('bsc', NOON - 7 * DAY_S))
    expect(await flagged()).toBe('2.30000002')
  })

  it('counts days in UTC, to the second', async () => {
    const first = async () => (await api.get('/api/trade_volume_usd_7d')).body[0].date
    api.setTime(Date.UTC(2026, 10, 21) / 1000)
    expect(await first()).toBe('2026-11-21')
    api.setTime(Date.UTC(2026, 10, 21) / 1000 - 1)
    expect(await first()).toBe('2026-11-20')
    api.setTime(Date.UTC(2027, 0, 1, 0, 0, 1) / 1000)
    expect(await first()).toBe('2027-01-01')
    api.setTime(NOON)
  })

  it('is incomplete while the first of the seven days is not covered from its beginning', async () => {
    const complete = async () => (await api.get('/api/trade_volume_usd_7d')).headers.get('x-data-complete')
    const begin = Date.UTC(2026, 10, 15) / 1000
    // Blocks may share the first second, so one covered block does not prove the others.
    await seedNetwork(api.owner, network('bsc', begin))
    await api.committed()
    expect(await complete()).toBe('false')
    await seedNetwork(api.owner, network('bsc', begin - 1))
    await api.committed()
    expect(await complete()).toBe('true')
  })

  it('responds to a repeated request with 304', async () => {
    const first = await api.get('/api/trade_volume_usd_7d')
    const etag = first.headers.get('etag') ?? ''
    const second = await fetch(`${api.api.url}/api/trade_volume_usd_7d`, { headers: { 'If-None-Match': etag } })
    expect(second.status).toBe(304)
    await seedDay(api.owner, { day: '2026-11-19', network: 'eth', volumeUsd: '1.00000000' })
    await api.committed()
    expect((await api.get('/api/trade_volume_usd_7d', { headers: { 'If-None-Match': etag } })).status).toBe(200)
  })
})

describe('a repeated response', () => {
  const volume = () => api.get('/api/trade_volume_usd_7d')

  it('comes from memory until the database changes, however many requests come', async () => {
    let [reads, changes] = [0, 0]
    const other = await openFixture({
      ownerUrl: api.ownerUrl,
      wrapReader: (reader) => ({
        ...reader,
        dayVolumes: (...of) => {
          reads++
          return reader.dayVolumes(...of)
        },
      }),
    })
    other.api.changes.subscribe(() => {
      changes++
    })
    const replies = await Promise.all(Array.from({ length: 200 }, () => other.get('/api/trade_volume_usd_7d')))
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    // The rest of the server works, too, so the poll may report changes meanwhile.
    expect(reads).toBeLessThanOrEqual(1 + changes)
    await other.committed()
    const before = reads
    await other.get('/api/trade_volume_usd_7d')
    expect(reads).toBe(before + 1)
  })

  it('changes after a commit without a notification', async () => {
    await volume()
    await seedDay(api.owner, { day: '2026-11-18', network: 'eth', volumeUsd: '7.00000000' })
    await expect.poll(async () => (await volume()).body[3].trade_volume_usd).toBe('7.00000000')
  })

  it('reports missing data as soon as the head is too old', async () => {
    const complete = async () => (await volume()).headers.get('x-data-complete')
    api.setTime(NOON + 120)
    expect(await complete()).toBe('true')
    api.setTime(NOON + 121)
    expect(await complete()).toBe('false')
    api.setTime(NOON)
    expect(await complete()).toBe('true')
  })

  it('has no body for HEAD, and the same headers', async () => {
    const [get, head] = [await volume(), await api.get('/api/trade_volume_usd_7d', { method: 'HEAD' })]
    expect([head.status, head.text]).toEqual([200, ''])
    for (const name of ['etag', 'content-length', 'content-type', 'x-data-complete']) {
      expect(head.headers.get(name), name).toBe(get.headers.get(name))
    }
  })
})

describe('wash_flags', () => {
  it('lists the judged days and the flagged pools of the seven days, over the indexed networks', async () => {
    const { status, body } = await api.get('/v1/wash_flags')
    expect(status).toBe(200)
    const pool = (network: string, address: number, volume: string, flags: string[]) => ({
      date: '2026-11-20',
      network,
      pool: hexNumber(address),
      swaps: 20,
      traders: 3,
      trade_volume_usd: volume,
      round_trip_volume_usd: volume,
      top_traders_volume_usd: volume,
      matched_volume_usd: '0.00000000',
      flags,
    })
    expect(body.pools).toEqual([
      pool('bsc', 0xb, '1.20000002', ['few-traders']),
      pool('eth', 0xa, '1.10000000', ['round-trips', 'matched-amounts']),
    ])
    const day = (date: string, network: string, flagged: string, pools: number) => ({
      date,
      network,
      trade_volume_usd: '2.00000000',
      flagged_volume_usd: flagged,
      flagged_pools: pools,
    })
    expect(body.days).toEqual([
      day('2026-11-20', 'eth', '1.10000000', 1),
      day('2026-11-20', 'bsc', '1.20000002', 1),
      day('2026-11-15', 'eth', '0.00000000', 0),
    ])
  })
})
