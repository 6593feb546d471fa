import { describe, expect, it } from 'vitest'
import { memoryChain } from '../../test/memory-chain.ts'
import { client, failure, node } from '../../test/scene.ts'
import { hastyClock } from '../../test/test-clock.ts'

const HEAD = 100
const MADE_UP = `0x${'99'.repeat(32)}` as const
const quantity = (number: number) => `0x${number.toString(16)}`
const hostOf = ({ url }: { url: string }) => new URL(url).host

/** A node that calls a block its latest that it does not have; or has, but not those that lead to it. */
async function liar(ahead: number, { showsIt = false } = {}) {
  const one = await node(memoryChain(1, HEAD))
  one.answer = ({ method, params: [tag] }, honest) => {
    const number = quantity(one.chain.blocks.length - 1 + ahead)
    const isAsked = tag === 'latest' || (showsIt && tag === number)
    if (method !== 'eth_getBlockByNumber' || !isAsked) return honest()
    return { ...one.chain.blocks.at(-1)?.header, number, hash: MADE_UP, transactions: [] }
  }
  return one
}

describe('a head that is made up for long', () => {
  it.each([
    ['far above, which is not there', 5_000, false],
    ['far above, which is there alone', 5_000, true],
    ['a little above', 10, false],
  ])('%s, sets its endpoint aside for as long as it does so, beside an honest one', async (_what, ahead, showsIt) => {
    const [a, b] = [await liar(ahead, { showsIt }), await node(memoryChain(1, HEAD))]
    const clock = hastyClock()
    const { chain, lines } = client([a.url, b.url], {}, clock)
    for (let minute = 0; minute < 5; minute++) {
      const head = await chain.head()
      if (head.number > HEAD) await failure(chain.readBlocks(HEAD, HEAD + 10))
      expect((await chain.head()).number).toBe(HEAD)
      await clock.sleep(61_000)
    }
    const told = lines.filter(({ level }) => level === 'warn')
    expect(told.length).toBeGreaterThan(3)
    for (const { text } of told) {
      expect(text).toContain('does not have: set aside')
      expect(text).toContain(hostOf(a))
    }
    a.answer = (_request, honest) => honest()
    expect((await chain.head()).number).toBe(HEAD)
  })

  it('by the only endpoint, is told, and the right one is taken as soon as it comes', async () => {
    const a = await liar(5_000)
    const clock = hastyClock()
    const { chain, lines } = client([a.url], {}, clock)
    expect((await failure(chain.head())).message).toMatch(/its latest block 5100 is not there/)
    a.answer = (_request, honest) => honest()
    const before = clock.now()
    expect((await chain.head()).number).toBe(HEAD)
    expect(clock.now()).toBe(before)
    expect(lines.filter(({ level }) => level === 'warn')[0]?.text).toMatch(/tells a head that it does not have/)
  })
})

it('a head that grows costs one question; one that jumps, and the first, are looked at', async () => {
  const a = await node(memoryChain(1, HEAD))
  const { chain } = client([a.url])
  const asked = async () => {
    const before = a.asked('eth_getBlockByNumber').length
    await chain.head()
    return a.asked('eth_getBlockByNumber').length - before
  }
  expect(await asked()).toBe(2)
  a.chain.mine()
  expect(await asked()).toBe(1)
  a.chain = memoryChain(1, HEAD + 100)
  expect(await asked()).toBe(2)
})
