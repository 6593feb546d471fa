import { expect, it } from 'vitest'
import { classifyRpcError } from './classify-rpc-error.ts'

const requestedRange = { from: 6_000_000, to: 6_009_999 }

it.each([
  'height is not available (requested height: 138913957, base height: 155251499)',
  'Archive requests require a personal token. Get one at: https://www.allnodes.com/publicnode',
  'missing trie node 00ab (path )',
  'history is available from block 21000000',
  'block 100 is not available: history is available from 155251499',
  'requested block 5, historical data is only available from block 900',
  'History unavailable before block 4000000',
  'historical blocks are not available on this node',
  'history has expired (EIP-4444)',
  'old data not available due to pruning',
  'logs are kept from block 700 on',
  'receipts are retained since block 700',
  'earliest available block is 42',
  'the oldest stored block is 0x2a',
  'block number 7 is too old',
  'World state unavailable',
  'No state available for block 0x10',
])('reads “%s” as history that is not served, whatever was requested', (message) => {
  for (const code of [-32602, -32000, 4444, null]) {
    expect(classifyRpcError({ code, message, requestedRange })).toEqual({ kind: 'unsupported', what: 'history' })
    expect(classifyRpcError({ code, message })).toEqual({ kind: 'unsupported', what: 'history' })
  }
})

it.each([
  'eth_getLogs of historical blocks is limited to a 10,000 range',
  'historical queries: block range is too wide (maximum 1024)',
])('reads “%s” as too large a range', (message) => {
  expect(classifyRpcError({ code: -32000, message, requestedRange })).toMatchObject({ kind: 'range' })
})

it('reads what a contract says of history as its revert', () => {
  const message = 'execution reverted: history is available from block 5'
  expect(classifyRpcError({ code: 3, message })).toEqual({ kind: 'reverted' })
  expect(classifyRpcError({ code: -32000, message })).toEqual({ kind: 'reverted' })
})
