import { describe, expect, it } from 'vitest'
import { readReplies, writeRequests } from './messages.ts'

const read = (body: unknown, count = 2) => readReplies(JSON.stringify(body), count, 10)
const ok = (id: unknown, result: unknown = 'r') => ({ jsonrpc: '2.0', id, result })

describe('writeRequests', () => {
  it('sends one question as an object and several as an array', () => {
    const request = { method: 'eth_chainId', params: [] }
    expect(JSON.parse(writeRequests([request], 7))).toEqual({ jsonrpc: '2.0', id: 7, ...request })
    expect(JSON.parse(writeRequests([request, request], 7))).toHaveLength(2)
  })
})

describe('readReplies', () => {
  it('puts replies in the order of the requests', () => {
    expect(read([ok(11, 'b'), ok(10, 'a')])).toEqual({ kind: 'replies', replies: [{ result: 'a' }, { result: 'b' }] })
  })

  it('takes numeric ids as text, null results, and errors of single questions', () => {
    const error = { code: 3, message: 'reverted', data: '0x' }
    expect(read([ok('10', null), { id: 11, error }])).toEqual({
      kind: 'replies',
      replies: [{ result: null }, { error }],
    })
  })

  it('reads one error for a whole batch', () => {
    const error = { code: -32600, message: 'too many' }
    const expected = { kind: 'error', error: { ...error, data: null } }
    expect(read({ id: null, error })).toEqual(expected)
    expect(read({ id: 10, error })).toEqual(expected)
    expect(read([{ id: null, error }])).toEqual(expected)
    expect(read([{ id: 10, error }])).toEqual(expected)
  })

  it.each([
    ['a foreign id', [ok(10), ok(12)]],
    ['the same id twice', [ok(10), ok(10)]],
    ['a missing reply', [ok(10)]],
    ['neither result nor error', [ok(10), { id: 11 }]],
    ['an id that is not a number', [ok(10), ok({})]],
    ['a reply that is not an object', [ok(10), 'x']],
    ['one reply to a batch', ok(10)],
    ['a bare value', 'ok'],
    ['null', null],
  ])('rejects %s', (_, body) => {
    expect(read(body)).toMatchObject({ kind: 'malformed' })
  })

  it.each(['', '{"jsonrpc":"2.0","id":1,"res', '<html></html>', '['.repeat(100_000)])(
    'rejects what is not JSON',
    (text) => {
      expect(readReplies(text, 1, 1)).toMatchObject({ kind: 'malformed' })
    },
  )

  it('survives odd error objects', () => {
    expect(read({ id: 10, error: 'no' }, 1)).toEqual({
      kind: 'replies',
      replies: [{ error: { code: null, message: 'no', data: null } }],
    })
    expect(read({ id: 10, error: { code: 'x' } }, 1)).toEqual({
      kind: 'replies',
      replies: [{ error: { code: null, message: '', data: null } }],
    })
  })
})
