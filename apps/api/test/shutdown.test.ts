import { get as httpGet, type IncomingMessage } from 'node:http'
import { connectTo, testDatabase } from '@dexfeed/test-setup'
import { hexNumber, seedSwaps, seedTokens } from '@dexfeed/test-setup/seed'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApiFixture, NOON, openFixture } from './api-fixture.ts'
import { seedCovered } from './seed-market.ts'

const A = hexNumber(0xa)
const B = hexNumber(0xb)
const ROWS = 20_000
let ownerUrl: string
let api: ApiFixture

beforeAll(async () => {
  ownerUrl = await testDatabase()
  const owner = await connectTo(ownerUrl)
  await seedCovered(owner, { network: 'eth', wrapped: A })
  const tokens = [A, B].map((address) => ({ address, symbol: 'T', name: 'T', decimals: 18 }))
  await seedTokens(owner, 'eth', tokens)
  const swap = { network: 'eth', block: 50, time: NOON - 50, sell: A, buy: B } as const
  const swaps = Array.from({ length: ROWS }, (_, transaction) => ({ ...swap, transaction }))
  await seedSwaps(owner, swaps)
})

/** The time is enough for whatever a test waits for, even on a busy machine. */
async function open(finishMs = 30_000): Promise<void> {
  api = await openFixture({ ownerUrl, drainMs: 2_000, finishMs })
}

function begin(): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpGet(`${api.api.url}/api/swaps_24h`, { agent: false }, (response) => {
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

describe('shutdown', () => {
  it('is no longer ready first, then accepts no connection, and lets open requests end', async () => {
    await open()
    expect((await api.get('/readyz')).status).toBe(200)
    const response = await begin()
    const stopped = api.api.stop()
    const ready = await api.get('/readyz')
    expect(ready).toMatchObject({ status: 503, body: { error: 'not ready: shutting down' } })
    expect(ready.headers.get('connection')).toBe('close')
    expect((await api.get('/api/trade_volume_usd_7d')).status).toBe(200)
    await expect
      .poll(
        () =>
          api.get('/livez').then(
            () => 'open',
            () => 'closed',
          ),
        { timeout: 30_000 },
      )
      .toBe('closed')
    expect(JSON.parse(await rest(response))).toHaveLength(ROWS)
    await stopped
  })

  it('loses no request of many clients', async () => {
    await open()
    const statuses: number[] = []
    let stopping = false
    const client = async () => {
      while (!stopping) statuses.push((await api.get('/api/trade_volume_usd_7d')).status)
    }
    const clients = [client(), client(), client(), client()]
    await expect.poll(() => statuses.length).toBeGreaterThan(20)
    const stopped = api.api.stop()
    // Like a load balancer, sends nothing new to a replica that is no longer ready.
    await expect.poll(async () => (await api.get('/readyz')).status).toBe(503)
    stopping = true
    await Promise.all(clients)
    await stopped
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  it('cuts off requests that take too long', async () => {
    await open(500)
    const response = await begin()
    await api.api.stop()
    await expect(rest(response)).rejects.toThrow()
  })
})
