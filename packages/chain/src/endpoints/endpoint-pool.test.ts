import { expect, it } from 'vitest'
import { manualClock } from '../../test/test-clock.ts'
import type { RpcRequest } from '../json-rpc/messages.ts'
import { Endpoint } from './endpoint.ts'
import { openSession } from './endpoint-pool.ts'
import { RequestBudget } from './request-budget.ts'

const TOO_LARGE = { error: { code: -32003, message: 'response too large', data: null } }

it('sends requests again that did not fit into a response, and counts the bytes of all responses', async () => {
  const sizes: number[] = []
  const post = async (requests: readonly RpcRequest[]) => {
    sizes.push(requests.length)
    return { replies: requests.map(({ params }, i) => (i < 2 ? { result: params[0] } : TOO_LARGE)), bytes: 1_000 }
  }
  const endpoint = new Endpoint({
    url: 'http://127.0.0.1',
    slots: 1,
    onRequest: () => undefined,
    bulkTurn: async () => undefined,
    budget: new RequestBudget(null, manualClock(), () => 1),
    openHttp: () => ({ post, close: async () => undefined }),
  })
  const session = openSession(endpoint, 0, 'live', new AbortController().signal)
  const requests = [1, 2, 3, 4, 5].map((number) => ({ method: 'eth_call', params: [number] }))
  expect(await session.request(requests)).toEqual({ results: [1, 2, 3, 4, 5], bytes: 3_000 })
  expect(sizes).toEqual([5, 2, 1])
})
