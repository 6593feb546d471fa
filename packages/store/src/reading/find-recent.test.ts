import type { NetworkName } from '@dexfeed/dex'
import { expect, it } from 'vitest'
import type { FoundSwap } from '../tables/swap/swap-page.ts'
import { findRecent, type RecentOfNetwork } from './find-recent.ts'

const DAY = 20_000
const timeOf = (block: number) => DAY * 86_400 + block

function recentOf(network: NetworkName, floor: number, places: readonly [block: number, position: number][]) {
  const trades = places.map(([blockNumber, position]) => {
    return { network, blockNumber, transactionIndex: 0, position, time: timeOf(blockNumber) } as FoundSwap
  })
  const head = { number: 100, timestamp: timeOf(100), hash: '0x1' }
  return { network: { network, head }, floor, trades } as unknown as RecentOfNetwork<FoundSwap>
}

const search = (limit: number) => ({ from: null, limit })
const all = () => true
const places = (rows: readonly FoundSwap[]) => rows.map(({ network, blockNumber }) => `${network} ${blockNumber}`)

it('goes on at the very trade that a cursor names', () => {
  const eth = recentOf('eth', 40, [
    [60, 2],
    [60, 1],
    [60, 0],
    [50, 0],
  ])
  const first = findRecent([eth], search(1), all)
  expect(first?.reached?.eth).toMatchObject({ day: DAY, blockNumber: 60, position: 1 })
  const second = findRecent([eth], { ...search(2), from: first?.reached ?? null }, all)
  expect(second?.rows.map(({ position }) => position)).toEqual([1, 0])
})

it('fills no page with trades that an unread trade of another network may precede', () => {
  const bsc = recentOf('bsc', 70, [[80, 0]])
  const eth = recentOf('eth', 10, [
    [90, 0],
    [85, 0],
    [60, 0],
    [20, 0],
  ])
  const three = findRecent([eth, bsc], search(3), all)
  expect(places(three?.rows ?? [])).toEqual(['eth 90', 'eth 85', 'bsc 80'])
  expect(three?.reached?.bsc).toMatchObject({ blockNumber: 69 })
  const whole = findRecent([eth, { ...bsc, floor: 0 }], search(3), all)
  expect(whole?.reached?.bsc).toMatchObject({ blockNumber: 0, position: -1 })
  expect(findRecent([eth, bsc], search(4), all)).toBeNull()
})

it('does not go back where an earlier page went further', () => {
  const bsc = recentOf('bsc', 70, [[80, 0]])
  const eth = recentOf('eth', 10, [
    [90, 0],
    [20, 0],
  ])
  const further = { day: DAY, blockNumber: 30, transactionIndex: 0, position: 5 }
  const found = findRecent([eth, bsc], { limit: 1, from: { bsc: further } }, all)
  expect(places(found?.rows ?? [])).toEqual(['eth 90'])
  expect(found?.reached?.bsc).toEqual(further)
})

it('leaves to the database what it cannot tell: the last page, a network without a head, a search of many trades', () => {
  const eth = recentOf('eth', 10, [
    [90, 0],
    [20, 0],
  ])
  expect(findRecent([eth], search(2), all)).toBeNull()
  expect(findRecent([eth], search(1), ({ blockNumber }) => blockNumber < 20)).toBeNull()
  expect(findRecent([{ ...eth, network: { ...eth.network, head: null } }], search(1), all)).toBeNull()
  expect(findRecent([], search(1), all)).toBeNull()
  const busy = recentOf(
    'eth',
    10,
    Array.from({ length: 8_000 }, (_, n) => [90 - Math.floor(n / 100), 99 - (n % 100)] as [number, number]),
  )
  expect(findRecent([busy], search(5), ({ blockNumber }) => blockNumber < 50)).not.toBeNull()
  expect(findRecent([busy], search(5), ({ blockNumber }) => blockNumber < 25)).toBeNull()
})
