import type { Address, Hex } from '@dexfeed/dex'
import { quantity } from '../abi.ts'
import type { BloomBits } from '../commitments/bloom-bits.ts'
import type { HeaderContents } from '../commitments/header.ts'
import type { Keccak } from '../commitments/keccak.ts'
import { contentsOf, sealReceipts } from '../commitments/receipt.ts'
import type { DraftTransaction } from './draft-block.ts'

export interface BlockBody {
  contents: HeaderContents
  transactions: readonly BodyTransaction[]
  topics: ReadonlySet<Hex>
  addresses: ReadonlySet<Address>
}

interface BodyTransaction {
  transaction: HoledText
  receipt: HoledText
  logs: readonly { address: Address; topic: Hex; start: number; end: number }[]
}

/** The values for a text's holes: block number, time, block hash and transaction hash. Their lengths never change. */
export type Place = readonly [Uint8Array, Uint8Array, Uint8Array, Uint8Array]

export interface BodyTools {
  chainId: number
  keccak: Keccak
  blooms: BloomBits
  numberWidth: number
  inputOf(draft: DraftTransaction, drafts: readonly DraftTransaction[]): Hex
}

/** Characters that mark the holes, in the order of `Place`. A node's JSON never has them. */
const MARKS = ['~', '^', '|', '`']
const TIME = '^'.repeat(10)
const BLOCK_HASH = '|'.repeat(66)
const HASH = '`'.repeat(66)
const GAS_PRICE = { gasPrice: '0x3b9aca00' }
const FEES = {
  maxFeePerGas: '0x77359400',
  maxPriorityFeePerGas: '0x3b9aca00',
  accessList: [],
  yParity: '0x1',
  ...GAS_PRICE,
}
const SIGNATURE = { v: '0x1', r: `0x${'7d'.repeat(32)}`, s: `0x${'3c'.repeat(32)}` }

/** ASCII text with holes. Serialising each block anew would take several times the CPU time. */
class HoledText {
  readonly #text: Buffer
  readonly #holes: readonly number[][]

  constructor(text: string) {
    this.#text = Buffer.from(text, 'latin1')
    this.#holes = MARKS.map((mark) => [...text.matchAll(RegExp(`\\${mark}+`, 'g'))].map(({ index }) => index))
  }

  get length(): number {
    return this.#text.length
  }

  fillInto(target: Buffer, start: number, place: Place): void {
    target.set(this.#text, start)
    for (const [i, value] of place.entries()) {
      for (const position of this.#holes[i] ?? []) target.set(value, start + position)
    }
  }

  fill(place: Place): Buffer {
    const filled = Buffer.allocUnsafe(this.length)
    this.fillInto(filled, 0, place)
    return filled
  }
}

export function makeBody(drafts: readonly DraftTransaction[], tools: BodyTools): BlockBody {
  const sealed = sealReceipts(drafts, tools.blooms)
  const blockNumber = '~'.repeat(tools.numberWidth)
  let logIndex = 0
  const transactions = drafts.map((draft, index): BodyTransaction => {
    const { from, to, type, gasUsed, succeeded, value } = draft
    const { cumulativeGas = 0, bloom = Buffer.alloc(0) } = sealed[index] ?? {}
    const place = { blockHash: BLOCK_HASH, blockNumber, transactionIndex: quantity(index) }
    const shared = { ...place, from, to, type: quantity(type) }
    const transaction = {
      ...shared,
      hash: HASH,
      input: tools.inputOf(draft, drafts),
      nonce: quantity(index + 7),
      value: quantity(value),
      gas: quantity(2 * gasUsed),
      chainId: quantity(tools.chainId),
      ...(type === 0 ? GAS_PRICE : FEES),
      ...SIGNATURE,
    }
    const receipt = {
      ...shared,
      transactionHash: HASH,
      contractAddress: null,
      effectiveGasPrice: '0x3b9aca00',
      cumulativeGasUsed: quantity(cumulativeGas),
      gasUsed: quantity(gasUsed),
      status: succeeded ? '0x1' : '0x0',
      logsBloom: `0x${bloom.toString('hex')}`,
    }
    let text = `${JSON.stringify(receipt).slice(0, -1)},"logs":[`
    const logs = draft.logs.map(({ address, topics, data }, i) => {
      if (i > 0) text += ','
      const start = text.length
      const log = { address, topics, data, ...place, transactionHash: HASH, blockTimestamp: TIME }
      text += JSON.stringify({ ...log, logIndex: quantity(logIndex++), removed: false })
      return { address, topic: topics[0] ?? '0x', start, end: text.length }
    })
    return { transaction: new HoledText(JSON.stringify(transaction)), receipt: new HoledText(`${text}]}`), logs }
  })
  const logs = transactions.flatMap((transaction) => transaction.logs)
  return {
    contents: contentsOf(sealed, tools.keccak),
    transactions,
    topics: new Set(logs.map(({ topic }) => topic)),
    addresses: new Set(logs.map(({ address }) => address)),
  }
}
