import { MINUTE } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { type ChainError, EndpointFailure, ProofFailed } from '../errors/chain-error.ts'
import type { Endpoint } from './endpoint.ts'
import { EndpointHealth } from './endpoint-health.ts'

const failure = (detail: string) => {
  const verdict = { kind: 'timeout', to: null } as const
  return new EndpointFailure({ endpoint: 'a', method: 'eth_call', verdict, detail })
}
const lie = (block: number) => new ProofFailed({ endpoint: 'a', block, what: 'a log is missing' })

function scene() {
  let now = 0
  const warned: string[] = []
  const endpoint = { masked: 'a', host: 'a', failures: 0, coolUntil: 0, lastError: null } as unknown as Endpoint
  const other = { masked: 'b', host: 'b', coolUntil: 0 } as unknown as Endpoint
  const log = {
    debug: () => undefined,
    info: () => undefined,
    error: () => undefined,
    warn: (values: object) => void warned.push((values as { err: Error }).err.name),
  }
  const clock = { now: () => now, random: () => 0, sleep: async () => undefined }
  const health = new EndpointHealth({ endpoints: [endpoint, other], clock, log })
  const fail = (error: ChainError, ms = 0) => {
    now += ms
    health.onFailure(endpoint, error, 'live')
  }
  return { endpoint, warned, fail }
}

test('a false block is reported although the endpoint was set aside a moment before', () => {
  const { endpoint, warned, fail } = scene()
  fail(failure('no response'))
  fail(failure('no response'))
  fail(lie(1))
  expect(warned).toEqual(['EndpointFailure', 'ProofFailed'])
  // Requests that were in flight together count once.
  expect(endpoint.failures).toBe(1)
})

test('each kind of error is reported once a minute', () => {
  const { warned, fail } = scene()
  for (let second = 0; second < 60; second++) {
    fail(lie(second), MINUTE / 60)
    fail(failure('no response'))
  }
  expect(warned.filter((name) => name === 'ProofFailed')).toHaveLength(1)
  fail(lie(61), MINUTE / 60)
  expect(warned.filter((name) => name === 'ProofFailed')).toHaveLength(2)
})
