import { beforeAll, describe, expect, it } from 'vitest'
import { headerHash } from '../../src/blocks/proof/commitments/block-prover.ts'
import { loadKeccak } from '../../src/blocks/proof/commitments/list-root.ts'
import { RpcUnavailable } from '../../src/errors/chain-error.ts'
import { block, type Json, NUMBER, type Receipt, receipts, selected, TRANSFER } from '../fixtures/recorded-node.ts'
import type { MemoryChain } from '../memory-chain.ts'
import { client, failure, node } from '../scene.ts'

const LAST_GAS = Number(receipts.at(-1)?.cumulativeGasUsed)
let headerOf: (fields: Json) => Json
beforeAll(async () => {
  const keccak = await loadKeccak()
  headerOf = (fields) => ({ ...fields, hash: headerHash(fields, keccak) })
})

/** Starts a node that has the recorded block with a header of Amsterdam, as changed by `lie`. */
function forkedNode(
  gasUsed: number,
  lie: (body: Json[], list: Receipt[]) => Partial<Record<'body' | 'list' | 'header', unknown>>,
) {
  const word = `0x${'1d'.repeat(32)}`
  const later = { withdrawalsRoot: word, blobGasUsed: '0x0', excessBlobGas: '0x0', parentBeaconBlockRoot: word }
  const amsterdam = { requestsHash: word, blockAccessListHash: word, slotNumber: '0xacaccd' }
  const shown = headerOf({ ...block, ...later, ...amsterdam, gasUsed: `0x${gasUsed.toString(16)}` })
  const onBranch = <T extends Json>(t: T): T => ({ ...t, blockHash: shown.hash })
  const list = receipts.map((receipt) => ({ ...onBranch(receipt), logs: receipt.logs.map(onBranch) }))
  const body = (block.transactions as Json[]).map(onBranch)
  const reported = { body, list, header: {}, ...lie(structuredClone(body), structuredClone(list)) }
  const respond: MemoryChain['respond'] = (method, [first]) => {
    if (method === 'eth_chainId') return '0x1'
    if (method === 'eth_getBlockByNumber')
      return first === block.number ? { ...shown, ...(reported.header as Json), transactions: reported.body } : null
    return method === 'eth_getBlockReceipts' ? reported.list : selected.map(onBranch)
  }
  return node({ respond } as MemoryChain)
}

const open = async (...nodes: { url: string }[]) =>
  client(
    nodes.map(({ url }) => url),
    { topics: [TRANSFER] },
  )
const logged = (list: Receipt[]) => list.find(({ logs }) => logs.length > 1) as Receipt
const without = <T>(list: T[], at: number) => list.filter((_, i) => i !== at)

function dropLog(list: Receipt[]) {
  logged(list).logs.pop()
  return { list }
}

function changeLog(list: Receipt[]) {
  Object.assign(logged(list).logs[0] ?? {}, { data: `0x${'11'.repeat(32)}` })
  return { list }
}

const LIES: [string, Parameters<typeof forkedNode>[1]][] = [
  ['the last receipt left out', (_, list) => ({ list: list.slice(0, -1) })],
  ['the first receipt left out', (_, list) => ({ list: list.slice(1) })],
  ['a receipt in the middle left out', (_, list) => ({ list: without(list, list.length >> 1) })],
  ['no receipts', () => ({ list: [] })],
  ['a receipt in the place of another', (_, list) => ({ list: [...without(list, 3), list[0]] })],
  ['a log left out', (_, list) => dropLog(list)],
  ['a log changed', (_, list) => changeLog(list)],
  [
    'another time in the header, and false places of transactions',
    (body, list) => {
      const moved = <T extends Json>(t: T): T => ({ ...t, transactionIndex: '0x7' })
      return { header: { timestamp: '0x1' }, body: body.map(moved), list: list.map(moved) }
    },
  ],
  ['another time in the header', () => ({ header: { timestamp: '0x1' } })],
  [
    'a log left out, and a false place of a receipt',
    (_, list) => {
      dropLog(list)
      return { list: list.map((receipt, i) => (i === 2 ? { ...receipt, transactionIndex: '0x7' } : receipt)) }
    },
  ],
]

describe.each([
  ['above that of', LAST_GAS + 100_000],
  ['below that of', LAST_GAS >> 1],
  ['equal to that of', LAST_GAS],
])('of a block whose header has gas %s the last receipt', (_, gasUsed) => {
  it('all logs are proven', async () => {
    const { chain, lines } = await open(await forkedNode(gasUsed, () => ({})))
    const [read] = await chain.readBlocks(NUMBER, NUMBER)
    expect(read).toMatchObject({ isProven: true })
    expect(read?.logs).toHaveLength(selected.length)
    expect(lines.filter(({ level }) => level !== 'debug')).toEqual([])
  })

  it.each(LIES)('%s names the endpoint and sets it aside', async (_name, lie) => {
    const [liar, honest] = [await forkedNode(gasUsed, lie), await forkedNode(gasUsed, () => ({}))]
    const { chain, lines } = await open(liar, honest)
    expect((await chain.readBlocks(NUMBER, NUMBER))[0]?.logs).toHaveLength(selected.length)
    expect(lines).toContainEqual({ level: 'warn', text: expect.stringMatching(/set aside.*shows a false block/) })
    const alone = await open(await forkedNode(gasUsed, lie))
    expect(await failure(alone.chain.readBlocks(NUMBER, NUMBER))).toBeInstanceOf(RpcUnavailable)
  })
})

const ONE = receipts.findIndex(({ logs }) => logs.some(({ topics }) => topics[0] === TRANSFER))

it.each<[string, (length: number) => number[]]>([
  ['one transaction', () => [ONE]],
  ['its first transactions', () => Array.from({ length: ONE + 1 }, (_, i) => i)],
  ['its first half', (length) => Array.from({ length: length >> 1 }, (_, i) => i)],
])('a block of which body and receipts hold just %s is a part, and not a lie', async (_, kept) => {
  const part = await forkedNode(LAST_GAS, (body, list) => {
    const indices = kept(list.length)
    return { body: indices.map((i) => body[i]), list: indices.map((i) => list[i]) }
  })
  const respond = part.respond
  part.respond = (request, honest) => {
    if (request.method !== 'eth_getLogs') return respond ? respond(request, honest) : honest()
    const indices = new Set(kept(receipts.length).map((i) => `0x${i.toString(16)}`))
    return (honest() as Json[]).filter(({ transactionIndex }) => indices.has(String(transactionIndex)))
  }
  const { chain, lines } = await open(part)
  const [read] = await chain.readBlocks(NUMBER, NUMBER)
  expect(read?.isProven).toBeUndefined()
  expect(lines.filter(({ level }) => level === 'warn')).toEqual([])
})
