import { testDevnet } from '@dexfeed/indexer/test/test-devnet'
import { testDatabase } from '@dexfeed/test-setup'
import { freePort } from '@dexfeed/test-setup/connections'
import { expect, test, vi } from 'vitest'
import { type Programs, startPrograms } from './programs.ts'

const LISTS = ['/api/swaps_24h', '/api/swaps_24h?limit=5', '/api/trade_volume_usd_7d']

async function complete({ get }: Programs): Promise<(string | null)[]> {
  return Promise.all(LISTS.map(async (path) => (await get(path)).headers.get('x-data-complete')))
}

//  indexer   eth: unreachable            bsc: indexed up to its head
//  API       reads only the database
test('nothing is complete without a network that is to be indexed, even if none of its nodes ever responded', async () => {
  const devnet = await testDevnet({ networks: ['bsc'], historyDays: 8, historyBlocks: 16 })
  const databaseUrl = await testDatabase()
  const nowhere = `http://127.0.0.1:${await freePort()}`
  const both = await startPrograms({ devnet, databaseUrl, indexerSettings: { ETH_RPC_URL: nowhere } })
  await vi.waitFor(
    async () => {
      const { body } = await both.get('/status')
      expect(body.ready).toBe(false)
      expect(body.networks).toMatchObject([
        { network: 'eth', ready: false, start_block: null, indexed_block: null, gaps: [] },
        { network: 'bsc', ready: true },
      ])
      expect(body.networks[0].degraded).toEqual(expect.stringMatching(/./))
      expect(body.networks[0].degraded).not.toContain('127.0.0.1')
    },
    { timeout: 120_000, interval: 100 },
  )
  expect(await complete(both)).toEqual(['false', 'false', 'false'])
  expect((await both.get('/api/swaps_24h?network=bsc')).headers.get('x-data-complete')).toBe('true')
  const none = await both.get('/api/swaps_24h?network=eth')
  expect([none.status, none.text, none.headers.get('x-data-complete')]).toEqual([200, '[]', 'false'])
  const ready = await both.get('/readyz')
  expect([ready.status, ready.body.error]).toEqual([503, 'not ready: eth: nothing is indexed yet'])
  expect((await both.get('/api/quote?network=eth&sellToken=WETH&buyToken=USDC')).status).toBe(503)
  await both.stop()

  const programs = await startPrograms({ devnet, databaseUrl })
  await programs.upToDate()
  expect(await complete(programs)).toEqual(['true', 'true', 'true'])
  expect((await programs.get('/api/swaps_24h?network=eth')).status).toBe(404)
}, 300_000)

//  indexer   eth: unreachable      |----------------------
//  indexer   bsc             |----|   |-------------------
test("two indexers that share the networks keep each other's networks active", async () => {
  const devnet = await testDevnet({ networks: ['bsc'], historyDays: 8, historyBlocks: 16 })
  const databaseUrl = await testDatabase()
  const nowhere = `http://127.0.0.1:${await freePort()}`
  const { rpc } = devnet.chains.bsc
  const bsc = await startPrograms({ devnet, databaseUrl })
  await bsc.upToDate()
  const { get } = await startPrograms({
    devnet: { ...devnet, chains: {} },
    databaseUrl,
    indexerSettings: { ETH_RPC_URL: nowhere },
  })
  const areBothOn = (indexed: number) =>
    vi.waitFor(
      async () => {
        const { body } = await get('/status')
        expect(body.networks).toMatchObject([
          { network: 'eth', ready: false, degraded: expect.stringMatching(/./) },
          { network: 'bsc', ready: true, indexed_block: indexed },
        ])
      },
      { timeout: 120_000, interval: 100 },
    )
  const head = Number(await rpc.send<string>('eth_blockNumber', []))
  await areBothOn(head)
  await bsc.stop()
  await startPrograms({ devnet, databaseUrl })
  await rpc.send('evm_mine', [])
  await areBothOn(head + 1)
}, 300_000)
