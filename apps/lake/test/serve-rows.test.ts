import { existsSync, rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { createLogger } from '@dexfeed/service'
import type { LakeRequest } from '@dexfeed/store'
import { closeAfter, temporaryFolder } from '@dexfeed/test-setup'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { type LakeRowReads, openLakeReads } from '../src/reading/lake-reads.ts'
import { openReadingDuck } from '../src/reading/reading-duck.ts'
import { serveRows } from '../src/reading/serve-rows.ts'
import { anyTrades, DAY, fillWorld, NETWORK, openWorld, type World, writeDay1 } from './lake-world.ts'

const log = createLogger({ name: 'lake', level: 'silent' })
const HOUR = DAY * 86_400
const REQUEST: LakeRequest<'flows'> = {
  kind: 'flows',
  network: NETWORK,
  from: HOUR,
  to: HOUR + 86_400,
  firstDay: DAY,
  versions: [1],
  of: { token: `0x${'0'.repeat(39)}1` },
}

async function serve(reads: Pick<LakeRowReads, 'each'>, timeLimitMs?: number) {
  const server = await serveRows({ reads, log, host: '127.0.0.1', port: 0, ...(timeLimitMs && { timeLimitMs }) })
  closeAfter(() => server.close())
  const ask = async (
    body: unknown,
    { path = '/rows', type = 'application/json', ...init }: Record<string, string> = {},
  ) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const headers = { 'Content-Type': type }
    const response = await fetch(`${server.url}${path}`, { method: 'POST', body: text, headers, ...init })
    return [response.status, await response.json()]
  }
  return { ask, url: server.url }
}

/** Rows that come when `release` is called, or never. */
function heldRows() {
  const state = { begun: 0, aborted: 0, release: () => {} }
  const released = new Promise<void>((resolve) => {
    state.release = resolve
  })
  async function* each(_: LakeRequest, signal: AbortSignal) {
    state.begun++
    await Promise.race([
      released,
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          state.aborted++
          reject(signal.reason)
        }),
      ),
    ])
    yield { pool: '1', hour: 0, net: '0' }
  }
  return { state, reads: { each } as Pick<LakeRowReads, 'each'> }
}

const until = async (isDone: () => boolean) => {
  while (!isDone()) await delay(5)
}

describe('the rows of the lake', () => {
  let world: World

  beforeAll(async () => {
    world = await openWorld()
    const [trades = []] = fc.sample(anyTrades, { numRuns: 1, seed: 2 })
    await fillWorld(world, trades)
    await writeDay1(world)
  })

  it('are those of the files that the manifests name', async () => {
    const reads = openLakeReads(world.objects, { folder: world.lake }, temporaryFolder())
    closeAfter(() => reads.close())
    const { ask } = await serve(reads)
    const found = await reads.rows(REQUEST)
    expect(found.length).toBeGreaterThan(0)
    expect(await ask(REQUEST)).toEqual([200, { rows: found }])
    expect(await ask({ ...REQUEST, to: REQUEST.from })).toEqual([200, { rows: [] }])
    expect(await ask({ ...REQUEST, versions: [2] })).toEqual([503, { error: 'the files cannot be read' }])
    expect(await ask({ ...REQUEST, versions: [1, 1] })).toEqual([503, { error: 'the files cannot be read' }])
    expect(await ask({ ...REQUEST, network: 'eth' })).toEqual([503, { error: 'the files cannot be read' }])
  })

  it('do not wait for a bucket longer than for files', async () => {
    const reads = openLakeReads(
      { getText: () => new Promise(() => undefined) },
      { folder: world.lake },
      temporaryFolder(),
    )
    closeAfter(() => reads.close())
    const { ask } = await serve(reads, 1_000)
    expect(await ask(REQUEST)).toEqual([503, { error: 'the files take too long' }])
  })

  it('are no longer read by DuckDB after an abort, whenever that comes', async () => {
    const duck = await openReadingDuck(temporaryFolder())
    closeAfter(() => duck.close())
    for (const ms of [0, 1, 5, 50]) {
      const reading = new AbortController()
      const rows = async () => {
        for await (const _ of duck.rows('SELECT sum(hash(range)) FROM range(1000000000000)', reading.signal));
      }
      setTimeout(() => reading.abort(new Error('left')), ms)
      await expect(rows()).rejects.toThrow('left')
    }
  })

  it('are sorted in the folder, also if it has been cleared', async () => {
    const folder = temporaryFolder()
    const duck = await openReadingDuck(folder)
    const { signal } = new AbortController()
    const sql = `SELECT count(DISTINCT range || '${'x'.repeat(200)}') FROM range(1000000)`
    for (const _ of [1, 2]) {
      for await (const [count] of duck.rows(sql, signal)) expect(count).toBe(1_000_000n)
      rmSync(folder, { recursive: true })
    }
    duck.close()
  })

  it('leave no database open if the bucket cannot be opened', async () => {
    const folder = temporaryFolder()
    const secrets = { region: 'x', accessKeyId: 'x', secretAccessKey: 'x' }
    const reads = openLakeReads(world.objects, { bucket: 'x', prefix: '', endpoint: 'nowhere', ...secrets }, folder)
    await expect(reads.rows(REQUEST)).rejects.toThrow('Invalid URL')
    expect(existsSync(folder)).toBe(false)
  })

  it('are only given for well-formed requests', async () => {
    const { state, reads } = heldRows()
    const { ask } = await serve(reads)
    const { of, ...others } = REQUEST
    const malformed: unknown[] = [
      '{',
      '',
      'null',
      [REQUEST],
      others,
      { ...REQUEST, kind: 'constructor' },
      { ...REQUEST, more: 1 },
      { ...REQUEST, from: -1 },
      { ...REQUEST, from: '0' },
      { ...REQUEST, to: 1e300 },
      { ...REQUEST, network: "bsc'" },
      { ...REQUEST, firstDay: 1.5 },
      { ...REQUEST, versions: [] },
      { ...REQUEST, versions: [0] },
      { ...REQUEST, versions: ['1'] },
      { ...REQUEST, versions: Array(4_001).fill(1) },
      { ...REQUEST, of: {} },
      { ...REQUEST, of: { token: "0x0') OR true --" } },
      { ...REQUEST, of: { token: [of.token] } },
      { ...REQUEST, of: { ...of, more: 1 } },
    ]
    for (const body of malformed) expect([body, await ask(body)]).toEqual([body, [400, { error: expect.any(String) }]])
    expect((await ask(' '.repeat(400_001)))[0]).toBe(413)
    expect((await ask(' '.repeat(2_000_000)))[0]).toBe(413)
    expect((await ask(REQUEST, { type: 'text/plain' }))[0]).toBe(415)
    expect((await ask(REQUEST, { path: '/rows?x' }))[0]).toBe(404)
    expect((await ask(REQUEST, { method: 'PUT' }))[0]).toBe(405)
    expect(state.begun).toBe(0)
  })

  it('are read for two requests at a time, while some wait and others are refused', async () => {
    const { state, reads } = heldRows()
    const { ask } = await serve(reads, 60_000)
    const asked = Array.from({ length: 18 }, () => ask(REQUEST))
    while ((await Promise.race([ask(REQUEST), delay(50)]))?.[0] !== 503);
    expect(state.begun).toBe(2)
    state.release()
    for (const answer of await Promise.all(asked)) expect(answer[0]).toBe(200)
  })

  it('are no longer read once the client has left, or after the time limit', async () => {
    const { state, reads } = heldRows()
    const { url, ask } = await serve(reads, 1_000)
    const client = new AbortController()
    const headers = { 'Content-Type': 'application/json' }
    const init = { method: 'POST', body: JSON.stringify(REQUEST), headers, signal: client.signal }
    const left = fetch(`${url}/rows`, init).catch(() => 'left')
    await until(() => state.begun === 1)
    client.abort()
    expect(await left).toBe('left')
    await until(() => state.aborted === 1)
    expect(await ask(REQUEST)).toEqual([503, { error: 'the files take too long' }])
    expect(state.aborted).toBe(2)
  })
})
