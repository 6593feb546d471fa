import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import type { ChainOptions } from '../../src/chain.ts'
import { NUMBER, recordedNode, TRANSFER } from '../fixtures/recorded-node.ts'
import { client } from '../scene.ts'
import { hastyClock } from '../test-clock.ts'

it.each<[string, (response: ServerResponse) => void]>([
  ['a closed connection', (response) => void response.destroy()],
  ['a bad gateway', (response) => void response.writeHead(502).end('<html>')],
  ['half a response', (response) => void response.end('{"jsonrpc":"2.0","id"')],
])('%s to a request for receipts alone does not mean that receipts are missing', async (_, misbehave) => {
  const a = await recordedNode()
  let failures = 1
  a.exchange = (requests, response) => {
    // Batches are refused, so each request comes alone.
    if (requests.length > 1) {
      response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}')
      return true
    }
    if (requests[0]?.method !== 'eth_getBlockReceipts' || failures-- <= 0) return false
    misbehave(response)
    return true
  }
  const read: string[] = []
  const onRead: ChainOptions['onRead'] = (blocks, how) => read.push(`${blocks} ${how}`)
  const { chain } = client([a.url], { topics: [TRANSFER], onRead }, hastyClock())
  await chain.readBlocks(NUMBER, NUMBER)
  await chain.readRange(NUMBER, NUMBER)
  expect(read).toEqual(['1 proven', '1 proven'])
})
