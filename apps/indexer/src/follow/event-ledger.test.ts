import type { Address, PoolEvent } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { EventLedger } from './event-ledger.ts'

const [A, B]: [Address, Address] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`]
const liquidity = (pool: Address, delta: bigint, logIndex = 0): PoolEvent => ({
  ...{ type: 'liquidity', family: 'concentrated', pool, transactionIndex: 0, logIndex },
  ...{ tickLower: -10, tickUpper: 10, delta },
})
const at = (blockNumber: number, ...events: PoolEvent[]) => ({ blockNumber, events })
const range = { from: 7, to: 9 }

test('returns the pools of which events were left out, invented, or changed', () => {
  const noted = [at(7, liquidity(A, 5n), liquidity(B, 6n)), at(9, liquidity(A, 1n))]
  const cases: [typeof noted, Address[]][] = [
    [noted, []],
    [[at(7, liquidity(A, 5n)), at(9, liquidity(A, 1n))], [B]],
    [[...noted, at(8, liquidity(B, 1n))], [B]],
    [[at(7, liquidity(A, 4n), liquidity(B, 6n)), at(9, liquidity(A, 1n))], [A]],
    [[], [A, B]],
  ]
  for (const [read, pools] of cases) {
    const ledger = new EventLedger()
    ledger.note(range, noted)
    expect([...ledger.differing(range, read)].sort()).toEqual(pools)
  }
})

test('the blocks of a new branch replace those that were rolled back', () => {
  const ledger = new EventLedger()
  ledger.note(range, [at(8, liquidity(A, 5n))])
  ledger.note(range, [at(8, liquidity(B, 5n))])
  expect([...ledger.differing(range, [at(8, liquidity(B, 5n))])]).toEqual([])
})

test('blocks that are not remembered, as after a restart, do not count as different', () => {
  expect([...new EventLedger().differing(range, [at(8, liquidity(A, 5n))])]).toEqual([])
  const ledger = new EventLedger()
  ledger.note({ from: 8, to: 8 }, [])
  expect([...ledger.differing(range, [at(7, liquidity(A, 5n)), at(8, liquidity(B, 5n))])]).toEqual([B])
  expect([...ledger.differing(range, [at(8, liquidity(B, 5n))])]).toEqual([])
})

test('the events of a branch are forgotten when blocks that need no comparison replace it', () => {
  const ledger = new EventLedger()
  ledger.note(range, [at(8, liquidity(A, 5n))])
  ledger.note({ from: 8, to: 9 }, null)
  expect([...ledger.differing(range, [at(7, liquidity(A, 5n)), at(8, liquidity(B, 5n))])]).toEqual([A])
})
