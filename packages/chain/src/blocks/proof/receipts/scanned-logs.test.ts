import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { Address, Hex } from '@dexfeed/dex'
import fc from 'fast-check'
import { beforeAll, expect, inject, it } from 'vitest'
import { cutLists } from '../../../json-rpc/cut-lists.ts'
import { readFullBlock } from '../../../json-rpc/rpc-block.ts'
import { inLogOrder, type PlacedLog, readLogs } from '../../../json-rpc/rpc-log.ts'
import { scanReceipts } from '../../../json-rpc/scan-receipts.ts'
import { BlockProver } from '../commitments/block-prover.ts'
import { ScannedLogs } from './scanned-logs.ts'

const FIXTURES = new URL('../../../../test/fixtures/', import.meta.url)
const FILES = readdirSync(FIXTURES).filter((name) => name.endsWith('.json.gz'))

interface Recorded {
  network: string
  block: Record<string, unknown>
  receipts: { logs: { address: Address; topics: Hex[] }[] }[]
}

function recorded(name: string): Recorded {
  return JSON.parse(gunzipSync(readFileSync(new URL(name, FIXTURES))).toString())
}

let prover: BlockProver
beforeAll(async () => {
  prover = await BlockProver.load()
})

/** Reads the logs of a response with a block's receipts; null if it proves nothing or must be parsed. */
function scannedLogs({ network, block }: Recorded, response: string, topics: readonly Hex[]): PlacedLog[] | null {
  const list = cutLists(response)?.lists[0]
  const scanned = list === undefined ? null : scanReceipts(list)
  const full = readFullBlock(block)
  const bridged = network === 'polygon'
  const proven = scanned && prover.provenCount(block, scanned, bridged)
  if (scanned === null || full === null || proven === null) return null
  return new ScannedLogs({ topics }).of(full, scanned, { proven, bridged })
}

function scan({ block, receipts }: Recorded, shown: object = block) {
  const list = cutLists(JSON.stringify({ id: 1, result: receipts }))?.lists[0]
  const scanned = list && scanReceipts(list)
  const full = readFullBlock(shown)
  if (!scanned || full === null) throw new Error('not read')
  return { scanned, full, proven: scanned.count }
}

function topicsOf({ receipts }: Recorded): Hex[] {
  const first = receipts.flatMap(({ logs }) => logs.flatMap(({ topics }) => topics[0] ?? []))
  // Every second topic is selected.
  return [...new Set(first)].sort().filter((_, i) => i % 2 === 0)
}

function parsedLogs({ receipts }: Recorded, topics: readonly Hex[]): PlacedLog[] {
  const selected = receipts.flatMap(({ logs }) => logs).filter((log) => topics.includes(log.topics[0] ?? '0x'))
  return inLogOrder(readLogs(selected, (what) => new Error(what)))
}

it.each(FILES)('the logs of %s are those that a parser reads', (name) => {
  const found = recorded(name)
  const topics = topicsOf(found)
  const logs = scannedLogs(found, JSON.stringify({ id: 1, result: found.receipts }), topics)
  const bridged = name === 'polygon-10000000.json.gz'
  // The root does not cover the receipt of bridged state.
  const expected = parsedLogs({ ...found, receipts: found.receipts.slice(0, bridged ? -1 : undefined) }, topics)
  expect(logs).toEqual(expected)
  // The order of fields must be the same, too, because other code compares logs as text.
  expect(JSON.stringify(logs)).toBe(JSON.stringify(expected))
})

it.each(FILES)('the receipts of %s hold every log of their transactions', (name) => {
  const found = recorded(name)
  const { scanned, full, proven } = scan(found)
  const logs = new ScannedLogs({ topics: topicsOf(found) })
  const selected = logs.of(full, scanned, { proven, bridged: found.network === 'polygon' }) ?? []
  const receipts = logs.receiptsOf(full, scanned, selected, proven)
  found.receipts.forEach(({ logs }, index) => {
    const expected = readLogs(logs, (what) => new Error(what))
    expect(receipts.logsOf(index)).toEqual(expected.map((log) => ({ ...log, transactionIndex: index })))
  })
  // An index past the body means the unlisted transaction, if it has a receipt.
  const unlisted = found.receipts[full.transactionCount]
  expect(receipts.logsOf(full.transactionCount + 5)?.length).toBe(unlisted?.logs.length)
  // Selected logs are not read again.
  const read = new Set(found.receipts.flatMap((_, index) => receipts.logsOf(index)))
  expect(selected.filter((log) => read.has(log))).toHaveLength(unlisted === undefined ? selected.length : 0)
})

it('logs without a topic are those of the emitters', () => {
  const found = recorded('eth-15070192.json.gz')
  const all = found.receipts.flatMap(({ logs }) => logs)
  const [first, second] = [...new Set(all.map((log) => log.address))]
  for (const log of all) if (log.address === first || log.address === second) log.topics = []
  if (first === undefined) throw new Error('no logs')
  const { scanned, full, proven } = scan(found)
  const logs = new ScannedLogs({ topics: [], emitters: [first] }).of(full, scanned, { proven, bridged: false })
  const expected = all.filter(({ address }) => address === first)
  expect(expected.length).toBeGreaterThan(0)
  expect(logs).toEqual(inLogOrder(readLogs(expected, (what) => new Error(what))))
})

it('what a receipt after the body claims about itself is in no other receipt', () => {
  const found = recorded('polygon-10000000.json.gz')
  const [last, unlisted] = found.receipts.slice(-2) as { logs: Record<string, unknown>[] }[]
  const [own] = last?.logs ?? []
  for (const log of unlisted?.logs ?? []) {
    Object.assign(log, { transactionIndex: own?.transactionIndex, logIndex: own?.logIndex })
  }
  // Since PIP-74, a receipt has this type when the root covers it.
  Object.assign(unlisted ?? {}, { type: '0x7f' })
  if (own === undefined) throw new Error('no logs')
  const transactions = (found.block.transactions as object[]).slice(0, -1)
  const { scanned, full, proven } = scan(found, { ...found.block, transactions })
  const logs = new ScannedLogs({
    topics: [...(own.topics as Hex[]), ...(unlisted?.logs ?? []).flatMap((log) => log.topics as Hex[])],
  })
  const selected = logs.of(full, scanned, { proven, bridged: true })
  expect(selected?.length).toBeGreaterThan(1)
  const [first] = logs.receiptsOf(full, scanned, selected ?? [], proven).logsOf(full.transactionCount - 1) ?? []
  expect(first).toMatchObject({ address: own.address, data: own.data })
})

it('whatever is written in the place of a character changes no log', () => {
  const found = recorded('eth-15070192.json.gz')
  const topics = topicsOf(found)
  const whole = JSON.stringify({ id: 1, result: found.receipts })
  const expected = parsedLogs(found, topics)
  let unread = 0
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.constantFrom(...'0aF"{}[]:, x'), (at, character) => {
      const logs = scannedLogs(found, whole.slice(0, at) + character + whole.slice(at + 1), topics)
      if (logs === null) unread++
      else expect(logs).toEqual(expected)
    }),
    { numRuns: 60 * inject('scale') },
  )
  expect(unread).toBeGreaterThan(0)
})

/** A quantity with the same low 32 bits. */
function wrapped(quantity: unknown): string {
  return `0x${(Number(quantity) + 2 ** 32).toString(16)}`
}

it.each<[string, (log: Record<string, unknown>, receipt: Record<string, unknown>) => void]>([
  ['a log of another transaction', (log) => Object.assign(log, { transactionHash: log.blockHash })],
  ['a log of another block', (log) => Object.assign(log, { blockHash: log.transactionHash })],
  ['a log of a block with another number', (log) => Object.assign(log, { blockNumber: '0x1' })],
  ['a log of a block beyond 32 bits', (log) => Object.assign(log, { blockNumber: wrapped(log.blockNumber) })],
  ['a removed log', (log) => Object.assign(log, { removed: true })],
  ['a receipt of another block', (_, receipt) => Object.assign(receipt, { blockHash: receipt.transactionHash })],
  ['a receipt of another transaction', (_, receipt) => Object.assign(receipt, { transactionHash: receipt.blockHash })],
  ['a digit in upper case', (log) => Object.assign(log, { address: String(log.address).replace(/[a-f]/, 'A') })],
])('%s is left to a reading field by field', (_, change) => {
  const found = recorded('eth-12988631.json.gz')
  const topics = topicsOf(found)
  const receipt = found.receipts.find(({ logs }) => logs.some((log) => topics.includes(log.topics[0] ?? '0x')))
  const log = receipt?.logs.find(({ topics: [topic] }) => topics.includes(topic ?? '0x'))
  change(log as never, receipt as never)
  expect(scannedLogs(found, JSON.stringify({ id: 1, result: found.receipts }), topics)).toBeNull()
})

it('receipts in another order of fields, and with other fields, are found as well', () => {
  const found = recorded('eth-12988631.json.gz')
  const topics = topicsOf(found)
  const turned = found.receipts.map((receipt) => ({
    l1: { fee: ['0x1', { of: null }] },
    isSystem: false,
    blobs: [],
    price: 12,
    ...Object.fromEntries(Object.entries(receipt).toReversed()),
  }))
  expect(scannedLogs(found, JSON.stringify({ id: 1, result: turned }), topics)).toEqual(parsedLogs(found, topics))
})
