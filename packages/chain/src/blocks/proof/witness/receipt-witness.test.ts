import type { Log } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { hastyClock } from '../../../../test/test-clock.ts'
import type { Endpoint } from '../../../endpoints/endpoint.ts'
import type { EndpointPool, Session } from '../../../endpoints/endpoint-pool.ts'
import { RpcUnavailable } from '../../../errors/chain-error.ts'
import { ReceiptWitness } from './receipt-witness.ts'

const LOG: Log = { logIndex: 0, transactionIndex: 0, address: '0xaa', topics: [], data: '0x' }

//   first read    flaky is silent  -> slow is silent ------------> given up? no: flaky responds
//   second read                       flaky responds
test('an endpoint that responds while another is asked is awaited again', async () => {
  const [flaky, slow] = ['flaky', 'slow'].map((host) => ({ host, readyAt: () => 0 }) as unknown as Endpoint)
  const asked: (Endpoint | undefined)[] = []
  const missed = new RpcUnavailable({ what: 'receipts', reasons: [], cause: null })
  const pool = {
    witnessesOf: () => [flaky, slow],
    once: async (endpoint: Endpoint) => {
      asked.push(endpoint)
      if (asked.length === 1) throw missed
      if (endpoint === flaky) return [[LOG]]
      await read()
      throw missed
    },
  } as unknown as EndpointPool
  const witness = new ReceiptWitness(pool, { clock: hastyClock(), headPatienceMs: 0 })
  const read = () => witness.confirm({} as Session, ['0x01'], async () => [[]], 'live')
  expect(await read()).toEqual([[LOG]])
  expect(asked).toEqual([flaky, slow, flaky, flaky])
})
