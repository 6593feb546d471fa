import { get as httpGet, type IncomingMessage } from 'node:http'
import type { Reader, SwapRow } from '@dexfeed/store'
import { connectTo, testDatabase } from '@dexfeed/test-setup'
import { hexNumber, type SeedSwap, seedNetwork, seedSwaps, seedTokens } from '@dexfeed/test-setup/seed'
import type { Client } from 'pg'
import { Registry } from 'prom-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApiFixture, type FixtureOptions, NOON, openFixture } from './api-fixture.ts'
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts'

// Two networks; per network ROWS swaps up to the final block 9,000 and 40 swaps above it, up to the head 9,020.
//
//   block   1 ............................ 9,000 | 9,001 ... 9,020
//           final, read page by page             | reorgable, read once at the start
const NETWORKS = ['eth', 'bsc'] as const
const ROWS = 10_000
/** A page of a thousand rows of one network ends a batch. */
const ALL_BATCHES = (NETWORKS.length * ROWS) / 1_000
const FINAL = 9_000
const HEAD = 9_020
const A = hexNumber(0xa)
const B = hexNumber(0xb)
const timeOf = (block: number) => NOON - (HEAD - block)

let ownerUrl: string
let fixture: ApiFixture

beforeAll(async () => {
  ownerUrl = await testDatabase()
  await fill(await connectTo(ownerUrl))
})

async function fill(owner: Client): Promise<void> {
  for (const network of NETWORKS) {
    await seedNetwork(owner, {
      ...{ network, wrapped: A, start: { number: 1, time: timeOf(1) } },
      ...{ head: { number: HEAD, time: timeOf(HEAD) }, final: FINAL, covered: [[0, HEAD, timeOf(0), timeOf(HEAD)]] },
    })
    const tokens = [A, B].map((address) => ({ address, symbol: 'T', name: 'a token of some name', decimals: 18 }))
    await seedTokens(owner, network, tokens)
    await seedSwaps(
      owner,
      range(ROWS, (at) => swapOf(network, 1 + Math.floor((at * FINAL) / ROWS), at)),
    )
    await seedSwaps(owner, tailOf(network))
  }
}

const tailOf = (network: 'eth' | 'bsc') => range(40, (at) => swapOf(network, FINAL + 1 + Math.floor(at / 2), at))

function swapOf(network: 'eth' | 'bsc', block: number, transaction: number): SeedSwap {
  return {
    ...{ network, block, time: timeOf(block), transaction, sell: A, buy: B, usd: '1.00000000' },
    ...{ sellAmount: 10n ** 20n, buyAmount: 10n ** 24n },
  }
}

function range<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at))
}

/** Counts the batches that the API asks for. */
function counting(reader: Reader): { reader: Reader; batches: () => number } {
  let batches = 0
  return {
    batches: () => batches,
    reader: {
      ...reader,
      async swapWindow(selection) {
        const window = await reader.swapWindow(selection)
        const counted = async function* (): AsyncGenerator<SwapRow[], undefined> {
          for await (const batch of window.batches) {
            batches++
            yield batch
          }
        }
        return { ...window, batches: counted() }
      },
    },
  }
}

async function open(options: FixtureOptions = {}, count = false): Promise<{ batches: () => number }> {
  let batches = () => 0
  registry.current = new Registry()
  fixture = await openFixture({
    ownerUrl,
    registry: registry.current,
    ...options,
    ...(count && {
      wrapReader: (reader: Reader) => {
        const counted = counting(reader)
        batches = counted.batches
        return counted.reader
      },
    }),
  })
  return { batches: () => batches() }
}

/** The response with its body not yet read. */
function begin(path = '/api/swaps_24h'): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpGet(fixture.api.url + path, { agent: false }, (response) => {
      response.pause()
      resolve(response)
    }).on('error', reject)
  })
}

async function rest(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response) text += chunk
  return text
}

const BRANCH = [swapOf('eth', FINAL + 5, 9_999)]
const AS_BEFORE = NETWORKS.flatMap(tailOf)

/** Replaces everything above the final block, by another branch or by what was there at first. */
async function reorg(owner: Client, branch: readonly SeedSwap[]): Promise<void> {
  await owner.query('BEGIN')
  await owner.query('DELETE FROM swap WHERE block_number > $1', [FINAL])
  await seedSwaps(owner, branch)
  await owner.query('UPDATE network SET reorgs = reorgs + 1')
  await owner.query('COMMIT')
}

const registry = { current: new Registry() }

async function openStreams(): Promise<number | undefined> {
  const metric = await registry.current.getSingleMetric('dexfeed_api_open_streams')?.get()
  return metric?.values[0]?.value
}

/** What the API's connections do now. */
async function busy(owner: Client): Promise<string[]> {
  const { rows } = await owner.query(
    `SELECT query FROM pg_stat_activity WHERE application_name LIKE 'dexfeed-api%'
     AND (state <> 'idle' OR backend_xmin IS NOT NULL)`,
  )
  return rows.map(({ query }) => query).filter((query) => query.includes('FROM swap'))
}

describe('a reader that is slow', () => {
  it('is waited for with little read ahead and no transaction open, and gets everything in the end', async () => {
    const { batches } = await open({}, true)
    const response = await begin()
    let before = -1
    // Until the buffers of the sockets between us are full.
    await expect
      .poll(
        () => {
          const same = batches() === before
          before = batches()
          return same && before > 0
        },
        { interval: 300, timeout: 20_000 },
      )
      .toBe(true)
    expect(before).toBeLessThan(ALL_BATCHES - 2)
    await expect.poll(() => busy(fixture.owner)).toEqual([])
    const body = JSON.parse(await rest(response))
    expect(body).toHaveLength(2 * (ROWS + 40))
    expect(batches()).toBeGreaterThanOrEqual(ALL_BATCHES)
  })

  it('sees nothing of a reorg that happens meanwhile', async () => {
    await open()
    const before = (await fixture.get('/api/swaps_24h')).text
    const response = await begin()
    await reorg(fixture.owner, BRANCH)
    expect(await rest(response)).toBe(before)
    expect((await fixture.get('/api/swaps_24h')).text).not.toBe(before)
    await reorg(fixture.owner, AS_BEFORE)
  })

  it('is cut off, never sent a mix, when the reorgable part is too long to be held', async () => {
    await open({ reading: { maxTailRows: 10 } })
    const response = await begin()
    await reorg(fixture.owner, BRANCH)
    await reorg(fixture.owner, AS_BEFORE)
    await expect(rest(response)).rejects.toThrow(/aborted|terminated|hang up/)
  })

  it('is cut off when it takes nothing for too long', async () => {
    await open({ streamLimits: { maxOpen: 9, maxMs: 60_000, stallMs: 200 } })
    const response = await begin()
    const closed = new Promise((resolve) => response.on('close', resolve).on('error', () => {}))
    await expect.poll(openStreams, { timeout: 20_000 }).toBe(0)
    response.resume()
    await closed
    expect(response.complete).toBe(false)
  })

  it('is cut off when the whole list takes too long', async () => {
    await open({ streamLimits: { maxOpen: 9, maxMs: 2_000, stallMs: 60_000 } })
    const response = await begin()
    await expect.poll(openStreams, { timeout: 20_000 }).toBe(0)
    await expect(rest(response)).rejects.toThrow()
  })

  it('takes a place: further lists are refused until it has left', async () => {
    await open({ streamLimits: { maxOpen: 1, maxMs: 60_000, stallMs: 60_000 } })
    const response = await begin()
    const refused = await fixture.get('/api/swaps_24h')
    expect(refused).toMatchObject({ status: 503, body: { error: 'too many lists are being sent' } })
    expect(refused.headers.get('retry-after')).toBe('1')
    response.destroy()
    await expect.poll(async () => (await fixture.get('/api/swaps_24h?limit=1')).status).toBe(200)
  })
})

describe('a reader that leaves', () => {
  it('takes its statement with it', async () => {
    await open()
    await fixture.owner.query('BEGIN')
    await fixture.owner.query('LOCK TABLE swap IN ACCESS EXCLUSIVE MODE')
    const watcher = await fixture.connectOwner()
    const gone = new AbortController()
    const request = fetch(`${fixture.api.url}/api/swaps_24h`, { signal: gone.signal })
    await expect.poll(async () => (await busy(watcher)).length).toBe(1)
    gone.abort()
    await expect(request).rejects.toThrow()
    await expect.poll(() => busy(watcher)).toEqual([])
    await fixture.owner.query('ROLLBACK')
  })
})

describe('a database that goes away in the middle', () => {
  it('ends the body so that it cannot be taken for whole', async () => {
    let proxy: TcpProxy | undefined
    await open({
      way: async (url) => {
        proxy = await openTcpProxy(url)
        return proxy.url
      },
    })
    const response = await begin()
    await proxy?.cut()
    await expect(rest(response)).rejects.toThrow(/aborted|terminated|hang up/)
  })
})

describe('compression', () => {
  it('gives the same list', async () => {
    await open()
    const encodings = ['gzip', 'br', 'identity']
    const replies = await Promise.all(
      encodings.map((encoding) => fixture.get('/api/swaps_24h', { headers: { 'Accept-Encoding': encoding } })),
    )
    expect(replies.map(({ headers }) => headers.get('content-encoding'))).toEqual(['gzip', 'br', null])
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  })
})
