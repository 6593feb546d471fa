import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DAY_S, type NetworkName, startOfDay } from '@dexfeed/dex'
import { temporaryFolder } from '@dexfeed/test-setup'
import { hexNumber, type SeedSwap, seedNetwork, seedSwaps, seedTokens } from '@dexfeed/test-setup/seed'
import { tableFromIPC } from 'apache-arrow'
import { readParquet } from 'parquet-wasm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readRequest } from '../src/export/export-arguments.ts'
import { exportDay } from '../src/export/export-day.ts'
import { type ApiFixture, NOON, openFixture } from './api-fixture.ts'

const [A, B, LATE] = [hexNumber(0xa), hexNumber(0xb), hexNumber(0xc)]
const TODAY = Math.floor(NOON / DAY_S)
const DAY = TODAY - 1
const START = startOfDay(DAY)
const MOST = 2n ** 256n - 1n
const NAME = '=1+1,"é"\r\n\u2028'
const signal = new AbortController().signal

let api: ApiFixture
let out: string

/** Blocks every 64 s, some on the day before and after; every kind of row, and more than one page. */
const SWAPS = Array.from({ length: 3_024 }, (_, at): SeedSwap => {
  const block = Math.floor(at / 2)
  return {
    network: 'eth',
    block,
    time: START - 600 + block * 64,
    transaction: at % 2,
    sell: A,
    buy: at % 11 === 0 ? LATE : B,
    sellNative: at % 5 === 0,
    sellAmount: at % 7 === 0 ? MOST : BigInt(at + 1),
    buyAmount: BigInt(at + 1) ** 9n,
    usd: at % 3 === 0 ? null : `${at}.00000001`,
    flags: at % 4,
  }
})
const OF_DAY = SWAPS.filter(({ time }) => time >= START && time < START + DAY_S)
const LAST = SWAPS.at(-1)?.block ?? 0

async function seed({ final = LAST, from = START - 600, to = START + DAY_S + 600 } = {}): Promise<void> {
  await seedNetwork(api.owner, {
    network: 'eth',
    wrapped: A,
    start: { number: 1, time: from },
    final,
    head: { number: LAST, time: to },
    covered: [[1, LAST, from, to]],
  })
}

beforeAll(async () => {
  api = await openFixture({
    async fill(owner) {
      await seedNetwork(owner, { network: 'eth', wrapped: A, start: { number: 1, time: START } })
      await seedTokens(owner, 'eth', [
        { address: A, symbol: 'WETH', name: NAME, decimals: 18 },
        { address: B, symbol: 'B', name: 'B', decimals: 0 },
      ])
      await seedSwaps(owner, SWAPS)
    },
  })
})

beforeEach(async () => {
  out = temporaryFolder()
  await seed()
})

/** Returns the day as `/v1/swaps` lists it, oldest first. */
async function listed(network: NetworkName): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = []
  const iso = (time: number) => new Date(time * 1000).toISOString().replace('.000', '')
  const query = `network=${network}&from=${iso(START)}&to=${iso(START + DAY_S)}&order=asc&limit=1000`
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await api.get(`/v1/swaps?${query}${cursor && `&cursor=${cursor}`}`)
    rows.push(...body.data)
    cursor = body.next
  }
  return rows
}

/** Returns the fields as one level of columns. */
function flat(row: Record<string, unknown>): Record<string, unknown> {
  const leg = (side: string) =>
    Object.entries(row[side] as object).map(([name, value]) => [
      `${side}.${name}`,
      name === 'decimals' && value !== null ? Number(value) : value,
    ])
  const { sell_token: _, buy_token: __, ...rest } = row
  return {
    ...rest,
    ...Object.fromEntries([...leg('sell_token'), ...leg('buy_token')]),
    flags: (row.flags as string[]).join(' '),
    hops: JSON.stringify(row.hops),
  }
}

describe('an exported day', () => {
  it("has the rows of the list as Parquet, by another library's reader", async () => {
    const { path, rows } = await exportDay(api.reader, { network: 'eth', day: DAY, format: 'parquet', out }, signal)
    const file = readParquet(await readFile(path))
    const table = tableFromIPC(file.intoIPCStream())
    const found = table.toArray().map((row) => {
      const { time, block_number, ...rest } = row.toJSON()
      return { ...rest, time: new Date(Number(time)).toISOString(), block_number: String(block_number) }
    })
    const expected = (await listed('eth')).map(flat)
    expect(found).toEqual(expected)
    expect([rows, expected.length]).toEqual([OF_DAY.length, OF_DAY.length])
    expect(found.some((row) => row['sell_token.amount'] === String(MOST))).toBe(true)
    const facts = Object.fromEntries(table.schema.metadata)
    expect(facts).toMatchObject({ 'dexfeed.network': 'eth', 'dexfeed.day': '2026-11-20', 'dexfeed.rows': String(rows) })
    expect(await readdir(out)).toEqual(['dexfeed-eth-2026-11-20.parquet'])
  })

  it('has the CSV of the list, and replaces an existing file', async () => {
    await writeFile(join(out, 'dexfeed-eth-2026-11-20.csv'), 'older')
    const { path } = await exportDay(api.reader, { network: 'eth', day: DAY, format: 'csv', out }, signal)
    const lines: string[] = []
    const query = `/v1/swaps?network=eth&from=2026-11-20T00:00:00Z&to=2026-11-21T00:00:00Z&order=asc&limit=1000`
    for (let next: string | undefined = query; next !== undefined; ) {
      const { text, headers } = await api.get(next, { headers: { Accept: 'text/csv' } })
      const [heading = '', ...rest] = text.split(/\r\n(?=time,|2026-|$)/)
      if (lines.length === 0) lines.push(heading)
      lines.push(...rest.filter((line) => line !== ''))
      next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
    }
    expect(await readFile(path, 'utf8')).toBe(`${lines.join('\r\n')}\r\n`)
    expect(lines).toHaveLength(OF_DAY.length + 1)
  })

  it.each([
    ['its beginning is not indexed', { from: START }, DAY],
    ['its end is not indexed', { to: START + DAY_S - 1 }, DAY],
    ['a part of it is not final', { final: 100 }, DAY],
    ['it is not over', {}, TODAY],
    ['it is outside of what is indexed', {}, DAY - 30],
  ])('is refused, and leaves no file, if %s', async (_, state, day) => {
    await seed(state)
    for (const format of ['parquet', 'csv'] as const) {
      await expect(exportDay(api.reader, { network: 'eth', day, format, out }, signal)).rejects.toThrow(
        /^2026-1\d-\d\d of eth: not all of it/,
      )
    }
    expect(await readdir(out)).toEqual([])
  })

  it('is refused if its rows were deleted, or its network is not indexed', async () => {
    await api.owner.query("INSERT INTO kept_days VALUES (1, '2026-11-21')")
    const of = (network: NetworkName) => ({ network, day: DAY, format: 'csv', out }) as const
    await expect(exportDay(api.reader, of('eth'), signal)).rejects.toThrow('not kept')
    await expect(exportDay(api.reader, of('bsc'), signal)).rejects.toThrow('not indexed')
    await api.owner.query('DELETE FROM kept_days')
  })

  it('leaves no file if it cannot be written', async () => {
    const file = join(await mkdtemp(join(out, 'x')), 'file')
    await writeFile(file, '')
    const request = { network: 'eth', day: DAY, format: 'csv', out: join(file, 'below') } as const
    await expect(exportDay(api.reader, request, signal)).rejects.toThrow()
  })
})

it('the command line selects the days', () => {
  const common = ['--network', 'eth', '--out', 'x']
  const read = (...args: string[]) => readRequest([...common, ...args])
  expect(read('--day', '2026-11-20')).toEqual({ network: 'eth', fromDay: DAY, toDay: DAY, format: 'parquet', out: 'x' })
  expect(read('--from', '2026-11-19', '--to', '2026-11-20', '--format', 'csv')).toMatchObject({
    fromDay: DAY - 1,
    toDay: DAY,
  })
  expect(read()).toMatch('give --day')
  expect(read('--day', '2026-11-20', '--to', '2026-11-21')).toMatch('give --day')
  expect(read('--from', '2026-11-20', '--to', '2026-11-19')).toMatch('is after')
  for (const bad of ['2026-02-30', '20261120', 'yesterday']) expect(read('--day', bad)).toMatch('Not a day')
  expect(read('--day', '2026-11-20', '--format', 'json')).toMatch('Allowed choices')
})
