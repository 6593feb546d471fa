import { describe, expect, it } from 'vitest'
import { classifyRpcError, type RpcErrorResponse } from './classify-rpc-error.ts'

const FROM = 6_000_000
/** A request over this many blocks from FROM. */
const over = (blocks: number) => ({ from: FROM, to: FROM + blocks - 1 })
const verdict = (response: RpcErrorResponse, blocks = 10_000) =>
  classifyRpcError({ ...response, requestedRange: over(blocks) })

/** Returns how many blocks to request next, after a request over `blocks` was refused. */
function nextBlocks(response: RpcErrorResponse, blocks: number): number | null {
  const found = verdict(response, blocks)
  if (found.kind !== 'range') throw new Error(`${found.kind}: ${response.message}`)
  return found.to === null ? null : found.to - FROM + 1
}

/** The text, its code, the blocks requested, and the blocks to request next. */
const STATED: readonly [string, number | null, number, number][] = [
  ['requested too many blocks from 1 to 9, maximum is set to 5', -32000, 9, 5],
  ['Max range: 800', -32047, 10_000, 800],
  ['Maximum allowed number of requested blocks is 3500', -32005, 10_000, 3500],
  ['Maximum allowed number of requested blocks is 1000', -32005, 10_000, 1000],
  ['eth_getLogs is limited to a 10,000 range', -32614, 20_000, 10_000],
  ['eth_getLogs is limited to a 5 range', -32614, 20_000, 5],
  ['limited to a 1000 blocks range', -32602, 10_000, 1000],
  ['eth_getLogs is limited to 0 - 50 blocks range', -32602, 10_000, 50],
  ['eth_getLogs is limited to 1024 block range', -32602, 10_000, 1024],
  ['limited to 2000 block', null, 10_000, 2000],
  ['exceeds the range allowed for your plan (5000 > 3000)', null, 5000, 3000],
  ['please limit the query to at most 1000 blocks', -32005, 10_000, 1000],
  ['maximum block range: 2000', null, 10_000, 2000],
  ['query exceeds max block range 1000', -32005, 10_000, 1000],
  ['block range greater than 1000 max', null, 10_000, 1000],
  ['block range exceeds 1000', null, 10_000, 1000],
  ['eth_getLogs range is too large, max is 10k blocks', null, 20_000, 10_000],
  ['eth_getLogs range is too large, max is 1k blocks', null, 20_000, 1000],
  ['query must be smaller than size 1024', null, 10_000, 1024],
  ['block range is too wide (maximum 1024)', null, 10_000, 1024],
  ['up to a 2,000 block range', null, 10_000, 2000],
  ['maximum [from, to] blocks distance: 1000', null, 10_000, 1000],
  ['maximum [from, to] blocks distance: 10000', null, 20_000, 10_000],
  ['exceed max block range: 5000', null, 10_000, 5000],
  ['exceed maximum block range: 5000', -32000, 10_000, 5000],
  ['exceed maximum block range: 50000', -32701, 60_000, 50_000],
  ['block range too large (2000), maximum allowed is 1000 blocks', null, 2000, 1000],
  ['range 1000000 exceeds limit of 10000', -32602, 1_000_000, 10_000],
  ['maximum 5000 blocks per request', -32000, 10_000, 5000],
  ['query exceeds the 1000 blocks limit', null, 10_000, 1000],
  ['query block range exceeds server limit, narrow your filter: 1000', -32602, 10_000, 1000],
  ['query block range exceeds server limit, narrow your filter: 1,000.', -32602, 1002, 1000],
  ['range 9009594 is bigger than range limit 2000', -32602, 10_000, 2000],
  ['Block range limit of 1_000 exceeded (code 35), see https://a.example/limits/5', -32000, 10_000, 1000],
  ['eth_getLogs: requested 10000 blocks, no more than 2 000 blocks are allowed', -32602, 10_000, 2000],
  ['the block range may span at most 128', -32000, 10_000, 128],
  ['exceeds maxBlockRange 5000', -32000, 10_000, 5000],
  ['range too large: 9999 > 500', -32000, 10_000, 500],
  ['Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.', -32600, 10_000, 10],
  ['ranges over 5001 blocks are not supported on freetier', 35, 10_000, 5001],
]

/** The range exceeds a stated limit, so the rest of the text does not count. */
const OUTRANKING: typeof STATED = [
  ['invalid block range. fromBlock should be before toBlock and range should be not over 500', -32602, 10_000, 500],
  ['Block range is too large. Max is 50 blocks. Use an API key for more', null, 10_000, 50],
  ['eth_getLogs is limited to 3 blocks, method not supported for larger ranges', -32602, 10_000, 3],
]

/** The limit is in `data` alone, or the message says less than `data`. */
const IN_DATA: readonly [string, number, unknown, number][] = [
  [
    'invalid params',
    -32602,
    { error_id: '4ed94073-0317-4648-a167-107fba5f44b3', payload: 'range 9999 is bigger than range limit 2000' },
    2000,
  ],
  ['Invalid params', -32602, 'block range too large, maximum is 800 blocks', 800],
  ['Limit exceeded', -32005, { maxLimit: '0x2710', maxBlockRange: '0x7d0' }, 2000],
  ['Server error', -32000, { details: [{ message: 'query exceeds max block range 100' }] }, 100],
  ['invalid block range', -32602, { max_block_range: 500 }, 500],
  ['query returned more than 10000 results', -32005, { limits: { blocks: { max: 250 } } }, 250],
  ['Internal error', -32603, 'eth_getLogs is limited to a 1000 blocks range', 1000],
]

const HINTED: readonly [string, number | null, number, number][] = [
  ['Try with this block range [0x1, 0x2]', -32005, 9, 2],
  [
    'query returned more than 10000 results. Try with this block range [0xBDE5F8, 0x102DBCC].',
    -32005,
    9_000_000,
    4_519_381,
  ],
  ['this block range should work: [0x3d7773, 0x3d7966]', null, 10_000, 500],
  [
    'You can make eth_getLogs requests with up to a 500 block range. Based on your parameters, this block range should work: [0x123c9b2, 0x123cba5]',
    -32600,
    10_000,
    500,
  ],
  [
    'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0x5b8d80, 0x5b9100]',
    -32602,
    10_000,
    897,
  ],
  ['retry with the range 6000000-6000509', null, 10_000, 510],
  ['query exceeds max results 20000, retry with the range 24383075-24383096', null, 10_000, 22],
]

const HALVED: readonly [string, number | null][] = [
  ['block range is too wide', -32600],
  ['Block range limit exceeded.', -32602],
  ['allowed block range threshold exceeded', null],
  ['exceeded max allowed', null],
  ['range threshold exceeded', null],
  ['no backend is currently healthy to serve traffic', -32011],
  ['block range too large', null],
  ['Block range is too large', null],
  ['backend response too large', null],
  ['query exceeds max results', null],
  ['query exceeds max results 20000', null],
  ['query exceeds max block range', -32005],
  ['logs matched by query exceeds limit of 10000', null],
  ['query returned more than 10000 results', -32005],
  ['response size should not greater than 10000000 bytes', null],
  ['ranges over 10000 blocks are not supported on freetier', 35],
  ['ranges over 10000 blocks are not supported on free plan', 35],
  ['More than 50000 logs returned', null],
  ['too many logs', null],
  ['whatever', -32005],
  ['whatever', -32000],
  ['retry with the range 6000509-6000000', null],
  ['limit exceeded', -32005],
  ['query returns too many logs, narrow your filter: 20000', -32602],
  ['query returns too many logs, narrow your filter: 20', -32602],
  ['block range has more logs than the limit of 100', -32000],
  ['the response for this block range exceeds 50 MB', -32000],
  ['block range limit exceeded, retry after 5 seconds', -32000],
  ['Block range limit exceeded (error 35)', -32000],
  ['this node is more than 5 blocks behind', -32000],
  ['requested range exceeds the head: latest block is 5', -32000],
  ['invalid params', -32602],
  ['invalid request', -32600],
]

describe('classifyRpcError', () => {
  it.each([...STATED, ...OUTRANKING])('takes the stated limit of “%s”', (message, code, blocks, next) => {
    expect(nextBlocks({ code, message }, blocks)).toBe(next)
    expect(verdict({ code, message }, blocks)).toMatchObject({ maxBlocks: next, sure: true })
  })

  it.each(HINTED)('takes the proposed range of “%s”', (message, code, blocks, next) => {
    expect(nextBlocks({ code, message }, blocks)).toBe(next)
  })

  it.each(HALVED)('halves on “%s” (%s)', (message, code) => {
    expect(nextBlocks({ code, message }, 10_000)).toBe(5000)
    expect(nextBlocks({ code, message }, 2)).toBe(1)
  })

  it('takes the proposal of data.from and data.to', () => {
    const data = { from: '0x5b8d80', limit: 10_000, to: '0x5b8d89' }
    expect(nextBlocks({ code: -32005, message: 'query returned more than 10000 results', data }, 10_000)).toBe(10)
  })

  it.each(IN_DATA)('takes the limit beside “%s” (%i) from data %j', (message, code, data, next) => {
    expect(nextBlocks({ code, message, data }, 10_000)).toBe(next)
    expect(verdict({ code, message, data }, 10_000)).toMatchObject({ maxBlocks: next, sure: true })
    // A contract may have chosen the data of a call, so it does not count.
    expect(classifyRpcError({ code, message, data })).toEqual(classifyRpcError({ code, message }))
  })

  it.each(['this node is more than 5 blocks behind', 'requested range exceeds the head: latest block is 5'])(
    'learns no limit from “%s”',
    (message) => expect(verdict({ code: -32000, message })).toMatchObject({ maxBlocks: null, sure: false }),
  )

  it('does not learn the number of logs as a number of blocks', () => {
    const message = 'query returns too many logs, narrow your filter: 20'
    expect(verdict({ code: -32602, message })).toEqual({ kind: 'range', to: FROM + 4999, maxBlocks: null, sure: true })
    const data = { reason: 'too many logs', limit: 20 }
    expect(verdict({ code: -32602, message: 'invalid params', data })).toMatchObject({
      to: FROM + 4999,
      maxBlocks: null,
    })
  })

  it.each<[string, unknown, string]>([
    ['Internal error', 'too many requests', 'rate'],
    ['Internal error', { rate: { message: 'rate limit exceeded' } }, 'rate'],
    ['Internal error', { message: 'missing trie node' }, 'unsupported'],
    ['Internal error', { message: 'query timeout exceeded' }, 'timeout'],
    ['Internal error', { message: 'nothing known' }, 'other'],
    ['block range extends beyond current head block', { requested: 10_000, head: 9_000 }, 'not-yet'],
  ])('reads “%s” with data %j as %s', (message, data, kind) => {
    expect(verdict({ code: -32603, message, data }).kind).toBe(kind)
  })

  it('halves when the proposal or the limit does not shrink the range', () => {
    expect(nextBlocks({ message: 'Max range: 800' }, 700)).toBe(350)
    expect(nextBlocks({ message: 'this block range should work: [0x0, 0xd043b8]' }, 1000)).toBe(500)
    expect(nextBlocks({ message: 'retry with the range 6000000-6000509' }, 510)).toBe(255)
  })

  it('never requests the same range twice and stops at one block', () => {
    const texts = [...STATED, ...HINTED, ...HALVED].map(([message, code]) => ({ message, code }))
    for (const response of texts) {
      for (const start of [2, 10, 10_000]) {
        for (let blocks = start; blocks > 1; ) {
          const next = nextBlocks(response, blocks)
          if (next === null) throw new Error(`no next range for ${blocks} blocks: ${response.message}`)
          expect(next).toBeLessThan(blocks)
          expect(next).toBeGreaterThanOrEqual(1)
          blocks = next
        }
      }
    }
    for (const response of texts) {
      const single = verdict(response, 1)
      if (single.kind === 'range') expect(single.to).toBeNull()
    }
  })

  it.each<[string, RpcErrorResponse]>([
    ['HTTP 429', { httpStatus: 429 }],
    ['code 429', { code: 429, message: 'Your app has exceeded its compute units per second capacity.' }],
    ['credits', { code: -32012, message: 'credits limited to 6000/sec' }],
    ['text', { code: -32000, message: 'rate limited' }],
    ['Rate limit', { code: -32600, message: 'Rate limit exceeded, slow down' }],
    ['a page instead of a response', { httpStatus: 200, message: '<!DOCTYPE html><html>' }],
    ['Chainstack', { code: -32005, message: "You've exceeded the RPS limit available on the current plan." }],
    ['Chainstack, with a pause', { code: -32005, message: "You've exceeded the RPS limit. try_again_in 250.5 ms" }],
    ['BlockVision', { code: -32607, message: 'The call limit has been reached, please upgrade your plan.' }],
    ['BlockVision, in other words', { code: -32607, message: 'Please upgrade.' }],
    ['BlockVision, for the rate', { code: -32605, message: 'these requests are be limited' }],
    [
      'Alchemy',
      {
        httpStatus: 403,
        code: -32600,
        message: 'Monthly capacity limit exceeded. Visit https://dashboard.alchemyapi.io/settings/billing to upgrade.',
      },
    ],
    ['Ankr', { code: -32090, message: 'Too many requests, reason: call rate limit exhausted, retry in 10s' }],
    ['MegaETH', { code: -32022, message: 'over compute unit limit, retry in 3 seconds' }],
    ['traffic', { code: -32021, message: 'over network traffic limit' }],
    ['a day', { code: -32001, message: "You've reached your daily limit of 10000 requests" }],
    ['credits in other words', { code: -32000, message: 'You have exhausted your monthly credits' }],
    ['a plan', { code: -32000, message: 'your plan allows 40 requests/second' }],
    ['load', { code: -32000, message: 'node is under too much load' }],
    ['Cloudflare', { httpStatus: 403, message: 'error code: 1015' }],
    ['Cloudflare, with 200', { message: 'error code: 1015' }],
  ])('reads %s as a rate limit', (_, response) => {
    expect(verdict(response)).toEqual({ kind: 'rate' })
    expect(verdict(response, 1)).toEqual({ kind: 'rate' })
  })

  it('reads -32005 as a rate limit if no range was requested', () => {
    expect(classifyRpcError({ code: -32005, message: 'limit exceeded' })).toEqual({ kind: 'rate' })
    expect(classifyRpcError({ code: -32005, message: '' })).toEqual({ kind: 'rate' })
  })

  it('reads “limit exceeded” for one block as a switched-off method', () => {
    const response = { code: -32005, message: 'limit exceeded' }
    expect(verdict(response, 1)).toEqual({ kind: 'unsupported', what: 'method' })
  })

  it.each([
    'cannot query unfinalized data',
    'invalid block height',
    'after last accepted block',
    'unknown block',
    'header not found',
    'requested epoch was a null round',
    'block range extends beyond current head block',
    'BlockOutOfRangeError: block height is 32 but requested was 100',
    'invalid block range',
    'One of the blocks specified in filter (fromBlock, toBlock or blockHash) cannot be found.',
  ])('reads “%s” as not there yet', (message) => {
    for (const code of [-32000, -32602, null]) {
      expect(verdict({ code, message })).toEqual({ kind: 'not-yet' })
      expect(classifyRpcError({ code, message })).toEqual({ kind: 'not-yet' })
    }
  })

  it.each<[RpcErrorResponse]>([
    [{ code: -32000, message: 'Unauthorized: You must authenticate your request with an API key.' }],
    [{ httpStatus: 401, message: 'no' }],
    [{ httpStatus: 403, message: 'no' }],
    [{ httpStatus: 404, message: 'not found' }],
    [{ httpStatus: 405 }],
    [{ httpStatus: 501 }],
    [{ httpStatus: 505 }],
    [{ httpStatus: 308 }],
  ])('reads %o as dead', (response) => {
    expect(verdict(response)).toEqual({ kind: 'dead' })
  })

  it.each<[RpcErrorResponse]>([
    [{ code: -32601, message: 'Method not found' }],
    [{ code: -32601, message: 'the method eth_getLogs does not exist/is not available' }],
    [{ code: -32700, message: 'parse error' }],
    [{ code: -32006, message: 'JSON-RPC version unsupported' }],
    [{ code: -32004, message: 'method not supported' }],
  ])('reads %o as a method that is not served', (response) => {
    expect(verdict(response)).toEqual({ kind: 'unsupported', what: 'method' })
  })

  it.each<[RpcErrorResponse]>([
    [{ code: -32005, message: 'query timeout exceeded' }],
    [
      {
        httpStatus: 408,
        code: 30,
        message: 'Request timeout on the free tier, please upgrade your tier to the paid one',
      },
    ],
    [{ httpStatus: 504 }],
  ])('reads %o as a timeout that half the range may avoid', (response) => {
    expect(verdict(response, 100)).toEqual({ kind: 'timeout', to: FROM + 49 })
    expect(verdict(response, 1)).toEqual({ kind: 'timeout', to: null })
  })

  it.each<[RpcErrorResponse]>([
    [{ code: 3, message: 'execution reverted: no' }],
    [{ code: -32000, message: 'execution reverted' }],
    [{ code: -32015, message: 'VM execution error.' }],
    [{ code: -32000, message: 'out of gas' }],
    [{ code: -32000, message: 'invalid opcode: INVALID' }],
    [{ code: -32000, message: 'stack limit reached 1024 (1023)' }],
    [{ code: -32603, message: 'EVM error InvalidOperandOOG' }],
  ])('reads %o as reverted', (response) => {
    expect(classifyRpcError(response)).toEqual({ kind: 'reverted' })
  })

  it('is unsure about an unavailable service, and sure about a body that is too large', () => {
    expect(verdict({ httpStatus: 503, message: 'Service Unavailable' }, 10)).toMatchObject({
      kind: 'range',
      sure: false,
    })
    expect(verdict({ httpStatus: 503, message: 'Service Unavailable' }, 1)).toEqual({ kind: 'other' })
    expect(verdict({ httpStatus: 413 }, 10)).toMatchObject({ kind: 'range', sure: true, to: FROM + 4 })
    expect(classifyRpcError({ httpStatus: 413 })).toMatchObject({ kind: 'range', to: null })
  })

  it.each([
    'rate limit exceeded',
    'batch size limit',
    'Too many items in request: max 1',
    'daily request count exceeded',
    'missing trie node',
    'invalid api key',
  ])('reads “%s” as the contract’s own words where a call reverted with them', (words) => {
    expect(classifyRpcError({ code: 3, message: words })).toEqual({ kind: 'reverted' })
    for (const before of ['execution reverted: ', 'VM execution error. Reverted ', 'Reverted: ']) {
      expect(classifyRpcError({ code: -32000, message: before + words })).toEqual({ kind: 'reverted' })
      expect(classifyRpcError({ httpStatus: 400, message: before + words })).toEqual({ kind: 'reverted' })
    }
    expect(classifyRpcError({ httpStatus: 429, code: 3, message: `execution reverted: ${words}` }).kind).not.toBe(
      'reverted',
    )
  })

  it('knows a refused batch', () => {
    const message = 'Batch of more than 3 requests are not allowed on free tier'
    expect(classifyRpcError({ code: 31, message })).toEqual({ kind: 'unsupported', what: 'batch' })
    const stated = { code: -32600, message: 'Too many items in request: max 20' }
    expect(classifyRpcError(stated)).toEqual({ kind: 'unsupported', what: 'batch', maxItems: 20 })
    expect(classifyRpcError({ code: -32003, message: 'response too large' })).toMatchObject({ kind: 'range', to: null })
  })

  it.each(['header for hash not found', 'hash 0x12 is not currently canonical'])(
    'takes "%s" for not yet',
    (message) => {
      expect(classifyRpcError({ code: -32000, message })).toEqual({ kind: 'not-yet' })
      expect(verdict({ code: -32000, message })).toEqual({ kind: 'not-yet' })
    },
  )

  it('knows a node that shows no logs of the whole chain', () => {
    const message = 'Please specify an address in your request or, to remove restrictions, order a dedicated full node'
    expect(verdict({ code: -32602, message })).toEqual({ kind: 'unsupported', what: 'method' })
  })

  it('leaves everything else to a retry', () => {
    expect(verdict({ code: -32603, message: 'Internal error' })).toEqual({ kind: 'other' })
    expect(verdict({ httpStatus: 502, message: '<html>Bad Gateway</html>' })).toEqual({ kind: 'other' })
    expect(classifyRpcError({})).toEqual({ kind: 'other' })
  })
})
