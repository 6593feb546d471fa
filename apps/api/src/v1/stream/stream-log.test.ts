import type { NetworkName } from '@dexfeed/dex'
import { expect, it } from 'vitest'
import { edgeEvent } from '../recent/edge-event.ts'
import { StreamLog, type StreamPlace } from './stream-log.ts'

const head = edgeEvent('head', { network: 'bsc', block_number: '1', time: null, final_block: null })
const NETWORKS = ['bsc', 'eth'] as const
const place: StreamPlace = new Map(NETWORKS.map((network) => [network, 'a']))

function logOf(counts: Partial<Record<NetworkName, number>>): StreamLog {
  const log = new StreamLog()
  for (const network of NETWORKS) {
    log.add(network, 'a', [])
    log.add(network, 'b', Array<typeof head>(counts[network] ?? 0).fill(head))
  }
  return log
}

it('reads no more events of all networks together than it keeps of one', () => {
  let looks = 0
  const look = () => {
    looks++
    return false
  }
  expect(logOf({ bsc: 12_000, eth: 8_000 }).missed(NETWORKS, place, look)).toEqual([])
  expect(looks).toBe(20_000)
  const [reset, ...others] = logOf({ bsc: 12_000, eth: 8_001 }).missed(NETWORKS, place, look)
  expect(JSON.parse(reset?.json ?? '')).toMatchObject({ network: 'eth', reason: 'resume' })
  expect(others).toEqual([])
  expect(looks).toBe(32_000)
})

it('sends a reset for a network that does not fit, and events for the others', () => {
  const events = logOf({ bsc: 10_000, eth: 2 }).missed(NETWORKS, place, () => true)
  expect(events.map(({ name }) => name)).toEqual(['reset', 'head', 'head'])
})

it('the networks share the room for events', () => {
  const events = logOf({ bsc: 3_000, eth: 3_000 }).missed(NETWORKS, place, () => true)
  expect(events.filter(({ name }) => name === 'head')).toHaveLength(3_000)
  expect(events.at(-1)?.name).toBe('reset')
})
