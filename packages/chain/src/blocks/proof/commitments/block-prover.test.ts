import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { createMPT } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import fc from 'fast-check'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { cutLists } from '../../../json-rpc/cut-lists.ts'
import { type ScannedReceipts, scanReceipts } from '../../../json-rpc/scan-receipts.ts'
import { BlockProver, headerHash, receiptsRoot, scannedRoot } from './block-prover.ts'
import { type Keccak, ListRoot, loadKeccak } from './list-root.ts'
import { RlpWriter } from './rlp-writer.ts'

const FIXTURES = new URL('../../../../test/fixtures/', import.meta.url)

interface Recorded {
  network: string
  block: Record<string, unknown>
  receipts: (Record<string, unknown> & { logs: Record<string, unknown>[] })[]
}

function recorded(name: string): Recorded {
  return JSON.parse(gunzipSync(readFileSync(new URL(name, FIXTURES))).toString())
}

function scanned(receipts: readonly object[]): ScannedReceipts {
  const list = cutLists(JSON.stringify({ id: 1, result: receipts }))?.lists[0]
  const found = list && scanReceipts(list)
  if (!found) throw new Error('nothing was found')
  return found
}

let keccak: Keccak
let prover: BlockProver
beforeAll(async () => {
  keccak = await loadKeccak()
  prover = new BlockProver(keccak)
})

describe('recorded blocks', () => {
  it.each(readdirSync(FIXTURES).filter((name) => name.endsWith('.json.gz')))('%s is proven', (name) => {
    const { network, block, receipts } = recorded(name)
    // This is the only recorded block with bridged state, which its root does not cover.
    const covered = name === 'polygon-10000000.json.gz' ? receipts.length - 1 : receipts.length
    expect(prover.prove(block, receipts, network === 'polygon')).toEqual({ kind: 'proven', receipts: covered })
    expect(prover.provenCount(block, scanned(receipts), network === 'polygon')).toBe(covered)
  })

  it('a receipt of bridged state is outside of the root, only on Polygon', () => {
    const { block, receipts } = recorded('polygon-10000000.json.gz')
    expect(prover.prove(block, receipts, false)).toMatchObject({ kind: 'false' })
    expect(prover.prove(block, receipts.slice(0, -2), true)).toMatchObject({ kind: 'false' })
    expect(prover.provenCount(block, scanned(receipts), false)).toBeNull()
    expect(prover.provenCount(block, scanned(receipts.slice(0, -2)), true)).toBeNull()
  })

  it('a block without one of its logs, receipts, or with two in another order is false', () => {
    const { block, receipts } = recorded('eth-12988631.json.gz')
    const at = receipts.findIndex(({ logs }) => logs.length > 1)
    const withLogs = (change: (logs: Record<string, unknown>[]) => Record<string, unknown>[]) =>
      receipts.map((receipt, i) => (i === at ? { ...receipt, logs: change(receipt.logs) } : receipt))
    for (const changed of [
      withLogs((logs) => logs.slice(1)),
      withLogs((logs) => logs.slice(0, -1)),
      withLogs((logs) => logs.toReversed()),
      withLogs(() => []),
      receipts.slice(0, -1),
      receipts.toReversed(),
      [],
    ]) {
      expect(prover.prove(block, changed, false)).toMatchObject({ kind: 'false' })
      if (changed.length > 0) expect(prover.provenCount(block, scanned(changed), false)).toBeNull()
    }
  })

  it('a header with another field than it was hashed with is false; with a field of a later fork it is unknown', () => {
    const { block, receipts } = recorded('eth-19560565.json.gz')
    expect(prover.prove({ ...block, timestamp: '0x1' }, receipts, false)).toMatchObject({ kind: 'false' })
    expect(prover.prove({ ...block, receiptsRoot: block.stateRoot }, receipts, false)).toMatchObject({ kind: 'false' })
    const forked = { ...block, timestamp: '0x1', laterField: block.stateRoot }
    expect(prover.prove(forked, receipts, false)).toMatchObject({ kind: 'unknown', unknownFields: ['laterField'] })
    expect(prover.prove({ ...block, laterField: '0x1' }, receipts, false)).toMatchObject({ kind: 'proven' })
    expect(prover.prove({ ...block, mixHash: undefined }, receipts, false)).toMatchObject({ kind: 'unknown' })
    const lean = receipts.map(({ logsBloom: _, ...receipt }) => receipt)
    expect(prover.prove(block, lean, false)).toMatchObject({ kind: 'unknown' })
  })

  it('any flipped digit of what the root covers is found', () => {
    const { block, receipts } = recorded('eth-15070192.json.gz')
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.nat(), fc.integer({ min: 1, max: 15 }), (number, field, digit, flip) => {
        const changed = structuredClone(receipts)
        const place = pick(placesOf(pick(changed, number)), field)
        place.set(flipped(place.get(), digit, flip))
        if (prover.provenCount(block, scanned(changed), false) !== null) return false
        return prover.prove(block, changed, false).kind === 'false'
      }),
      { numRuns: 60 * inject('scale') },
    )
  })
})

interface Place {
  get(): string
  set(text: string): void
}

/** Returns the places of a receipt's texts that its block commits to. */
function placesOf(receipt: Recorded['receipts'][number]): Place[] {
  const of = (object: Record<string | number, unknown>, name: string | number): Place => ({
    get: () => String(object[name]),
    set: (text) => {
      object[name] = text
    },
  })
  const ofLogs = receipt.logs.flatMap((log) => {
    const topics = log.topics as string[]
    const data = log.data === '0x' ? [] : [of(log, 'data')]
    return [of(log, 'address'), ...data, ...topics.map((_, i) => of(topics as never, i))]
  })
  return [...['status', 'cumulativeGasUsed', 'logsBloom'].map((name) => of(receipt, name)), ...ofLogs]
}

function flipped(text: string, digit: number, flip: number): string {
  const at = 2 + (digit % (text.length - 2))
  return text.slice(0, at) + (Number.parseInt(text[at] ?? '0', 16) ^ flip).toString(16) + text.slice(at + 1)
}

function pick<T>(list: readonly T[], at: number): T {
  return list[at % list.length] as T
}

interface ForkHeader {
  hardfork: string
  header: Record<string, unknown>
}
const forkHeaders: ForkHeader[] = JSON.parse(readFileSync(new URL('fork-headers.json', FIXTURES), 'utf8'))

// A real header and vectors of a library prove the order of fields (test/fixtures/README.md).
describe.each(forkHeaders)('a header of $hardfork', ({ header }) => {
  it('has the hash of its fields, whatever else is shown', () => {
    expect(headerHash(header, keccak)).toBe(header.hash)
    expect(prover.hasItsHash({ ...header, laterField: '0x1' })).toBe(true)
  })

  it('is false with any of its fields changed or left out', () => {
    for (const name of Object.keys(header)) {
      if (['hash', 'size', 'uncles'].includes(name)) continue
      const changed = name === 'extraData' ? '0x01' : flipped(String(header[name]), 0, 7)
      expect(prover.prove({ ...header, [name]: changed }, [], false)).toMatchObject({ kind: 'false' })
      expect(prover.hasItsHash({ ...header, [name]: undefined })).not.toBe(true)
    }
  })
})

describe('against a library', () => {
  const bytes = (max: number) => fc.uint8Array({ maxLength: max })
  const hexOf = (of: Uint8Array) => `0x${Buffer.from(of).toString('hex')}`
  const quantityOf = (number: number) => `0x${number.toString(16)}`
  const bytesOf = (text: string) => Buffer.from(text.slice(2), 'hex')

  async function libraryRoot(values: readonly Uint8Array[]): Promise<string> {
    const trie = await createMPT()
    for (const [index, value] of values.entries()) await trie.put(RLP.encode(index), value)
    return hexOf(trie.root())
  }

  it('what is longer than the buffer is encoded alike', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 }), (values) => {
        const writer = new RlpWriter(1)
        for (const value of values.toReversed()) writer.hex(hexOf(value))
        writer.list(0)
        expect(hexOf(writer.since(0))).toBe(hexOf(RLP.encode(values)))
        writer.clear()
        for (const value of values.toReversed()) writer.text(value)
        writer.list(0)
        expect(hexOf(writer.since(0))).toBe(hexOf(RLP.encode(values)))
      }),
    )
  })

  it('roots of lists of any length are the same', async () => {
    const roots = new ListRoot(keccak)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ minLength: 1, maxLength: 80 }), { maxLength: 300 }), async (values) => {
        const root = roots.of(values.length, (writer, index) => writer.encoded(values[index] ?? new Uint8Array()))
        expect(hexOf(root)).toBe(await libraryRoot(values))
      }),
      { numRuns: 10 * inject('scale') },
    )
  })

  // Legacy, EIP-2930, 1559, 4844, 7702, and Polygon's state sync (PIP-74). Recorded blocks only have types up to 3.
  const TYPES = [undefined, '0x0', '0x1', '0x2', '0x3', '0x4', '0x7f']
  const receipt = fc.record({
    type: fc.constantFrom(...TYPES),
    status: fc.constantFrom('0x0', '0x1', undefined),
    root: fc.uint8Array({ minLength: 32, maxLength: 32 }).map(hexOf),
    cumulativeGasUsed: fc.nat().map(quantityOf),
    logsBloom: fc.uint8Array({ minLength: 256, maxLength: 256 }).map(hexOf),
    logs: fc.array(
      fc.record({
        address: fc.uint8Array({ minLength: 20, maxLength: 20 }).map(hexOf),
        topics: fc.array(fc.uint8Array({ minLength: 32, maxLength: 32 }).map(hexOf), { maxLength: 4 }),
        data: bytes(200).map(hexOf),
      }),
      { maxLength: 5 },
    ),
  })

  it('roots of receipts of every type are the same', async () => {
    const roots = new ListRoot(keccak)
    await fc.assert(
      fc.asyncProperty(fc.array(receipt, { maxLength: 20 }), async (receipts) => {
        const values = receipts.map(({ type, status, root, cumulativeGasUsed, logsBloom, logs }) => {
          const outcome = status === undefined ? bytesOf(root) : Number(status)
          const list = logs.map(({ address, topics, data }) => [bytesOf(address), topics.map(bytesOf), bytesOf(data)])
          const encoded = RLP.encode([outcome, Number(cumulativeGasUsed), bytesOf(logsBloom), list])
          return Number(type ?? 0) === 0 ? encoded : Buffer.concat([Buffer.from([Number(type)]), encoded])
        })
        const root = await libraryRoot(values)
        expect(receiptsRoot(receipts, roots)).toBe(root)
        if (receipts.length > 0) expect(scannedRoot(scanned(receipts), receipts.length, roots)).toBe(root)
      }),
      { numRuns: 20 * inject('scale') },
    )
  })

  it('a header of every fork so far has the hash of its fields', () => {
    const { block } = recorded('eth-19560565.json.gz')
    // On Polygon, the extra data of some headers is longer than all other fields. BNB Chain may put another value into
    // `sha3Uncles`.
    const own = { sha3Uncles: block.receiptsRoot, requestsHash: block.stateRoot }
    const prague = { ...block, ...own, extraData: `0x${'ab'.repeat(3000)}` }
    const fields = [
      ...['parentHash', 'sha3Uncles', 'miner', 'stateRoot', 'transactionsRoot', 'receiptsRoot', 'logsBloom'],
      ...['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp', 'extraData', 'mixHash', 'nonce', 'baseFeePerGas'],
      ...['withdrawalsRoot', 'blobGasUsed', 'excessBlobGas', 'parentBeaconBlockRoot', 'requestsHash'],
    ]
    const numbers = new Set(['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp', 'baseFeePerGas'])
    const values = fields.map((name) => {
      const text = String((prague as Record<string, unknown>)[name])
      return numbers.has(name) || name.endsWith('BlobGas') || name === 'blobGasUsed' ? BigInt(text) : bytesOf(text)
    })
    expect(headerHash(prague, keccak)).toBe(hexOf(keccak(RLP.encode(values))))
  })
})
