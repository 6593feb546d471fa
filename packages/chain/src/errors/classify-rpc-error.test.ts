import { describe, expect, it } from 'vitest'
import { classifyRpcError, type RpcErrorResponse } from './classify-rpc-error.ts'
import recorded from './provider-errors.json' with { type: 'json' }

/** An error of a provider, with the blocks requested, if not 10,000, and the blocks to request next. */
type Refusal = RpcErrorResponse & { blocks?: number; next: number }

/**
 * In `outranking`, the range exceeds a stated limit, so the rest of the text does not count. In `statedInData`, the limit
 * is in `data` alone, or the message says less than `data`.
 */
const refusals: Record<'stated' | 'outranking' | 'statedInData' | 'proposed', readonly Refusal[]> = recorded
const responses: Record<'halved' | 'dead' | 'notServed' | 'timeout' | 'reverted', readonly RpcErrorResponse[]> =
  recorded

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

describe('classifyRpcError', () => {
  it.each([...refusals.stated, ...refusals.outranking])(
    'takes the stated limit of “$message”',
    ({ blocks = 10_000, next, ...response }) => {
      expect(nextBlocks(response, blocks)).toBe(next)
      expect(verdict(response, blocks)).toMatchObject({ maxBlocks: next, sure: true })
    },
  )

  it.each(refusals.proposed)('takes the proposed range of “$message”', ({ blocks = 10_000, next, ...response }) => {
    expect(nextBlocks(response, blocks)).toBe(next)
  })

  it.each(responses.halved)('halves on “$message” ($code)', (response) => {
    expect(nextBlocks(response, 10_000)).toBe(5000)
    expect(nextBlocks(response, 2)).toBe(1)
  })

  it('takes the proposal of data.from and data.to', () => {
    const data = { from: '0x5b8d80', limit: 10_000, to: '0x5b8d89' }
    expect(nextBlocks({ code: -32005, message: 'query returned more than 10000 results', data }, 10_000)).toBe(10)
  })

  it.each(refusals.statedInData)(
    'takes the limit beside “$message” ($code) from data $data',
    ({ next, ...response }) => {
      expect(nextBlocks(response, 10_000)).toBe(next)
      expect(verdict(response)).toMatchObject({ maxBlocks: next, sure: true })
      // A contract may have chosen the data of a call, so it does not count.
      const { data, ...withoutData } = response
      expect(classifyRpcError(response)).toEqual(classifyRpcError(withoutData))
    },
  )

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

  it.each(recorded.withData)('reads “$message” with data $data as $kind', ({ kind, ...response }) => {
    expect(verdict(response).kind).toBe(kind)
  })

  it('halves when the proposal or the limit does not shrink the range', () => {
    expect(nextBlocks({ message: 'Max range: 800' }, 700)).toBe(350)
    expect(nextBlocks({ message: 'this block range should work: [0x0, 0xd043b8]' }, 1000)).toBe(500)
    expect(nextBlocks({ message: 'retry with the range 6000000-6000509' }, 510)).toBe(255)
  })

  it('never requests the same range twice and stops at one block', () => {
    const texts = [...refusals.stated, ...refusals.proposed, ...responses.halved]
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

  it.each(Object.entries(recorded.rate))('reads %s as a rate limit', (_, response) => {
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

  it.each(recorded.notYet)('reads “%s” as not there yet', (message) => {
    for (const code of [-32000, -32602, null]) {
      expect(verdict({ code, message })).toEqual({ kind: 'not-yet' })
      expect(classifyRpcError({ code, message })).toEqual({ kind: 'not-yet' })
    }
  })

  it.each(responses.dead)('reads %o as dead', (response) => {
    expect(verdict(response)).toEqual({ kind: 'dead' })
  })

  it.each(responses.notServed)('reads %o as a method that is not served', (response) => {
    expect(verdict(response)).toEqual({ kind: 'unsupported', what: 'method' })
  })

  it.each(responses.timeout)('reads %o as a timeout that half the range may avoid', (response) => {
    expect(verdict(response, 100)).toEqual({ kind: 'timeout', to: FROM + 49 })
    expect(verdict(response, 1)).toEqual({ kind: 'timeout', to: null })
  })

  it.each(responses.reverted)('reads %o as reverted', (response) => {
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
