import type { Address, PoolEvent } from '@dexfeed/dex'
import type { LiveCommit } from '@dexfeed/store'
import { describe, expect, test } from 'vitest'
import { AuditNotes } from './audit-final.ts'

const NO_ROWS = { fromTime: 0, toTime: 0, trades: [], pools: [], tokens: [] }
const commit = (from: number, to: number, isProven: boolean, rollbackTo: number | null = null) => ({
  ...NO_ROWS,
  from,
  to,
  live: { isProven, rollbackTo } as LiveCommit,
})

describe('proven blocks', () => {
  const provenIn = (notes: AuditNotes) => Array.from({ length: 10 }, (_, n) => n).filter((n) => notes.isProven(n))

  test('are those of proven commits, until they are rolled back or taken without proof', () => {
    const notes = new AuditNotes()
    notes.note(commit(5, 7, true), [])
    notes.note(commit(8, 8, false), [])
    notes.note(commit(9, 9, true), [])
    expect(provenIn(notes)).toEqual([5, 6, 7, 9])
    notes.note(commit(7, 8, true, 6), [])
    expect(provenIn(notes)).toEqual([5, 6, 7, 8])
    notes.note(commit(7, 7, false, 6), [])
    expect(provenIn(notes)).toEqual([5, 6])
  })

  test('are none of history', () => {
    const notes = new AuditNotes()
    notes.note({ ...NO_ROWS, from: 1, to: 9 }, [])
    expect(provenIn(notes)).toEqual([])
  })

  test('are without a block whose rows were filled in without proof', () => {
    const notes = new AuditNotes()
    notes.note(commit(5, 7, true), [])
    const skipped = (number: number, isProven: boolean) => ({
      ...NO_ROWS,
      from: number,
      to: number,
      skipped: { epoch: 1, hash: '0x', isProven } as const,
    })
    notes.note(skipped(5, true), [])
    notes.note(skipped(6, false), [])
    expect(provenIn(notes)).toEqual([5, 7])
  })

  test('are forgotten when no longer needed', () => {
    const notes = new AuditNotes()
    notes.note(commit(1, 4, true), [])
    notes.forgetProvenUpTo(2)
    expect(provenIn(notes)).toEqual([3, 4])
  })

  test('are none once one was false, nor that block if its commit comes late', () => {
    const notes = new AuditNotes()
    notes.note(commit(1, 4, true), [])
    notes.disprove(6)
    expect(provenIn(notes)).toEqual([])
    notes.note(commit(5, 6, true), [])
    notes.note(commit(7, 8, true), [])
    expect(provenIn(notes)).toEqual([7, 8])
  })
})

describe('liquidity events', () => {
  const [A, B]: [Address, Address] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`]
  const liquidity = (pool: Address, delta: bigint, logIndex = 0): PoolEvent => ({
    type: 'liquidity',
    family: 'concentrated',
    pool,
    transactionIndex: 0,
    logIndex,
    tickLower: -10,
    tickUpper: 10,
    delta,
  })
  const at = (blockNumber: number, ...events: PoolEvent[]) => ({ blockNumber, events })
  const range = { from: 7, to: 9 }

  const noted = [at(7, liquidity(A, 5n), liquidity(B, 6n)), at(9, liquidity(A, 1n))]
  test.each<[string, typeof noted, Address[]]>([
    ['the same', noted, []],
    ['one left out', [at(7, liquidity(A, 5n)), at(9, liquidity(A, 1n))], [B]],
    ['one invented', [...noted, at(8, liquidity(B, 1n))], [B]],
    ['one changed', [at(7, liquidity(A, 4n), liquidity(B, 6n)), at(9, liquidity(A, 1n))], [A]],
    ['all left out', [], [A, B]],
  ])('name the pools that differ: %s', (_, read, pools) => {
    const notes = new AuditNotes()
    notes.note(commit(7, 9, false), noted)
    expect([...notes.differing(range, read)].sort()).toEqual(pools)
  })

  test('of a new branch replace those that were rolled back', () => {
    const notes = new AuditNotes()
    notes.note(commit(7, 9, false), [at(8, liquidity(A, 5n))])
    notes.note(commit(7, 9, false, 6), [at(8, liquidity(B, 5n))])
    expect([...notes.differing(range, [at(8, liquidity(B, 5n))])]).toEqual([])
  })

  test('that are not remembered, as after a restart, do not count as different', () => {
    expect([...new AuditNotes().differing(range, [at(8, liquidity(A, 5n))])]).toEqual([])
    const notes = new AuditNotes()
    notes.note(commit(8, 8, false), [])
    expect([...notes.differing(range, [at(7, liquidity(A, 5n)), at(8, liquidity(B, 5n))])]).toEqual([B])
    expect([...notes.differing(range, [at(8, liquidity(B, 5n))])]).toEqual([])
  })

  test('of a branch are forgotten when proven blocks replace it', () => {
    const notes = new AuditNotes()
    notes.note(commit(7, 9, false), [at(8, liquidity(A, 5n))])
    notes.note(commit(8, 9, true, 7), [])
    expect([...notes.differing(range, [at(7, liquidity(A, 5n)), at(8, liquidity(B, 5n))])]).toEqual([A])
  })
})
