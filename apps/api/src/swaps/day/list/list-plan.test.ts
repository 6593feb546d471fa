import { cellOf } from '@dexfeed/store'
import { expect, it } from 'vitest'
import type { NetworkDay } from '../network-day.ts'
import type { RenderedBlock } from '../rendered-block.ts'
import type { SegmentStore } from '../segment-store.ts'
import { planList } from './list-plan.ts'
import type { ListState } from './list-state.ts'

const STORE = null as unknown as SegmentStore
const NETWORK = { network: 'eth' } as NetworkDay['network']

function block(number: number, rows: string): RenderedBlock {
  return {
    ...{ network: 'eth', number, time: number, bytes: Buffer.from(rows) },
    ends: Uint32Array.of(rows.length),
    transactions: Uint32Array.of(0),
    positions: Uint32Array.of(0),
    marks: Uint8Array.of(0),
  }
}

function stateOf(blocks: readonly RenderedBlock[]): ListState {
  const cells = blocks.map((renderedBlock) => {
    const { number, time: youngest } = renderedBlock
    return { number: cellOf(number), version: '1', segment: null, blocks: [renderedBlock], unknown: [], youngest }
  })
  return { days: [{ network: NETWORK, since: 0, cells }], merged: new Map() }
}

async function tagOf(...blocks: readonly RenderedBlock[]): Promise<string> {
  return (await planList(stateOf(blocks), { since: 0 }, STORE)).tag
}

it('lists of different rows have different tags, even with equal counts and lengths', async () => {
  const tag = await tagOf(block(1, ',{"a":1}'), block(40, ',{"b":2}'))
  expect(await tagOf(block(1, ',{"a":1}'), block(40, ',{"b":2}'))).toBe(tag)
  expect(await tagOf(block(1, ',{"a":1}'), block(40, ',{"b":3}'))).not.toBe(tag)
  expect(await tagOf(block(1, ',{"a":2}'), block(40, ',{"b":2}'))).not.toBe(tag)
})
