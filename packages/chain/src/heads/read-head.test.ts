import { describe, expect, it } from 'vitest'
import { memoryChain } from '../../test/memory-chain.ts'
import { client, failure, type LogLine, node } from '../../test/scene.ts'
import { refusing, type ScriptedNode } from '../../test/scripted-node.ts'
import { hastyClock } from '../../test/test-clock.ts'

const HEAD = 100
const MADE_UP = `0x${'99'.repeat(32)}` as const
const quantity = (number: number) => `0x${number.toString(16)}`
const warnings = (lines: readonly LogLine[]) => lines.filter(({ level }) => level === 'warn').map(({ text }) => text)
const hostOf = ({ url }: { url: string }) => new URL(url).host

/** What a node returns for blocks above the real head: nothing, only its latest, or every header. */
type Shows = 'nothing' | 'head' | 'headers'

/**
 * Makes a node report a made-up latest block. For it, the node returns nothing, the block without its ancestors, or
 * only headers.
 */
function lie(scriptedNode: ScriptedNode, ahead: number, shows: Shows = 'nothing') {
  scriptedNode.respond = ({ method, params: [tag, full] }, honest) => {
    const real = scriptedNode.chain.blocks.length - 1
    const number = tag === 'latest' ? real + ahead : Number(tag)
    const isHeader = shows === 'headers' && full === false && number > real && number <= real + ahead
    const isHead = shows === 'head' && number === real + ahead
    if (method !== 'eth_getBlockByNumber' || !(tag === 'latest' || isHeader || isHead)) return honest()
    return { ...scriptedNode.chain.blocks.at(-1)?.header, number: quantity(number), hash: MADE_UP, transactions: [] }
  }
}

describe('a head that is made up for long', () => {
  it.each([
    ['far above, which is not there', 5_000, 'nothing'],
    ['far above, which is there alone', 5_000, 'head'],
    ['a little above', 10, 'nothing'],
  ] as const)(
    '%s, sets its endpoint aside for as long as it does so, beside an honest one',
    async (_what, ahead, shows) => {
      const [a, b] = [await node(memoryChain(1, HEAD)), await node(memoryChain(1, HEAD))]
      lie(a, ahead, shows)
      const clock = hastyClock()
      const { chain, lines } = client([a.url, b.url], {}, clock)
      for (let minute = 0; minute < 5; minute++) {
        const head = await chain.head()
        if (head.number > HEAD) await failure(chain.readBlocks(HEAD, HEAD + 10))
        expect((await chain.head()).number).toBe(HEAD)
        await clock.sleep(61_000)
      }
      const reported = warnings(lines)
      expect(reported.length).toBeGreaterThan(3)
      for (const text of reported) {
        expect(text).toContain('does not have: set aside')
        expect(text).toContain(hostOf(a))
      }
      a.respond = (_request, honest) => honest()
      expect((await chain.head()).number).toBe(HEAD)
    },
  )

  it('from the only endpoint is logged, and the right one is used as soon as it comes', async () => {
    const a = await node(memoryChain(1, HEAD))
    lie(a, 5_000)
    const clock = hastyClock()
    const { chain, lines } = client([a.url], {}, clock)
    expect((await failure(chain.head())).message).toMatch(/its latest block 5100 is not there/)
    a.respond = (_request, honest) => honest()
    const before = clock.now()
    expect((await chain.head()).number).toBe(HEAD)
    expect(clock.now()).toBe(before)
    expect(warnings(lines)[0]).toMatch(/reports a head that it does not have/)
  })

  it.each(['head', 'headers'] as const)('sets no other endpoint aside by showing its %s', async (shows) => {
    const [a, b] = [await node(memoryChain(1, HEAD)), await node(memoryChain(1, HEAD))]
    lie(b, 60, shows)
    const clock = hastyClock()
    const { chain, lines } = client([a.url, b.url], {}, clock)
    for (let compared = 1; compared <= 4; compared++) {
      expect((await chain.head()).number).toBe(HEAD)
      // The node is asked once for its chain id, and in each comparison for its latest block and two blocks that
      // support it.
      await expect.poll(() => b.batches.length).toBeGreaterThan(3 * compared)
      await clock.sleep(12_000)
    }
    expect(warnings(lines)).toEqual([])
  })

  it('with all its headers and without its blocks, sets its endpoint aside', async () => {
    const [a, b] = [await node(memoryChain(1, HEAD)), await node(memoryChain(1, HEAD))]
    const { chain, lines } = client([a.url, b.url])
    await chain.head()
    lie(a, 60, 'headers')
    expect((await chain.head()).number).toBe(HEAD + 60)
    await failure(chain.readBlocks(HEAD, HEAD + 10))
    expect((await chain.head()).number).toBe(HEAD)
    const reported = expect.stringMatching(/does not have: set aside/)
    expect(warnings(lines)).toEqual([reported])
    expect(warnings(lines)[0]).toContain(hostOf(a))
  })
})

it('an endpoint that lacks its head once, as with a backend that lags, is not set aside', async () => {
  const [a, b] = [await node(memoryChain(1, HEAD)), await node(memoryChain(1, HEAD))]
  let misses = 1
  a.respond = ({ params: [tag] }, honest) => (tag === quantity(HEAD) && misses-- > 0 ? null : honest())
  const { chain, lines } = client([a.url, b.url])
  const requested = () => a.requested('eth_getBlockByNumber').length
  expect((await chain.head()).number).toBe(HEAD)
  const before = requested()
  expect((await chain.head()).number).toBe(HEAD)
  expect(requested()).toBeGreaterThan(before)
  expect(warnings(lines)).toEqual([])
})

it('does not request the head of an endpoint that has just failed', async () => {
  const a = await node(memoryChain(1, HEAD))
  const { chain } = client([a.url])
  await chain.head()
  const latest = () => a.requested().filter(({ params: [tag] }) => tag === 'latest').length
  const before = latest()
  a.respond = refusing(null, -32005, 'too many requests')
  await failure(chain.readBlocks(HEAD, HEAD))
  expect(latest()).toBe(before)
})

it('a head that grows costs one question; one that jumps, and the first, are looked at', async () => {
  const a = await node(memoryChain(1, HEAD))
  const { chain } = client([a.url])
  const requested = async () => {
    const before = a.requested('eth_getBlockByNumber').length
    await chain.head()
    return a.requested('eth_getBlockByNumber').length - before
  }
  expect(await requested()).toBe(2)
  a.chain.mine()
  expect(await requested()).toBe(1)
  a.chain = memoryChain(1, HEAD + 100)
  expect(await requested()).toBe(2)
})
