import {
  type Address,
  type Block,
  type Dex,
  type FormulaState,
  type Hex,
  type Log,
  type Pool,
  ReferenceBook,
  referenceBlocks,
} from '@dexfeed/dex'
import { id } from 'ethers'
import { expect, test } from 'vitest'
import { addressesOf, madeDeployment, verifyingChain, word } from '../../test/scene/made-values.ts'
import { trackerOf } from '../follow/pool-states/pool-state-tracker.ts'
import { PoolRegistry } from '../pools/pool-registry.ts'
import { BlockProcessor, type DroppedLogs } from './process-blocks.ts'

/**
 *  vault of V2:  pool A, pool B     a pool's own contract emits its fee and its pause, the vault emits its own
 *  vault of V3:  pool C             the vault emits all
 *  factory:      pair D
 */
const [VAULT, VAULT3, FACTORY, A, B, C, D, STRANGER] = addressesOf('e2', 'e3', 'fa', 'a1', 'b1', 'c1', 'd1', '5a')
const [TOKEN0, TOKEN1] = addressesOf('01', '02')
const idOf = (contract: Address) => `${contract.slice(2)}000200000000000000000001`

const v2: Dex = { name: 'balancer-v2', kind: 'balancer-v2', factory: VAULT }
const v3: Dex = { name: 'balancer-v3', kind: 'balancer-v3', factory: VAULT3 }
const velodrome: Dex = { name: 'topaz-v2', kind: 'velodrome-v2', factory: FACTORY }
const made = (address: Address, dex: Dex): Pool => {
  const coins = [TOKEN0, TOKEN1]
  return { address, dex, token0: TOKEN0, token1: TOKEN1, fee: 0, tickSpacing: null, coins }
}
const inVault = (contract: Address): Address => `${VAULT}${idOf(contract)}`
const pools = {
  a: made(inVault(A), v2),
  b: made(inVault(B), v2),
  c: made(`${VAULT3}${C.slice(2)}`, v3),
  d: made(D, velodrome),
}
const known = Object.values(pools)

const log = (address: Address, event: string): Log => {
  return { address, topics: [id(event) as Hex], data: word(1), transactionIndex: 0, logIndex: 3 }
}

const STATE: FormulaState = { kind: 'formula', formula: 'balancer-v2-weighted', values: [1n], freshUntil: null }

/** Returns the pools whose state is unknown after a block with these logs, and what was dropped. */
async function unknownAfter(...logs: Log[]) {
  const deployment = madeDeployment({ wrappedNative: TOKEN0, stablecoins: [TOKEN1], dexes: [v2, v3, velodrome] })
  const tokens = [TOKEN0, TOKEN1].map((address) => ({ address, symbol: '', name: '', decimals: 18 }))
  const registry = new PoolRegistry(verifyingChain({}), deployment, { pools: known, tokens })
  const dropped: DroppedLogs[] = []
  const onDropped = (logs: DroppedLogs) => void dropped.push(logs)
  const processor = new BlockProcessor(deployment, registry, { transactionLogs: async () => [] }, { onDropped })
  const config = { wrappedNative: TOKEN0, stablecoins: [TOKEN1], anchors: [], decimals: new Map() }
  const book = new ReferenceBook({ ...config, ...referenceBlocks('eth') }, [])
  const transactions = new Map([[0, { hash: word(1), from: STRANGER, value: 0n }]])
  const block: Block = { number: 5, hash: word(1), parentHash: '0x', timestamp: 1_700_000_000, transactions, logs }
  const { events, trades } = await processor.process([block], book, 'latest')
  expect(trades).toEqual([])
  expect(dropped).toEqual([])

  const tracker = trackerOf(registry.known.pools)
  tracker.apply(known.map(({ address }) => ({ pool: address, state: STATE })))
  return tracker.changes(events).poolStates.map(({ pool, blockNumber, state }) => {
    expect([blockNumber, state]).toMatchObject([5, { kind: 'formula', values: null }])
    return pool
  })
}

const { a, b, c, d } = pools
test.each<[string, Log[], Pool[]]>([
  ['the pause of a pool of V2', [log(A, 'PausedStateChanged(bool)')], [a]],
  ['the fee of a pool of V2', [log(B, 'SwapFeePercentageChanged(uint256)')], [b]],
  ['the recovery mode of a pool of V2', [log(A, 'RecoveryModeStateChanged(bool)')], [a]],
  ['the pause of the vault of V2', [log(VAULT, 'PausedStateChanged(bool)')], [a, b]],
  ['the pause of the vault of V3', [log(VAULT3, 'VaultPausedStateChanged(bool)')], [c]],
  ['the pause of the buffers of V3', [log(VAULT3, 'VaultBuffersPausedStateChanged(bool)')], [c]],
  ['the pause of a factory', [log(FACTORY, 'SetPauseState(bool)')], [d]],
  ['two pools at once', [log(B, 'PausedStateChanged(bool)'), log(A, 'PausedStateChanged(bool)')], [b, a]],
  ['a stranger that pauses', [log(STRANGER, 'PausedStateChanged(bool)')], []],
  ['a token that pauses a vault', [log(TOKEN0, 'VaultPausedStateChanged(bool)')], []],
])('after %s these pools are not quoted until they are read again', async (_, logs, expected) => {
  expect(await unknownAfter(...logs)).toEqual(expected.map(({ address }) => address))
})
