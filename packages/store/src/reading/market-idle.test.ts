import type { Address, PoolState } from '@dexfeed/dex'
import { connectTo, testDatabase } from '@dexfeed/test-setup'
import { readMarket } from '@dexfeed/test-setup/read-market'
import { hexNumber, seedNetwork, seedPool, seedState, seedTick } from '@dexfeed/test-setup/seed'
import type { Client } from 'pg'
import { beforeEach, expect, it } from 'vitest'
import { versionOf } from '../../test/rows/read-changes.ts'
import { open } from '../../test/rows/sample.ts'
import { type Database, openReader } from '../index.ts'

// A block of eth takes at least 10 seconds, so ten blocks are 100 seconds:
//
//   block         20   30   31   40   41   is final
//   pool 0, 2      x    x
//   pool 1         x    x    x
const POOLS = 3
const poolAt = (at: number): Address => hexNumber(0x900 + at)
const curve: PoolState = { kind: 'concentrated', sqrtPriceX96: 2n ** 96n, tick: 0, liquidity: 7n }

let owner: Client
let database: Database

beforeEach(async () => {
  const url = await testDatabase()
  database = await open(url, { applicationName: 'test-idle', readOnly: true, max: 3 })
  owner = await connectTo(url)
  await seedNetwork(owner, { network: 'eth', wrapped: hexNumber(1), start: { number: 1, time: 1_000 } })
  for (let at = 0; at < POOLS; at++) {
    const pool = { token0: hexNumber(2), token1: hexNumber(3), tickSpacing: 10 }
    await seedPool(owner, { network: 'eth', address: poolAt(at), ...pool })
    for (const block of [20, 30]) await seedState(owner, { network: 'eth', pool: poolAt(at), block, state: curve })
    for (const tick of [-20, 20]) {
      await seedTick(owner, { network: 'eth', pool: poolAt(at), block: 30, tick, gross: 20n, net: 20n })
    }
  }
  await seedState(owner, { network: 'eth', pool: poolAt(1), block: 31, state: curve })
})

const idle = () => openReader(database, { marketPageRows: 2, idlePoolS: 100 })
const finalAt = (block: number) => owner.query('UPDATE network SET final_number = $1', [block])
const market = async (reader = idle()) => (await readMarket(reader, 'eth')) ?? expect.fail()

it('idle pools are left out of a market, from the block on that ends their time, counted from the final one', async () => {
  await finalAt(40)
  expect(await market()).toMatchObject({ idleBelow: 30, states: { length: POOLS } })
  await finalAt(41)
  const found = await market()
  expect(found).toMatchObject({ idleBelow: 31, states: [{ pool: poolAt(1), blockNumber: 31 }] })
  expect(found.pools.map(({ address }) => address)).toEqual([poolAt(1)])
  expect(await market(openReader(database))).toMatchObject({ idleBelow: 0, states: { length: POOLS } })
})

it('they leave when the line passes their last block, once', async () => {
  const { network } = await market()
  await finalAt(41)
  const changes = (idleBelow: number) => idle().marketChanges('eth', { ...versionOf(network), idleBelow })
  expect((await changes(30))?.leaving.toSorted()).toEqual([poolAt(0), poolAt(2)])
  expect(await changes(31)).toMatchObject({ leaving: [] })
  expect(await changes(32)).toBeNull()
})

it('they come back with everything that is stored of them, and pools that are held do not', async () => {
  const { network } = await market()
  await finalAt(41)
  for (const pool of [poolAt(0), poolAt(1)]) {
    await seedState(owner, { network: 'eth', pool, block: 42, state: curve })
    await seedTick(owner, { network: 'eth', pool, block: 42, tick: 20, gross: 7n, net: 7n })
  }
  const known = { ...versionOf(network), idleBelow: 31, holds: (pool: Address) => pool !== poolAt(0) }
  const changes = await idle().marketChanges('eth', known)
  expect(changes?.ticks.map(({ pool }) => pool).toSorted()).toEqual([poolAt(0), poolAt(1)])
  expect(changes?.entering.states).toEqual([{ pool: poolAt(0), blockNumber: 42, state: curve }])
  expect(changes?.entering.ticks.map(({ pool, tick, gross }) => [pool, tick, gross])).toEqual([
    [poolAt(0), -20, 20n],
    [poolAt(0), 20, 7n],
  ])
})
