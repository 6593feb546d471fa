import { describe, expect, it } from 'vitest'
import type { Chain } from '../../src/chain.ts'
import { block, type Json, NUMBER, recordedNode, selected, TRANSFER } from '../fixtures/recorded-node.ts'
import { client, failure, type LogLine } from '../scene.ts'
import { hastyClock } from '../test-clock.ts'

const own = new Set(selected.map(({ transactionHash }) => transactionHash))
const STRANGER = '0x00000000000000000000000000000000000000bb'

async function nodeWith(change: (transaction: Json) => Json) {
  const node = await recordedNode()
  node.respond = ({ method }, honest) => {
    const shown = honest() as Json
    if (method !== 'eth_getBlockByNumber' || shown === null) return shown
    return {
      ...shown,
      transactions: (shown.transactions as Json[]).map((json) => (own.has(json.hash) ? change(json) : json)),
    }
  }
  return node
}

/** Opens a client that checks the first block with transactions. */
const open = (urls: string[]) => client(urls, { topics: [TRANSFER] }, { ...hastyClock(), random: () => 0 })
const readRange = async (chain: Chain) => (await chain.readRange(NUMBER, NUMBER)).blocks[0]
const hostOf = ({ url }: { url: string }) => new URL(url).host
const setAside = (lines: readonly LogLine[]) => lines.filter(({ text }) => text.includes('set aside'))
const sendersOf = (read: Awaited<ReturnType<typeof readRange>>) =>
  [...(read?.transactions.values() ?? [])].map(({ from }) => from)
const senders = (block.transactions as Json[]).filter(({ hash }) => own.has(hash)).map(({ from }) => from)

const lean = ({ hash, from, value, type, transactionIndex }: Json): Json => ({
  hash,
  from,
  value,
  type,
  transactionIndex,
})
const LIES: [string, (transaction: Json) => Json][] = [
  ['another sender', (json) => ({ ...json, from: STRANGER })],
  ['another value', (json) => ({ ...json, value: '0x1234' })],
]

describe.each(LIES)('%s', (_lie, lie) => {
  it('is found with a second endpoint, and the block is read there', async () => {
    const [liar, honest] = [await nodeWith(lie), await recordedNode()]
    const { chain, lines } = open([liar.url, honest.url])
    expect(sendersOf(await readRange(chain))).toEqual(senders)
    expect(setAside(lines)).toHaveLength(1)
    expect(setAside(lines)[0]?.text).toContain(hostOf(liar))
    expect(setAside(lines)[0]?.text).toMatch(/false block .*: hash, sender or value of transaction 0x/)
  })

  it('of the second endpoint does not affect the first', async () => {
    const [honest, liar] = [await recordedNode(), await nodeWith(lie)]
    const { chain, lines } = open([honest.url, liar.url])
    expect(sendersOf(await readRange(chain))).toEqual(senders)
    expect(setAside(lines)).toHaveLength(1)
    expect(setAside(lines)[0]?.text).toContain(hostOf(liar))
  })

  it('is found by the transaction’s own fields with one endpoint, each time it is read', async () => {
    const liar = await nodeWith(lie)
    const { chain } = open([liar.url])
    for (let time = 0; time < 2; time++) {
      expect((await failure(readRange(chain))).message).toMatch(/hash, sender or value of transaction 0x/)
    }
    const honest = open([(await recordedNode()).url])
    expect(sendersOf(await readRange(honest.chain))).toEqual(senders)
  })

  it('of a lean node is found by one that returns all fields', async () => {
    const [liar, honest] = [await nodeWith((json) => lie(lean(json))), await recordedNode()]
    const { chain, lines } = open([liar.url, honest.url])
    expect(sendersOf(await readRange(chain))).toEqual(senders)
    expect(setAside(lines)[0]?.text).toContain(hostOf(liar))
  })

  it('at the head sets the endpoint aside after the block was returned', async () => {
    const [liar, honest] = [await nodeWith(lie), await recordedNode()]
    const { chain, lines } = open([liar.url, honest.url])
    const disproved: number[] = []
    const stop = chain.onDisproved((number) => disproved.push(number))
    await chain.readBlocks(NUMBER, NUMBER)
    await expect.poll(() => disproved).toEqual([NUMBER])
    expect(setAside(lines)[0]?.text).toContain(hostOf(liar))
    expect(sendersOf((await chain.readBlocks(NUMBER, NUMBER))[0])).toEqual(senders)
    stop()
  })
})

it.each([
  ['an invalid sender', (json: Json) => ({ ...json, from: '0x' })],
  ['hashes in the place of transactions', ({ hash }: Json) => hash as unknown as Json],
])('a second endpoint with %s does not affect the first, even repeatedly', async (_what, change) => {
  const [honest, odd] = [await recordedNode(), await nodeWith(change)]
  const { chain, lines } = open([honest.url, odd.url])
  for (let time = 0; time < 3; time++) expect(sendersOf(await readRange(chain))).toEqual(senders)
  expect(lines.filter(({ text }) => text.includes('set aside') && text.includes(hostOf(honest)))).toEqual([])
})

it('one endpoint alone that returns the parity of old signatures is trusted', async () => {
  const odd = await nodeWith((json) => (json.type === '0x0' ? { ...json, v: '0x1' } : json))
  const { chain, lines } = open([odd.url])
  expect(sendersOf(await readRange(chain))).toEqual(senders)
  expect(setAside(lines)).toEqual([])
})

/**
 * Two nodes, one of which starts to lie before the head is read. If the honest one is preferred, it is down during that
 * read, so the liar serves the head.
 */
async function afterALie(first: 'liar' | 'honest') {
  const [honest, liar] = [await recordedNode(), await nodeWith((json) => (lies ? { ...json, from: STRANGER } : json))]
  let lies = false
  let isAway = false
  honest.respond = ({ method }, shown) => (isAway && method !== 'eth_chainId' ? null : shown())
  const clock = { ...hastyClock(), random: () => 0 }
  const urls = first === 'liar' ? [liar.url, honest.url] : [honest.url, liar.url]
  const { chain, lines } = client(urls, { topics: [TRANSFER] }, clock)
  await readRange(chain)
  lies = true
  isAway = first === 'honest'
  const disproved: number[] = []
  chain.onDisproved((number) => disproved.push(number))
  await chain.readBlocks(NUMBER, NUMBER)
  await expect.poll(() => disproved).toEqual([NUMBER])
  isAway = false
  await clock.sleep(15 * 60_000)
  return { chain, lines, liar }
}

it.each(['liar', 'honest'] as const)(
  'an endpoint that reported a block falsely is checked when it is read again (%s first)',
  async (first) => {
    const { chain, lines, liar } = await afterALie(first)
    const before = lines.length
    const { blocks } = await chain.readRange(NUMBER, NUMBER, { secondOpinion: first === 'honest' })
    expect(sendersOf(blocks[0])).toEqual(senders)
    expect(setAside(lines.slice(before))[0]?.text).toContain(hostOf(liar))
  },
)

it('a block of the head is compared once the others have it, too', async () => {
  const clock = { ...hastyClock(), random: () => 0 }
  const unsigned = ({ r: _, ...one }: Json): Json => ({ ...one, from: STRANGER })
  const [liar, honest] = [await nodeWith(unsigned), await recordedNode()]
  honest.respond = ({ method }, shown) => (method === 'eth_getBlockByNumber' && clock.now() < 20_000 ? null : shown())
  const { chain } = client([liar.url, honest.url], { topics: [TRANSFER] }, clock)
  const disproved: number[] = []
  chain.onDisproved((number) => disproved.push(number))
  await chain.readBlocks(NUMBER, NUMBER)
  await expect.poll(() => disproved).toEqual([NUMBER])
})

/** A node that returns two transactions, and their receipts, under each other's hashes. */
async function swapping() {
  const [one = '', other = ''] = [...own].map(String)
  const node = await recordedNode()
  const swapped = new Map([
    [one, other],
    [other, one],
  ])
  node.respond = (_request, honest) =>
    JSON.parse(JSON.stringify(honest()).replaceAll(/0x[0-9a-f]{64}/g, (hash) => swapped.get(hash) ?? hash)) as unknown
  return node
}

it('hashes that changed places, in body and receipts, are found by one endpoint and by two', async () => {
  const liar = await swapping()
  const { chain, lines } = open([liar.url, (await recordedNode()).url])
  expect(sendersOf(await readRange(chain))).toEqual(senders)
  expect(setAside(lines)[0]?.text).toContain(hostOf(liar))
  expect((await failure(readRange(open([liar.url]).chain))).message).toMatch(/hash, sender or value/)
})

it('two lean nodes that contradict each other are both named, and neither is set aside', async () => {
  const [a, b] = [await nodeWith((json) => ({ ...lean(json), from: STRANGER })), await nodeWith(lean)]
  const { chain, lines } = open([a.url, b.url])
  await readRange(chain)
  const reported = lines.filter(({ level }) => level === 'error')
  expect(reported).toHaveLength(1)
  for (const scriptedNode of [a, b]) expect(reported[0]?.text).toContain(hostOf(scriptedNode))
  expect(setAside(lines)).toEqual([])
})

it.each([
  ['leaves fields out', (json: Json) => lean(json)],
  ['has transactions of which none has the hash of its fields', (json: Json) => ({ ...json, nonce: '0x7' })],
])('one endpoint alone that %s is trusted', async (what, change) => {
  const node = await recordedNode()
  node.respond = ({ method }, honest) => {
    const shown = honest() as Json
    if (method !== 'eth_getBlockByNumber' || shown === null) return shown
    return { ...shown, transactions: (shown.transactions as Json[]).map(change) }
  }
  const { chain, lines } = open([node.url])
  expect(sendersOf(await readRange(chain)).length, what).toBe(senders.length)
  expect(setAside(lines)).toEqual([])
})

it('one history block in 200 is checked again, with one request to the second endpoint', async () => {
  const [a, b] = [await recordedNode(), await recordedNode()]
  const { chain } = open([a.url, b.url])
  for (let time = 0; time < 201; time++) await readRange(chain)
  expect(b.requested('eth_getBlockByNumber')).toHaveLength(2)
  expect(b.requested('eth_getBlockReceipts')).toEqual([])
})
