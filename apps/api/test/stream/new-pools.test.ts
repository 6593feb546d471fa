import { checksumAddress } from '@dexfeed/contract'
import { hexNumber } from '@dexfeed/test-setup/seed'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { type FiguredWorld, follow, openFiguredWorld } from '../figures/figured-world.ts'
import { ONE, pool, THREE, TWO } from '../made-hops.ts'
import { listenToEvents, type TestListener } from './listener.ts'

const NEW = pool(0xe0, [ONE, TWO], 'uniswap-v2')
const ODD = pool(0xe1, [THREE, ONE], 'sushiswap')
const state = { kind: 'pair', reserve0: 2n * 10n ** 18n, reserve1: 1_200n * 10n ** 6n } as const

let world: FiguredWorld

beforeAll(async () => {
  world = await openFiguredWorld()
  await follow(world, [401, 403], 1, null)
  await world.api.committed()
})

const poolsOf = ({ received }: TestListener) => received.flatMap((each) => (each.event === 'pool' ? [each.data] : []))

async function listen(query: string): Promise<TestListener> {
  const listener = await listenToEvents(world.api.api.url, { query })
  onTestFinished(() => listener.close())
  return listener
}

//   404 - 405 - 406 - 407      405 creates two pools, 407 only moves the head
//      `- 405'- 406'           creates neither
it('new pools are sent with their block, again with their liquidity, and removed by a reorg', async () => {
  const { api } = world
  const all = await listen('network=bsc&events=pool')
  const some = await Promise.all([
    ...[listen(`events=pool&token=${THREE}`), listen('events=pool&protocol=uniswap-v2'), listen('network=bsc')],
    listen('events=pool&token='),
  ])
  // A change without new pools.
  await follow(world, [404, 404], 1, null)
  await api.committed()
  await expect.poll(() => all.received.at(-1)?.data).toMatchObject({ block_number: '404' })
  await follow(world, [405, 405], 1, null, { pools: [NEW, ODD], poolStates: [] })
  await api.committed()
  await expect.poll(() => poolsOf(all).length).toBe(2)
  const token = { symbol: expect.any(String), name: expect.any(String) }
  const created = {
    network: 'bsc',
    address: NEW.address,
    protocol: 'uniswap-v2',
    fee_millionths: 3_000,
    tokens: [
      { address: checksumAddress(ONE), decimals: '18', ...token },
      { address: checksumAddress(TWO), decimals: '6', ...token },
    ],
    created_at: '2026-11-21T12:10:00.000Z',
    created_block: '405',
    created_tx: hexNumber(1_405, 64),
    creator: checksumAddress(hexNumber(0xc4ea)),
    liquidity_usd: null,
  }
  expect(poolsOf(all)[0]).toEqual(created)
  expect(poolsOf(all)[1]).toMatchObject({ address: ODD.address, liquidity_usd: null })
  await expect
    .poll(() => some.map((listener) => poolsOf(listener).map(({ address }) => address)))
    .toEqual([...[[ODD.address], [NEW.address], [], []]])
  const stored = async () => (await api.get(`/v1/pools/bsc/${NEW.address}`)).body
  const { created_at, created_block, created_tx, creator } = created
  expect(await stored()).toMatchObject({ created_at, created_block, created_tx, creator })

  await follow(world, [406, 406], 1, null, { pools: [], poolStates: [{ pool: NEW.address, blockNumber: 406, state }] })
  await api.committed()
  await expect.poll(async () => (await stored()).liquidity_usd, { timeout: 20_000 }).not.toBeNull()
  // The market may learn the state after the commit's events, so values come with a later change.
  for (let block = 407; poolsOf(all).length < 3; block++) {
    await follow(world, [block, block], 1, null)
    await api.committed()
    await expect.poll(() => all.received.at(-1)?.data).toMatchObject({ block_number: String(block) })
  }
  expect(poolsOf(all)[2]).toEqual({ ...created, liquidity_usd: (await stored()).liquidity_usd })
  // The pool without a state has no value.
  expect(poolsOf(all)).toHaveLength(3)

  await follow(world, [405, 406], 2, 404)
  await api.committed()
  await expect.poll(() => all.received.at(-1)).toMatchObject({ event: 'head', data: { block_number: '406' } })
  const removals = all.received.flatMap((each) => (each.event === 'removed' ? [each.data] : []))
  expect(removals.some(({ from_block, to_block }) => Number(from_block) <= 405 && 405 <= Number(to_block))).toBe(true)
  expect((await api.get(`/v1/pools/bsc/${NEW.address}`)).status).toBe(404)
})
