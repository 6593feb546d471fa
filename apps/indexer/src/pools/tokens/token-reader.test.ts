import type { Call } from '@dexfeed/chain'
import { type Address, type Hex, MINUTE, TOKEN_CALLS } from '@dexfeed/dex'
import { describe, expect, it } from 'vitest'
import { TokenCache } from './token-cache.ts'
import { TokenReader } from './token-reader.ts'

const TOKEN: Address = `0x${'01'.repeat(20)}`
const [SYMBOL, , DECIMALS] = TOKEN_CALLS
const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`
const text = (value: string): Hex => `0x${Buffer.from(value).toString('hex').padEnd(64, '0')}`
type Node = (call: Call) => Hex | null
/** Returns a node that reports these decimals for the token, or nothing if they are null. */
const node =
  (decimals: bigint | null): Node =>
  ({ data }) => {
    if (data === SYMBOL) return decimals === null ? null : text('TKN')
    return data === DECIMALS && decimals !== null ? word(decimals) : null
  }

/** Opens a reader on two endpoints, or on one if `second` is null. */
function openReader(nodes: { first: Node; second: Node | null }, second: () => Promise<void> = async () => undefined) {
  let now = 0
  const tokens = new TokenCache([])
  const reader = new TokenReader(
    {
      callMany: async (calls) => calls.map(nodes.first),
      async callElsewhere(calls) {
        await second()
        return nodes.second && calls.map(nodes.second)
      },
    },
    tokens,
    { clock: { sleep: () => new Promise((done) => setTimeout(done, 10)) }, now: { now: () => now } },
  )
  const passes = (ms: number) => {
    now += ms
  }
  return { tokens, reader, passes, read: (at: Hex | 'latest') => reader.read([TOKEN], at) }
}

describe('the response of one endpoint about a token', () => {
  it.each([
    ['nothing', null],
    ['zero', 0n],
    ['too many decimals', 78n],
  ])('%s, is not trusted if a second endpoint has its decimals', async (_, denied) => {
    for (const nodes of [
      { first: node(denied), second: node(6n) },
      { first: node(6n), second: node(denied) },
    ]) {
      const { tokens, read } = openReader(nodes)
      await read('latest')
      expect(tokens.get(TOKEN)).toMatchObject({ symbol: 'TKN', decimals: 6 })
    }
  })

  it.each([
    ['nothing', null, null],
    ['zero', 0n, 0],
  ])('%s, is trusted if a second endpoint agrees', async (_, denied, decimals) => {
    const { tokens, read } = openReader({ first: node(denied), second: node(denied) })
    await read('latest')
    expect(tokens.get(TOKEN)?.decimals).toBe(decimals)
  })

  it('is not trusted if a second endpoint returns another number, nor is zero if that one returns nothing', async () => {
    const nodes = { first: node(18n), second: node(6n) }
    const { tokens, read } = openReader(nodes)
    await read('latest')
    expect(tokens.get(TOKEN)).toBeUndefined()
    Object.assign(nodes, { first: node(0n), second: node(null) })
    await read('0x01')
    expect(tokens.get(TOKEN)).toBeUndefined()
    Object.assign(nodes, { first: node(6n), second: node(6n) })
    await read('latest')
    expect(tokens.get(TOKEN)?.decimals).toBe(6)
  })
})

describe('the response of the only endpoint about a token', () => {
  it.each([
    ['nothing', null, null],
    ['zero', 0n, 0],
  ])('%s, counts when it is repeated at another block a minute later', async (_, denied, decimals) => {
    const { tokens, read, passes } = openReader({ first: node(denied), second: null })
    await read('0x01')
    await read('0x01')
    expect(tokens.get(TOKEN)).toBeUndefined()
    await read('0x02')
    expect(tokens.get(TOKEN)).toBeUndefined()
    passes(MINUTE)
    await read('0x03')
    expect(tokens.get(TOKEN)?.decimals).toBe(decimals)
    const later = openReader({ first: node(denied), second: null })
    await later.read('latest')
    await later.read('latest')
    expect(later.tokens.get(TOKEN)).toBeUndefined()
    later.passes(MINUTE)
    await later.read('latest')
    expect(later.tokens.get(TOKEN)?.decimals).toBe(decimals)
  })

  it('once, does not count when it returns decimals at the next block', async () => {
    const nodes = { first: node(null), second: null }
    const { tokens, read } = openReader(nodes)
    await read('0x01')
    nodes.first = node(18n)
    await read('0x02')
    expect(tokens.get(TOKEN)?.decimals).toBe(18)
  })

  it('with decimals is trusted immediately, without waiting for a silent second endpoint', async () => {
    const alone = openReader({ first: node(18n), second: null })
    await alone.read('0x01')
    expect(alone.tokens.get(TOKEN)?.decimals).toBe(18)
    const mute = openReader({ first: node(18n), second: node(18n) }, () => new Promise(() => undefined))
    await mute.read('0x01')
    expect(mute.tokens.get(TOKEN)?.decimals).toBe(18)
  })
})
