import { once } from 'node:events'
import { get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '@dexfeed/test-setup/connections'
import { hasHaproxy, startHaproxy } from '@dexfeed/test-setup/haproxy'
import { expect, test } from 'vitest'
import { openFixture } from './api-fixture.ts'

/** Low, so that a client exceeds it on a busy machine, too. */
const LIMIT = 4
/** A request without a response fails the test by itself. */
const PATIENCE_MS = 20_000

/**
 * Sends more requests than the limit allows, for a second and until one was refused. Returns how many passed, the
 * most that a limit lets pass in the seconds that it took, the `r` of their `RateLimit` headers, and all other statuses.
 */
async function flood(url: string, localAddress: string) {
  const start = performance.now()
  const end = start + 1_000
  const refusals = new Set<number>()
  const left = new Set<number>()
  let passed = 0
  const send = async () => {
    while (performance.now() < end || refusals.size === 0) {
      const signal = AbortSignal.timeout(PATIENCE_MS)
      const [response] = await once(get(`${url}/nothing`, { localAddress, agent: false, signal }), 'response')
      response.resume()
      if (response.statusCode === 404) {
        passed++
        left.add(Number(/r=(\d+)/.exec(response.headers.ratelimit)?.[1]))
      } else refusals.add(response.statusCode)
      await delay(5)
    }
  }
  await Promise.all([send(), send(), send()])
  // The time may begin in the middle of a second of the clock, so it can touch one more.
  const most = LIMIT * (Math.ceil((performance.now() - start) / 1_000) + 1)
  return { passed, most, left, refusals }
}

//  one client --> proxy --> api    counts all requests of the client
//                      \--> api    0
//                       \-> api    0
test.skipIf(!hasHaproxy())('three replicas with the proxy let a client through as often as one', async () => {
  const port = await freePort()
  const addresses = ['127.0.0.2', '127.0.0.3', '127.0.0.4']
  const options = { port, rateLimitPerS: LIMIT, trustProxy: 1 }
  const apiFixture = await openFixture({ ...options, host: '127.0.0.2' })
  for (const host of addresses.slice(1)) await openFixture({ ...options, host, ownerUrl: apiFixture.ownerUrl })
  const { url, sees } = await startHaproxy(port, addresses)
  // Nothing is indexed, so no replica is ready, and the proxy uses those that are alive. Until it knows that, clients move
  // between replicas.
  await sees(0)
  await sees(addresses.length, 'alive')
  const clients = await Promise.all(['127.0.1.1', '127.0.1.2'].map((client) => flood(url, client)))
  for (const { passed, most, left, refusals } of clients) {
    // In a second with a refusal, each request before it counted once.
    expect([...left].sort((a, b) => a - b)).toEqual(Array.from({ length: LIMIT }, (_, at) => at))
    expect(passed).toBeLessThanOrEqual(most)
    expect(refusals).toEqual(new Set([429]))
  }
  // A replica that clients reach directly limits them by itself.
  const direct = await flood(`http://127.0.0.3:${port}`, '127.0.1.3')
  expect(direct.passed).toBeLessThanOrEqual(direct.most)
})
