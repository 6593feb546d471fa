import type { LiveCommit } from '@dexfeed/store'
import { expect, it } from 'vitest'
import { ProvenBlocks } from './proven-blocks.ts'

const NO_ROWS = { fromTime: 0, toTime: 0, trades: [], pools: [], tokens: [] }

const commit = (from: number, to: number, isProven: boolean, rollbackTo: number | null = null) => ({
  ...{ ...NO_ROWS, from, to },
  live: { isProven, rollbackTo } as LiveCommit,
})

const known = (blocks: ProvenBlocks) => Array.from({ length: 10 }, (_, n) => n).filter((number) => blocks.has(number))

it('knows the blocks of proven commits, until they are rolled back or taken without proof', () => {
  const blocks = new ProvenBlocks()
  blocks.note(commit(5, 7, true))
  blocks.note(commit(8, 8, false))
  blocks.note(commit(9, 9, true))
  expect(known(blocks)).toEqual([5, 6, 7, 9])
  blocks.note(commit(7, 8, true, 6))
  expect(known(blocks)).toEqual([5, 6, 7, 8])
  blocks.note(commit(7, 7, false, 6))
  expect(known(blocks)).toEqual([5, 6])
})

it('knows nothing of history', () => {
  const blocks = new ProvenBlocks()
  blocks.note({ ...NO_ROWS, from: 1, to: 9 })
  expect(known(blocks)).toEqual([])
})

it('forgets a block whose rows were filled in without proof', () => {
  const blocks = new ProvenBlocks()
  blocks.note(commit(5, 7, true))
  const skipped = (number: number, isProven: boolean) => ({
    ...{ ...NO_ROWS, from: number, to: number, skipped: { epoch: 1, hash: '0x', isProven } as const },
  })
  blocks.note(skipped(5, true))
  blocks.note(skipped(6, false))
  expect(known(blocks)).toEqual([5, 7])
})

it('forgets blocks that are no longer needed', () => {
  const blocks = new ProvenBlocks()
  blocks.note(commit(1, 4, true))
  blocks.forgetUpTo(2)
  expect(known(blocks)).toEqual([3, 4])
})

it('knows no block once one was false, nor that block if its commit comes late', () => {
  const blocks = new ProvenBlocks()
  blocks.note(commit(1, 4, true))
  blocks.disprove(6)
  expect(known(blocks)).toEqual([])
  blocks.note(commit(5, 6, true))
  blocks.note(commit(7, 8, true))
  expect(known(blocks)).toEqual([7, 8])
})
