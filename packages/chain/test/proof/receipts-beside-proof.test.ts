import { HOUR, MINUTE, SECOND } from '@dexfeed/dex'
import { expect, it } from 'vitest'
import type { ChainOptions } from '../../src/chain.ts'
import { systemClock } from '../../src/clock.ts'
import { RpcUnavailable } from '../../src/errors/chain-error.ts'
import {
  block,
  type Json,
  lyingNode,
  NUMBER,
  type Receipt,
  receipts,
  selected,
  TRANSFER,
} from '../fixtures/recorded-node.ts'
import { client, failure } from '../scene.ts'
import { hastyClock } from '../test-clock.ts'

const open = (urls: string[], options: Partial<ChainOptions> = {}, clock = hastyClock()) =>
  client(urls, { topics: [TRANSFER], ...options }, clock)

it.each([
  ['a receipt that the block does not list', false, false],
  ['one that it lists', true, false],
  ['one that must be read field by field', true, true],
])('on Polygon %s, made up after those of the root, adds no log', async (_name, isListed, isOdd) => {
  const transactionHash = `0x${'77'.repeat(32)}`
  const a = await lyingNode((list) => {
    const made = structuredClone(list.findLast(({ logs }) => logs.some(({ topics }) => topics[0] === TRANSFER)))
    const transactionIndex = `0x${list.length.toString(16)}`
    const first = list.flatMap(({ logs }) => logs).length
    made?.logs.forEach((log, i) => {
      Object.assign(log, { transactionHash, transactionIndex, logIndex: `0x${(first + i).toString(16)}` })
    })
    // Receipts with upper case must be parsed.
    if (isOdd) Object.assign(list[0] ?? {}, { blockHash: block.hash.toUpperCase().replace('0X', '0x') })
    list.push(Object.assign(made ?? ({} as Receipt), { transactionHash, transactionIndex }))
  })
  const receiptsAs = a.respond
  a.respond = (request, honest) => {
    if (request.method === 'eth_chainId') return '0x89'
    if (request.method !== 'eth_getBlockByNumber' || !isListed) return receiptsAs?.(request, honest)
    const shown = structuredClone(honest()) as { transactions: Json[] } | null
    const made = { hash: transactionHash, transactionIndex: `0x${shown?.transactions.length.toString(16)}` }
    shown?.transactions.push({ ...shown.transactions.at(-1), ...made })
    return shown
  }
  const { chain } = open([a.url], { network: 'polygon' })
  const [read] = await chain.readBlocks(NUMBER, NUMBER)
  expect(read?.isProven).toBe(true)
  expect(read?.logs).toHaveLength(selected.length)
  expect(read?.receipts?.logsOf(receipts.length)).toBeNull()
})

it('on Polygon a body that lacks the last transaction is not the body of its block', async () => {
  const a = await lyingNode(() => undefined)
  const receiptsAs = a.respond
  a.respond = (request, honest) => {
    if (request.method === 'eth_chainId') return '0x89'
    if (request.method !== 'eth_getBlockByNumber') return receiptsAs?.(request, honest)
    const shown = honest() as { transactions: Json[] }
    return { ...shown, transactions: shown.transactions.slice(0, -1) }
  }
  const { chain, lines } = open([a.url], { network: 'polygon' })
  expect(await failure(chain.readBlocks(NUMBER, NUMBER))).toBeInstanceOf(RpcUnavailable)
  expect(lines).toContainEqual({ level: 'warn', text: expect.stringMatching(/set aside.*is not in the block/) })
})

it.each([
  ['a minute old is read by its logs, and so are others then', 10 * MINUTE, 0],
  ['an hour old is read by its logs, and others are proven', 2 * HOUR, 1],
])('a block without receipts that is %s', async (_name, age, proven) => {
  let isKept = false
  const a = await lyingNode((list) => (isKept ? list : null))
  const clock = hastyClock()
  await clock.sleep(Number(block.timestamp) * SECOND + age)
  const { chain } = open([a.url], {}, clock)
  const [read] = await chain.readBlocks(NUMBER, NUMBER)
  expect(read?.isProven).toBeFalsy()
  expect(read?.logs).toHaveLength(selected.length)
  isKept = true
  const again = await chain.readBlocks(NUMBER, NUMBER)
  expect(again.filter(({ isProven }) => isProven)).toHaveLength(proven)
})

it('a block of years ago whose receipts never come is old by the clock that programs use', async () => {
  const a = await lyingNode(() => null)
  const { chain } = open([a.url], {}, { ...hastyClock(), now: () => systemClock.now() })
  const [read] = await chain.readBlocks(NUMBER, NUMBER)
  expect(read?.logs).toHaveLength(selected.length)
})

it('receipts that history lacks set no endpoint aside for the head', async () => {
  const a = await lyingNode(() => [])
  const { chain, lines } = open([a.url])
  expect(await failure(chain.readRange(NUMBER, NUMBER))).toBeInstanceOf(RpcUnavailable)
  expect(lines).toContainEqual({ level: 'warn', text: expect.stringMatching(/set aside for history.*false block/) })
  const { respond } = a
  a.respond = (request, honest) => (request.method === 'eth_getBlockReceipts' ? honest() : respond?.(request, honest))
  // The head need not wait.
  expect(await chain.readBlocks(NUMBER, NUMBER)).toHaveLength(1)
})
