import { once } from 'node:events'
import { get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '@dexfeed/test-setup/connections'
import { hasHaproxy, startHaproxy } from '@dexfeed/test-setup/haproxy'
import { expect, test } from 'vitest'
import { openFixture } from './api-fixture.ts'

const LIMIT = 60
const SECONDS = 3

/** Sends far more requests than the limit allows. Returns how many passed per second, and all other statuses. */
async function flood(url: string, localAddress: string) {
  const end = performance.now() + 1_000 * SECONDS
  const refusals = new Set<number>()
  let passed = 0
  const send = async () => {
    while (performance.now() < end) {
      const [response] = await once(get(`${url}/nothing`, { localAddress, agent: false }), 'response')
      response.resume()
      if (response.statusCode === 404) passed++
      else refusals.add(response.statusCode)
      await delay(5)
    }
  }
  await Promise.all([send(), send(), send()])
  return { perSecond: passed / SECONDS, refusals }
}

//  one client --> proxy --> api    counts all requests of the client
//                      \--> api    0
//                       \-> api    0
test.skipIf(!hasHaproxy())(
  'three replicas with the proxy let a client through as often as one',
  async () => {
    const port = await freePort()
    const addresses = ['127.0.0.2', '127.0.0.3', '127.0.0.4']
    const options = { port, rateLimitPerS: LIMIT, trustProxy: 1 }
    const one = await openFixture({ ...options, host: '127.0.0.2' })
    for (const host of addresses.slice(1)) await openFixture({ ...options, host, ownerUrl: one.ownerUrl })
    const { url } = await startHaproxy(port, addresses)
    const clients = await Promise.all(['127.0.1.1', '127.0.1.2'].map((client) => flood(url, client)))
    for (const { perSecond, refusals } of clients) {
      // A window that begins at the end gives another second's requests.
      expect(perSecond).toBeGreaterThan(LIMIT / 2)
      expect(perSecond).toBeLessThanOrEqual((LIMIT * (SECONDS + 1)) / SECONDS)
      expect(refusals).toEqual(new Set([429]))
    }
    // A replica that clients reach directly limits them by itself.
    const direct = await flood(`http://127.0.0.3:${port}`, '127.0.1.3')
    expect(direct.perSecond).toBeLessThanOrEqual((LIMIT * (SECONDS + 1)) / SECONDS)
  },
  60_000,
)
