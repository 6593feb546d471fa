import { expect, it } from 'vitest'
import type { EndpointPool, Session } from '../../../endpoints/endpoint-pool.ts'
import { BlockProver } from '../commitments/block-prover.ts'
import { UnknownHeaders } from './unknown-headers.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }

it('an alert begins at the lowest block and ends above the highest one', async () => {
  const headers = new UnknownHeaders({ endpoints: [] as EndpointPool['endpoints'] } as EndpointPool, {
    log,
    now: () => 0,
  })
  const prover = await BlockProver.load()
  const unknown = (number: number, ...fields: string[]) =>
    headers.judge(
      { endpoint: { host: 'a' }, attempt: 0 } as Session,
      { block: { number, hash: '0x' }, fields, isLean: false },
      prover,
    )
  await unknown(100, 'one')
  await unknown(120, 'two')
  await unknown(90, 'one')
  expect(headers.alert).toEqual({ from: 90, fields: ['one', 'two'] })
  // Meanwhile, old blocks of history are proven.
  for (const number of [1, 95, 119]) headers.proven(number)
  expect(headers.alert).toMatchObject({ from: 90 })
  headers.proven(120)
  expect(headers.alert).toBeNull()
  await unknown(130)
  expect(headers.alert).toEqual({ from: 130, fields: [] })
})
